import { DiskMachine, type DiskMachineOptions } from "../../scripts/guest/disk-machine.ts";
import type { StepReports } from "./told.ts";

const PART_MS = 1_800_000;

interface ToldMachineOptions<Reports> extends Omit<DiskMachineOptions, "scripts"> {
  /** The script whose parts it runs. */
  readonly script: string;
  /** Further scripts, which that one starts. */
  readonly besides?: DiskMachineOptions["scripts"];
  readonly told: StepReports<Reports>;
}

interface PartRun {
  readonly timeoutMs?: number;
  /** Whether the power is cut once this step was told. */
  readonly isCut?: (step: string) => boolean;
}

/** A machine of Debian whose script tells what each of its steps came to, at all of its starts. */
export class ToldMachine<Reports> {
  readonly #machine: DiskMachine;
  readonly #told: StepReports<Reports>;

  private constructor(machine: DiskMachine, told: StepReports<Reports>) {
    this.#machine = machine;
    this.#told = told;
  }

  /** Makes a machine, which is removed once the work with it is done. */
  static async use<Reports>(
    { script, besides, told, ...options }: ToldMachineOptions<Reports>,
    work: (machine: ToldMachine<Reports>) => Promise<void>,
  ): Promise<void> {
    const machine = await DiskMachine.make({ scripts: { prove: script, ...besides }, ...options });
    try {
      await work(new ToldMachine(machine, told));
    } finally {
      machine.remove();
    }
  }

  /** Starts it and runs a part: to its end, after which the machine is switched off, or until the power is cut. */
  async run(part: string, { timeoutMs = PART_MS, isCut }: PartRun = {}): Promise<void> {
    const powerCut = new AbortController();
    const end = await this.#machine.run({
      command: ["node", "prove.mjs", part],
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
}
