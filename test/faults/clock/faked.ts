import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installFor } from "../../../scripts/debian.ts";
import type { Patch } from "../../../scripts/patch.ts";
import { ControlClient } from "../../../src/control/client.ts";
import { Api } from "../../guest/inside/api.ts";
import { clockTrustedBy } from "../../rig/controls.ts";
import { Program, type RunningService } from "../../rig/program.ts";
import { Variant } from "../variant.ts";
import type { ClockWorld } from "./story.ts";

/** The line of libfaketime for programs with threads, as Debian's package has it. */
const LIBRARY = "faketime/libfaketimeMT.so.1";
const LINE = "SIM0";

/**
 * The real program on this machine with simulated lines, its wall clock made up by libfaketime; monotonic time is
 * the machine's. Whether the machine's own clock is set must not show: the program looks for a mark of the test's.
 */
export class FakedWorld implements ClockWorld {
  readonly #appliance: Program;
  readonly #variant: Variant;
  readonly #api: Api;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #clockFile: string;
  readonly #mark: string;
  #service: RunningService | undefined;
  #remote: ControlClient | undefined;

  private constructor(appliance: Program, patches: readonly Patch[]) {
    this.#appliance = appliance;
    this.#api = new Api(`http://127.0.0.1:${appliance.httpPort}`);
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
    this.setWall(Date.now());
  }

  static async make(patches: readonly Patch[]): Promise<FakedWorld> {
    return new FakedWorld(await Program.make({ FLANCO_CLOCK_TRUST: "auto" }), patches);
  }

  get ledgerFile(): string {
    return this.#appliance.ledgerFile;
  }

  setWall(ms: number): void {
    const seconds = (ms - Date.now()) / 1000;
    writeFileSync(this.#clockFile, `${seconds < 0 ? "" : "+"}${seconds.toFixed(3)}`);
  }

  synchronize(): number {
    this.setWall(Date.now());
    writeFileSync(this.#mark, "");
    return Date.now() - Number(process.hrtime.bigint()) / 1e6;
  }

  async start(): Promise<void> {
    this.#service = await this.#appliance.start(this.#environment, { program: this.#variant.program });
    this.#remote = await ControlClient.connect(this.#appliance.controlSocket);
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#remote?.close();
    await this.#service?.end(signal);
  }

  async prepare(): Promise<void> {
    await this.#api.makeFirstUser(this.#service?.firstRunToken ?? "");
    await this.#api.wireFirstRoom(LINE);
  }

  isSignedIn(): Promise<boolean> {
    return this.#api.isSignedIn();
  }

  async drive(high: boolean): Promise<void> {
    await this.#remote?.call("setLine", { line: LINE, high });
  }

  async verify(): Promise<{ exitCode: number | null; output: string }> {
    const { exitCode, stdout, stderr } = await this.#appliance.run(["verify"]);
    return { exitCode, output: stdout + stderr };
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
