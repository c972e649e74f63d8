import { join } from "node:path";
import { DiskMachine, type DiskMachineOptions } from "../../scripts/guest/disk-machine.ts";
import type { Told } from "./told.ts";

const PART_MS = 1_800_000;

interface ToldMachineOptions<Reports> extends Omit<DiskMachineOptions, "scripts"> {
  /** The folder of the scripts, and the names of those that it is to run. */
  readonly inside: string;
  readonly parts: readonly string[];
  readonly told: Told<Reports>;
}

interface PartRun {
  readonly words?: readonly string[];
  readonly timeoutMs?: number;
  /** Whether the power is cut once this step was told. */
  readonly isCut?: (step: string) => boolean;
}

/** A machine of Debian whose scripts tell what each of their steps came to, at all of its starts. */
export class ToldMachine<Reports> {
  readonly #machine: DiskMachine;
  readonly #told: Told<Reports>;

  private constructor(machine: DiskMachine, told: Told<Reports>) {
    this.#machine = machine;
    this.#told = told;
  }

  static async make<Reports>(options: ToldMachineOptions<Reports>): Promise<ToldMachine<Reports>> {
    const { inside, parts, told, ...machine } = options;
    const scripts = Object.fromEntries(parts.map((part) => [part, join(inside, `${part}.ts`)]));
    return new ToldMachine(await DiskMachine.make({ scripts, ...machine }), told);
  }

  /** Starts it and runs a part: to its end, after which the machine is switched off, or until the power is cut. */
  async run(part: string, { words = [], timeoutMs = PART_MS, isCut }: PartRun = {}): Promise<void> {
    const powerCut = new AbortController();
    const end = await this.#machine.run({
      command: ["node", `${part}.mjs`, ...words],
      timeoutMs,
      powerCut: powerCut.signal,
      onLine: (line) => {
        const step = this.#told.take(line);
        if (step !== undefined && isCut?.(step) === true) powerCut.abort();
      },
      onStderr: (chunk) => {
        if (process.env["FLANCO_TEST_TOLD"] === "all") process.stderr.write(chunk);
      },
    });
    if (powerCut.signal.aborted ? end !== null : end?.exitCode !== 0)
      throw new Error(`The part "${part}" ended with ${end?.exitCode}:\n${end?.stderr}`);
  }

  remove(): void {
    this.#machine.remove();
  }
}
