import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installFor } from "../../scripts/debian.ts";
import type { Patch } from "../../scripts/patch.ts";
import { clockTrustedBy } from "../rig/controls.ts";
import { type Ended, Program, type RunningService } from "../rig/program.ts";
import { DrivenProgram } from "./driven-program.ts";
import { Variant } from "./variant.ts";

/** The line of libfaketime for programs with threads, as Debian's package has it. */
const LIBRARY = "faketime/libfaketimeMT.so.1";

/**
 * The real program on this machine with simulated lines, its wall clock made up by libfaketime; monotonic time is
 * the machine's. Whether the machine's own clock is set must not show: the program looks for a mark of the test's.
 */
export class FakedClock extends DrivenProgram {
  readonly #variant: Variant;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #clockFile: string;
  readonly #mark: string;

  private constructor(appliance: Program, patches: readonly Patch[]) {
    super(appliance);
    this.#clockFile = join(appliance.directory, "faketime");
    this.#mark = join(appliance.directory, "synchronized");
    this.#variant = new Variant([...clockTrustedBy(this.#mark), ...patches]);
    this.#environment = {
      LD_PRELOAD: libraryPath(),
      FAKETIME_TIMESTAMP_FILE: this.#clockFile,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    };
  }

  static async make(patches: readonly Patch[]): Promise<FakedClock> {
    return new FakedClock(await Program.make({ FLANCO_CLOCK_TRUST: "auto" }), patches).seed();
  }

  setWall(ms: number): void {
    const seconds = (ms - Date.now()) / 1000;
    writeFileSync(this.#clockFile, `${seconds < 0 ? "" : "+"}${seconds.toFixed(3)}`);
  }

  /** Sets the wall clock to what is true, and says so as a time daemon would. Gives the wall time of monotonic zero. */
  synchronize(): number {
    this.setWall(Date.now());
    writeFileSync(this.#mark, "");
    return Date.now() - Number(process.hrtime.bigint()) / 1e6;
  }

  override start(): Promise<RunningService> {
    return super.start({ environment: this.#environment, program: this.#variant.program });
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.get("/api/verify")).status === 200;
  }

  /** Runs `flanco verify` beside the program. */
  verify(): Promise<Ended> {
    return this.appliance.call(["verify"]);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#variant.remove();
  }
}

function libraryPath(): string {
  installFor("wrong clock");
  const machine = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  return `/usr/lib/${machine}/${LIBRARY}`;
}
