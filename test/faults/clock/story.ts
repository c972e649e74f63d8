import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { z } from "zod";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { until } from "../../guest/inside/deadline.ts";

/** What a wrong clock is tried on: the real program, its one wired relay, and a clock that can be set. */
export interface ClockWorld {
  readonly ledgerFile: string;
  /** Sets the wall clock of the program alone, or of its whole machine. */
  setWall(ms: number): void;
  /** Sets the wall clock to what is true, and says so as a time daemon would. Gives the wall time of monotonic zero. */
  synchronize(): number;
  /** Starts the program; resolves once it is ready. */
  start(): Promise<void>;
  /** Ends the program. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Makes the first user, whose session is asked for from then on, and wires the relay. */
  prepare(): Promise<void>;
  isSignedIn(): Promise<boolean>;
  drive(high: boolean): Promise<void>;
  /** Runs `flanco verify` beside the program. */
  verify(): Promise<{ readonly exitCode: number | null; readonly output: string }>;
}

const rowSchema = z.object({
  effectiveMs: z.number(),
  endedMs: z.number(),
  provisional: z.number(),
  moves: z.number(),
});

export const storySchema = z.object({
  /** Each sale as the test made it, in milliseconds of monotonic time: between `from` and `to` the relay went high. */
  sales: z.array(z.object({ from: z.number(), to: z.number(), endFrom: z.number(), endTo: z.number() })),
  rows: z.array(rowSchema),
  /** Wall time of monotonic zero. */
  zeroMs: z.number(),
  /** Records whose time was still to be set, after each kill. */
  waiting: z.array(z.number()),
  /** Whether the first session stood, by what had just been done. */
  signedIn: z.record(z.string(), z.boolean()),
  verified: z.object({ exitCode: z.number().nullable(), output: z.string() }),
});
export type Story = z.infer<typeof storySchema>;

const YEAR_MS = 365 * DAY_MS;
/** 2 January: the kernel takes no time that is before its own start would be. */
const IN_1970_MS = DAY_MS;
const COMMIT_MS = 20_000;
const SETTLE_MS = 20_000;
const SALES = 3;
const KILLS = 2;
/** Longer than the program takes to see that it is trusted and to move all. */
const KILL_WITHIN_MS = 1_500;
/** 2038-01-19T03:14:08Z: the second after the last of 32 bits. */
const AFTER_32_BITS_MS = 2 ** 31 * 1000;

/**
 * A gateway that begins in 1970, jumps a year on, is killed, goes to 2038, and back by a year, selling all the
 * while; then the network sets its clock, and it is killed before, while or after it moves what it recorded.
 */
export async function tellStory(world: ClockWorld, settles: boolean): Promise<Story> {
  const sales: Story["sales"] = [];
  const signedIn: Record<string, boolean> = {};
  const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;
  const sell = async (): Promise<void> => {
    for (let count = 0; count < SALES; count += 1) {
      const from = monotonicMs();
      await world.drive(true);
      const to = monotonicMs();
      await rowsCome(world.ledgerFile, sales.length + 1, sales.length);
      const endFrom = monotonicMs();
      await world.drive(false);
      sales.push({ from, to, endFrom, endTo: monotonicMs() });
      await rowsCome(world.ledgerFile, sales.length, sales.length);
    }
  };

  world.setWall(IN_1970_MS);
  await world.start();
  await world.prepare();
  await sell();
  // Also keeps what Node has compiled, which a process that is killed does not: emulated, that is most of a start.
  await world.end("SIGTERM");
  await world.start();
  world.setWall(IN_1970_MS + YEAR_MS);
  signedIn["a year on"] = await world.isSignedIn();
  await sell();
  await world.end("SIGKILL");
  await world.start();
  signedIn["killed, a year on"] = await world.isSignedIn();
  world.setWall(AFTER_32_BITS_MS);
  await sell();
  world.setWall(AFTER_32_BITS_MS - YEAR_MS);
  signedIn["in 2038, a year back"] = await world.isSignedIn();
  await sell();

  const waiting: number[] = [];
  const zeroMs = world.synchronize();
  for (let kill = 0; kill < KILLS; kill += 1) {
    await pause(Math.random() * KILL_WITHIN_MS);
    await world.end("SIGKILL");
    waiting.push(countWaiting(world.ledgerFile));
    await world.start();
  }
  if (settles) {
    await until(() => {
      const count = countWaiting(world.ledgerFile);
      return count === 0 ? null : `${count} records have no time`;
    }, SETTLE_MS);
  } else {
    await pause(KILL_WITHIN_MS);
  }
  signedIn["set by the network"] = await world.isSignedIn();
  await sell();
  return {
    sales,
    rows: readRows(world.ledgerFile),
    zeroMs,
    waiting,
    signedIn,
    verified: await world.verify(),
  };
}

/** Throws, naming the first thing that is wrong, unless the story ended well. */
export function requireTruth({ sales, rows, zeroMs, signedIn, verified }: Story): void {
  const TOLERANCE_MS = 1_000;
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
  if (verified.exitCode !== 0) throw new Error(`flanco verify: ${verified.output}`);
}

function open<T>(file: string, read: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

async function rowsCome(file: string, records: number, ended: number): Promise<void> {
  await until(() => {
    const row = open(file, (db) =>
      db
        .prepare<[], { records: number; ended: number }>(
          "SELECT count(*) AS records, count(ended_ms) AS ended FROM record",
        )
        .get(),
    );
    if (row?.records === records && row.ended === ended) return null;
    return `${row?.records} records, ${row?.ended} ended, of ${records} and ${ended}`;
  }, COMMIT_MS);
}

function countWaiting(file: string): number {
  return readRows(file).filter((row) => row.provisional > row.moves).length;
}

function readRows(file: string): Story["rows"] {
  return open(file, (db) =>
    db
      .prepare<[], Story["rows"][number]>(
        `SELECT effective_ms AS effectiveMs, ended_ms AS endedMs, provisional,
                (SELECT count(*) FROM correction c WHERE c.record_id = r.record_id AND kind = 'time') AS moves
           FROM record r ORDER BY record_id`,
      )
      .all(),
  );
}
