import { join } from "node:path";
import { DiskMachine } from "../../scripts/guest/disk-machine.ts";
import type { Suite } from "../../scripts/guest/disk-root.ts";
import { type Acknowledged, CUT_HERE, type PackageReport } from "./report.ts";

const TIMEOUT_MS = 1_800_000;
const INSIDE = join(import.meta.dirname, "inside");

/** A machine, and what was told in it at all of its starts. */
export class PackageMachine {
  readonly #machine: DiskMachine;
  readonly #reports: PackageReport[] = [];
  readonly #acknowledged: number[] = [];

  private constructor(machine: DiskMachine) {
    this.#machine = machine;
  }

  /** `parts` are the scripts that it is to run, `files` the folder of packages. */
  static async make(suite: Suite, parts: readonly string[], files: string): Promise<PackageMachine> {
    const scripts = Object.fromEntries(parts.map((part) => [part, join(INSIDE, `${part}.ts`)]));
    return new PackageMachine(await DiskMachine.make({ suite, scripts, files }));
  }

  /** Starts it, runs a part to its end and switches it off. */
  async run(part: string): Promise<void> {
    await this.#run(part, () => false);
  }

  /** Starts it, runs a part, and cuts the power when the part asks for it. */
  async runUntilCut(part: string): Promise<void> {
    await this.#run(part, (line) => line === CUT_HERE);
  }

  /** Starts it, runs a part, and cuts the power when so many sales were acknowledged. */
  async runUntilSold(part: string, sales: number): Promise<void> {
    await this.#run(part, () => this.#acknowledged.length >= sales);
  }

  async #run(part: string, isEnd: (line: string) => boolean): Promise<void> {
    const powerCut = new AbortController();
    const end = await this.#machine.run({
      command: ["node", `${part}.mjs`],
      timeoutMs: TIMEOUT_MS,
      powerCut: powerCut.signal,
      onLine: (line) => {
        this.#take(line);
        if (isEnd(line)) powerCut.abort();
      },
      onStderr: (chunk) => {
        if (process.env["FLANCO_TEST_TOLD"] === "all") process.stderr.write(chunk);
      },
    });
    if (powerCut.signal.aborted ? end !== null : end?.exitCode !== 0)
      throw new Error(`The part "${part}" ended with ${end?.exitCode}:\n${end?.stderr}`);
  }

  #take(line: string): void {
    if (!line.startsWith("{")) return;
    const told = JSON.parse(line) as PackageReport | Acknowledged;
    if ("step" in told) this.#reports.push(told);
    else this.#acknowledged.push(told.acknowledgedMs);
  }

  /** The report of a step. Throws where the machine did not come to it. */
  report(step: string): PackageReport {
    const found = this.#reports.find((one) => one.step === step);
    if (found === undefined) throw new Error(`The machine did not come to "${step}".`);
    return found;
  }

  /** When the posted sales were that the service had acknowledged by the power cut. */
  get acknowledged(): readonly number[] {
    return this.#acknowledged;
  }

  remove(): void {
    this.#machine.remove();
  }
}
