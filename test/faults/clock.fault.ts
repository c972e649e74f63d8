import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { assert } from "chai";
import { installFor } from "../../scripts/debian.ts";
import type { Patch } from "../../scripts/patch.ts";
import { DAY_MS, SECOND_MS } from "../../src/domain/clock.ts";
import { CONTROLS, clockTrustedBy } from "../rig/controls.ts";
import { query } from "../rig/ledger-file.ts";
import { type Ended, Program, type RunningService } from "../rig/program.ts";
import { until } from "../rig/until.ts";
import { DrivenProgram } from "./driven-program.ts";
import { Variant } from "./variant.ts";

const YEAR_MS = 365 * DAY_MS;
const IN_1970_MS = DAY_MS;
/** 2038-01-19T03:14:08Z: the second after the last of 32 bits. */
const AFTER_32_BITS_MS = 2 ** 31 * 1000;
const SALES = 3;
const KILLS = 2;
/** Longer than the program takes to see that it is trusted and to move all. */
const KILL_WITHIN_MS = 1_500;
const TOLERANCE_MS = SECOND_MS;

/** The line of libfaketime for programs with threads, as Debian's package has it. */
const LIBRARY = "faketime/libfaketimeMT.so.1";

/**
 * The real program on this machine with simulated lines, its wall clock made up by libfaketime; monotonic time is
 * the machine's. Whether the machine's own clock is set must not show: the program looks for a mark of the test's.
 */
class FakedClock extends DrivenProgram {
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

interface Row {
  readonly effectiveMs: number;
  readonly endedMs: number | null;
  readonly provisional: number;
  /** How often its time was moved. */
  readonly moves: number;
}

interface Story {
  /** Each sale as the test made it, in milliseconds of monotonic time: between `from` and `to` the relay went high. */
  readonly sales: readonly { from: number; to: number; endFrom: number; endTo: number }[];
  readonly rows: readonly Row[];
  /** Wall time of monotonic zero. */
  readonly zeroMs: number;
  /** Whether the first session stood, by what had just been done. */
  readonly signedIn: Readonly<Record<string, boolean>>;
  readonly verified: Ended;
}

/**
 * A gateway that begins in 1970, jumps a year on, is killed, goes to 2038, and back by a year, selling all the
 * while; then the network sets its clock, and it is killed before, while or after it moves what it recorded.
 */
async function tellStory(gateway: FakedClock, settles: boolean): Promise<Story> {
  const sales: Story["sales"][number][] = [];
  const signedIn: Record<string, boolean> = {};
  const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;
  const rowsCome = (records: number, ended: number) =>
    until(`${records} records, ${ended} ended`, () => {
      const rows = readRows(gateway.ledgerFile);
      return rows.length === records && rows.filter(({ endedMs }) => endedMs !== null).length === ended;
    });
  const sell = async (): Promise<void> => {
    for (let count = 0; count < SALES; count += 1) {
      const from = monotonicMs();
      await gateway.drive(true);
      const to = monotonicMs();
      await rowsCome(sales.length + 1, sales.length);
      const endFrom = monotonicMs();
      await gateway.drive(false);
      sales.push({ from, to, endFrom, endTo: monotonicMs() });
      await rowsCome(sales.length, sales.length);
    }
  };
  const waiting = () => readRows(gateway.ledgerFile).filter((row) => row.provisional > row.moves).length;

  gateway.setWall(IN_1970_MS);
  await gateway.start();
  await sell();
  gateway.setWall(IN_1970_MS + YEAR_MS);
  signedIn["a year on"] = await gateway.isSignedIn();
  await sell();
  await gateway.service.end("SIGKILL");
  await gateway.start();
  signedIn["killed, a year on"] = await gateway.isSignedIn();
  gateway.setWall(AFTER_32_BITS_MS);
  await sell();
  gateway.setWall(AFTER_32_BITS_MS - YEAR_MS);
  signedIn["in 2038, a year back"] = await gateway.isSignedIn();
  await sell();

  const zeroMs = gateway.synchronize();
  for (let kill = 0; kill < KILLS; kill += 1) {
    await pause(Math.random() * KILL_WITHIN_MS);
    await gateway.service.end("SIGKILL");
    await gateway.start();
  }
  if (settles) await until("each record has its time", () => waiting() === 0);
  else await pause(KILL_WITHIN_MS);
  signedIn["set by the network"] = await gateway.isSignedIn();
  await sell();
  return { sales, rows: readRows(gateway.ledgerFile), zeroMs, signedIn, verified: await gateway.verify() };
}

/** Throws, naming the first thing that is wrong, unless the story ended well. */
function requireTruth({ sales, rows, zeroMs, signedIn, verified }: Story): void {
  if (rows.length !== sales.length) throw new Error(`${sales.length} sales have ${rows.length} records.`);
  for (const [index, { from, to, endFrom, endTo }] of sales.entries()) {
    const row = rows[index];
    const began = (row?.effectiveMs ?? 0) - zeroMs;
    const ended = (row?.endedMs ?? 0) - zeroMs;
    if (began < from - TOLERANCE_MS || began > to + TOLERANCE_MS) {
      throw new Error(`The sale ${index} counts ${Math.round(began - from)} ms from when it was.`);
    }
    if (ended < endFrom - TOLERANCE_MS || ended > endTo + TOLERANCE_MS) {
      throw new Error(`The sale ${index} ended ${Math.round(ended - endFrom)} ms from when it did.`);
    }
    if (row?.moves !== row?.provisional) throw new Error(`The sale ${index} was moved ${row?.moves} times.`);
  }
  const dead = Object.keys(signedIn).filter((step) => signedIn[step] !== true);
  if (dead.length > 0) throw new Error(`The session ended: ${dead.join("; ")}.`);
  if (verified.exitCode !== 0) throw new Error(`flanco verify: ${verified.stdout}${verified.stderr}`);
}

function readRows(file: string): readonly Row[] {
  return query(
    file,
    `SELECT effective_ms AS effectiveMs, ended_ms AS endedMs, provisional,
            (SELECT count(*) FROM correction c WHERE c.record_id = r.record_id AND kind = 'time') AS moves
       FROM record r ORDER BY record_id`,
  );
}

describe("A gateway whose clock is wrong", () => {
  async function story(settles: boolean): Promise<Story> {
    const control = CONTROLS["records before the clock was set stay where they are"];
    const gateway = await FakedClock.make(settles ? [] : control);
    try {
      return await tellStory(gateway, settles);
    } finally {
      await gateway.close();
    }
  }

  it("loses no sale, moves each once to within a second of the truth, and keeps its session", async () => {
    requireTruth(await story(true));
  });

  it("is misplaced when nothing is moved (control)", async () => {
    const wrong = await story(false);
    assert.throws(() => requireTruth(wrong), /The sale 0 counts/);
  });
});
