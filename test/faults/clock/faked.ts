import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RemoteOperations } from "../../../src/control/client.ts";
import { Appliance, type RunningService } from "../../cli/program.ts";
import { Variant } from "../variant.ts";
import { RoomClient } from "./room.ts";
import type { ClockWorld } from "./story.ts";

/** The line of libfaketime for programs with threads, as Debian's package has it. */
const LIBRARY = "faketime/libfaketimeMT.so.1";
const LINE = "SIM0";

export interface FakedOptions {
  /** Off for a control: nobody moves what was recorded before the clock was set. */
  readonly settling: boolean;
}

/**
 * The real program on this machine with simulated lines, its wall clock made up by libfaketime; monotonic time is
 * the machine's. Whether the machine's own clock is set must not show: the program looks for a mark of the test's.
 */
export class FakedWorld implements ClockWorld {
  readonly #appliance: Appliance;
  readonly #variant: Variant;
  readonly #client: RoomClient;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #clockFile: string;
  readonly #mark: string;
  #service: RunningService | undefined;
  #remote: RemoteOperations | undefined;

  private constructor(appliance: Appliance, { settling }: FakedOptions) {
    this.#appliance = appliance;
    this.#client = new RoomClient(`http://127.0.0.1:${appliance.httpPort}`);
    this.#clockFile = join(appliance.directory, "faketime");
    this.#mark = join(appliance.directory, "synchronized");
    this.#variant = new Variant([
      { file: "src/clock-trust.ts", from: "/run/systemd/timesync/synchronized", to: this.#mark },
      {
        file: "src/clock-trust.ts",
        from: 'return koffi.load(null).func("int adjtimex(void *timex)");',
        to: "return void koffi;",
      },
      ...(settling ? [] : [NO_SETTLING]),
    ]);
    this.#environment = {
      LD_PRELOAD: libraryPath(),
      FAKETIME_TIMESTAMP_FILE: this.#clockFile,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    };
    this.setWall(Date.now());
  }

  static async make(options: FakedOptions): Promise<FakedWorld> {
    return new FakedWorld(await Appliance.make({ FLANCO_CLOCK_TRUST: "auto" }), options);
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
    this.#remote = await RemoteOperations.connect(this.#appliance.controlSocket);
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#remote?.close();
    await this.#service?.end(signal);
  }

  prepare(): Promise<void> {
    return this.#client.prepare(this.#service?.firstRunToken ?? "", LINE);
  }

  isSignedIn(): Promise<boolean> {
    return this.#client.isSignedIn();
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

/** The program that learns that its clock is right, and leaves what it recorded before where it was. */
export const NO_SETTLING = {
  file: "src/cli/clock-watch.ts",
  from: "await writer.settleTimes(bootId, zeroMs)",
  to: "0",
};

/** Installs Debian's package where it is missing. */
function libraryPath(): string {
  const machine = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  const path = `/usr/lib/${machine}/${LIBRARY}`;
  if (!existsSync(path)) spawnSync("apt-get", ["install", "-y", "faketime"], { stdio: "ignore" });
  if (!existsSync(path)) throw new Error(`${path} is missing: install Debian's package faketime.`);
  return path;
}
