// Tells the story of a wrong clock in the guest, whose own clock is set with `date -s`: the real program on a line
// of the kernel's simulated chip. Writes the story to standard output as one JSON object.
//
//   node test/faults/inside/clock.ts DATA_DIRECTORY settling|not-settling
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Api } from "../../guest/inside/api.ts";
import { Relays } from "../../guest/inside/relays.ts";
import { type ClockWorld, tellStory } from "../clock/story.ts";
import { PROGRAM, Program } from "./program.ts";

const BASE_URL = "http://127.0.0.1:8080";
/** What systemd-timesyncd makes when it has set the clock. */
const MARK = "/run/systemd/timesync/synchronized";
const LINE = "RELAY0";
const OFFSET = 0;
/** From asking for the program that sets the clock to having set it, on an emulated processor. */
const SET_WITHIN_MS = 20_000;

class GuestWorld implements ClockWorld {
  readonly #dataDir: string;
  readonly #relays: Relays;
  readonly #api = new Api(BASE_URL);
  /** The machine's clock is right when it starts: QEMU has one. */
  readonly #trueZeroMs = zeroMs();
  #program: Program | undefined;

  constructor(dataDir: string, relays: Relays) {
    this.#dataDir = dataDir;
    this.#relays = relays;
  }

  get ledgerFile(): string {
    return join(this.#dataDir, "flanco.db");
  }

  setWall(ms: number): void {
    const { status, stderr } = spawnSync("date", ["-s", `@${Math.round(ms / 1000)}`], { encoding: "utf8" });
    // Busybox's date ends with 0 also when the kernel refused.
    if (status !== 0 || Math.abs(Date.now() - ms) > SET_WITHIN_MS) throw new Error(`date failed: ${stderr}`);
    this.#tell(`it is ${new Date().toISOString()}`);
  }

  synchronize(): number {
    this.setWall(this.#trueZeroMs + Number(process.hrtime.bigint()) / 1e6);
    const zero = zeroMs();
    mkdirSync(dirname(MARK), { recursive: true });
    writeFileSync(MARK, "");
    return zero;
  }

  async start(): Promise<void> {
    this.#program = new Program(this.#dataDir);
    await this.#program.start();
    this.#tell("started");
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    await this.#program?.end(signal);
    this.#tell(`ended by ${signal}`);
  }

  async prepare(): Promise<void> {
    await this.#api.makeFirstUser(this.#program?.firstRunToken ?? "");
    await this.#api.wireFirstRoom(LINE);
  }

  isSignedIn(): Promise<boolean> {
    return this.#api.isSignedIn();
  }

  async drive(high: boolean): Promise<void> {
    this.#relays.drive(OFFSET, high);
  }

  /** To standard error, which shows how far a run came. */
  #tell(what: string): void {
    console.error(`${Math.round(performance.now() / 1000)} s: ${what}`);
  }

  async verify(): Promise<{ exitCode: number | null; output: string }> {
    const environment = { ...process.env, FLANCO_DATA_DIR: this.#dataDir };
    const result = spawnSync(process.execPath, [PROGRAM, "verify"], {
      env: environment,
      encoding: "utf8",
    });
    return { exitCode: result.status, output: `${result.stdout}${result.stderr}` };
  }
}

/** Wall time of monotonic zero, as the machine's clock has it. */
function zeroMs(): number {
  return Date.now() - Number(process.hrtime.bigint()) / 1e6;
}

const [dataDir, settling] = process.argv.slice(2);
const folder = process.env["FLANCO_TEST_GPIO_SIM"];
if (dataDir === undefined || settling === undefined || folder === undefined) {
  throw new Error("usage: clock.ts DATA_DIRECTORY settling|not-settling (in a guest with a simulated chip)");
}
const world = new GuestWorld(dataDir, new Relays(folder));
console.log(JSON.stringify(await tellStory(world, settling === "settling")));
process.exit(0);
