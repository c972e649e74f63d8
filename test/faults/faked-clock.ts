import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installFor } from "../../scripts/debian.ts";
import type { Patch } from "../../scripts/patch.ts";
import { ControlClient } from "../../src/control/client.ts";
import { change, EMAIL, seedLedger } from "../cli/ledger.ts";
import { clockTrustedBy } from "../rig/controls.ts";
import { type Ended, PASSWORD, Program, type RunningService } from "../rig/program.ts";
import { Variant } from "./variant.ts";

/** The line of libfaketime for programs with threads, as Debian's package has it. */
const LIBRARY = "faketime/libfaketimeMT.so.1";
const LINE = "SIM0";

/**
 * The real program on this machine with simulated lines, its wall clock made up by libfaketime; monotonic time is
 * the machine's. Whether the machine's own clock is set must not show: the program looks for a mark of the test's.
 */
export class FakedClock {
  readonly #appliance: Program;
  readonly #variant: Variant;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #clockFile: string;
  readonly #mark: string;
  #service: RunningService | undefined;
  #remote: ControlClient | undefined;
  #cookie = "";

  private constructor(appliance: Program, patches: readonly Patch[]) {
    this.#appliance = appliance;
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
    const appliance = await Program.make({ FLANCO_CLOCK_TRUST: "auto" });
    await seedLedger(appliance.ledgerFile);
    // Each level counts at once.
    change(appliance.ledgerFile, "UPDATE wiring SET debounce_ms = 0");
    return new FakedClock(appliance, patches);
  }

  get ledgerFile(): string {
    return this.#appliance.ledgerFile;
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

  /** Starts the program; the first start also begins the session. */
  async start(): Promise<void> {
    this.#service = await this.#appliance.start(this.#environment, { program: this.#variant.program });
    this.#remote = await ControlClient.connect(this.#appliance.controlSocket);
    if (this.#cookie === "") this.#cookie = await this.#service.signIn(EMAIL, PASSWORD);
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#remote?.close();
    await this.#service?.end(signal);
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.#service?.get("/api/verify", this.#cookie))?.status === 200;
  }

  async drive(high: boolean): Promise<void> {
    await this.#remote?.call("setLine", { line: LINE, high });
  }

  /** Runs `flanco verify` beside the program. */
  verify(): Promise<Ended> {
    return this.#appliance.call(["verify"]);
  }

  async close(): Promise<void> {
    this.#remote?.close();
    await this.#appliance.close();
    this.#variant.remove();
  }
}

function libraryPath(): string {
  installFor("wrong clock");
  const machine = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  return `/usr/lib/${machine}/${LIBRARY}`;
}
