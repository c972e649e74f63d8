import type { Database } from "better-sqlite3";
import { type Boot, type BootMoment, leastAgeMs, wallTimeMs } from "../../domain/boot.ts";
import { MINUTE_MS } from "../../domain/clock.ts";
import type { LedgerReader } from "../../domain/ledger.ts";
import { readHeldCommits } from "../engine/chain.ts";

/** A moment of a boot that the ledger has under this number. */
export interface StoredMoment extends BootMoment {
  readonly boot: number;
  /** Wall time; null where that boot's clock was never trusted. */
  readonly timeMs: number | null;
}

/** When a row was begun: monotonic milliseconds of a boot, or wall time where no boot is known. */
export interface BeginMoment {
  readonly bootId: string | null;
  readonly begunMs: number;
}

/** The newest boots by which ages are computed: no session, key or test lives for longer. */
const MAX_BOOTS = 1_000;
/** The newest boots, in order. */
const BOOTS = `SELECT boot_id AS bootId, zero_ms AS zeroMs, last_ms AS lastMs
  FROM (SELECT * FROM boot ORDER BY boot DESC LIMIT ${MAX_BOOTS}) ORDER BY boot`;

/** Whether a record's time differs by a minute or more from the one by its boot's zero, which `zeroMs` names. */
export function misplacedBy(zeroMs: string): string {
  return `abs(effective_ms - (${zeroMs} + monotonic_ns / 1e6)) >= ${MINUTE_MS}`;
}

/** The boot's later setting, where `note` gives none: a clock that was set back may leave sales by the other time. */
const SET_BACK = `CASE WHEN boot.set_zero_ms = boot.zero_ms THEN boot.zero_ms
  WHEN boot.set_zero_ms IS NOT NULL
   AND EXISTS (SELECT 1 FROM record r WHERE r.boot = boot.boot AND ${misplacedBy("boot.zero_ms")}) THEN boot.zero_ms END`;

export function bootReader(db: Database) {
  const boots = db.prepare<[], Boot>(BOOTS);
  const last = db.prepare<[], BootMoment>(
    "SELECT boot_id AS bootId, last_ms AS monotonicMs FROM boot ORDER BY boot DESC LIMIT 1",
  );
  return {
    boots: () => boots.all(),
    lastAlive: () => last.get(),
    commits: () => readHeldCommits(db),
  } satisfies Partial<LedgerReader>;
}

/**
 * The boots in the writer thread: which one runs, and what is known of
 * each. `monotonicMs` gives the monotonic time of the batch that runs.
 */
export function bootLog(db: Database, monotonicMs: () => number) {
  const stored = db.prepare<[string], { boot: number; zeroMs: number | null }>(
    "SELECT boot, zero_ms AS zeroMs FROM boot WHERE boot_id = ?",
  );
  const { boots } = bootReader(db);
  const save = db.prepare<[string, number | null, number, number | null]>(
    `INSERT INTO boot (boot_id, zero_ms, last_ms, set_zero_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (boot_id) DO UPDATE SET zero_ms = coalesce(excluded.zero_ms, zero_ms),
       last_ms = max(last_ms, excluded.last_ms), set_zero_ms = coalesce(excluded.set_zero_ms, ${SET_BACK})`,
  );
  let running: string | undefined;

  /** This moment; undefined before `note`, as in a command that runs without the service. */
  function now(): StoredMoment | undefined {
    if (running === undefined) return undefined;
    const boot = stored.get(running)?.boot;
    // The row is missing where `note` was rolled back.
    if (boot === undefined) return undefined;
    const atMs = monotonicMs();
    return { bootId: running, boot, monotonicMs: atMs, timeMs: timeOf(running, atMs) };
  }

  function timeOf(bootId: string, atMs: number): number | null {
    const zeroMs = stored.get(bootId)?.zeroMs ?? null;
    return zeroMs === null ? null : wallTimeMs(zeroMs, atMs);
  }

  return {
    now,
    /** The running boot's id; undefined before `note`. */
    running: () => running,
    /** Stores the running boot as `LedgerCommands.noteBoot` says. */
    note(
      bootId: string,
      zeroMs: number | null,
      aliveMs = monotonicMs(),
      setZeroMs: number | null = null,
    ): void {
      save.run(bootId, zeroMs, aliveMs, setZeroMs);
      running = bootId;
    },
    /** Sets the running boot as it was when a commit of the tail was made. */
    resume(bootId: string | undefined): void {
      running = bootId;
    },
    /** This moment as a row stores it; wall time before the running boot was noted. */
    stamp(nowMs: number): { readonly boot: number | null; readonly begunMs: number } {
      const moment = now();
      return { boot: moment?.boot ?? null, begunMs: moment?.monotonicMs ?? nowMs };
    },
    all: boots,
    /** The wall time of a boot's moment; null where that boot's clock was never trusted. */
    timeOf,
  };
}

export type Boots = ReturnType<typeof bootLog>;

/**
 * Gives the age of rows at this moment. A row without a boot has wall time alone: without a trusted clock its age
 * is 0. If the clock was ahead when the row was made, that time lies in the future, and the age is the time until then.
 */
export function ageInLedger(boots: Boots): (begun: BeginMoment) => number {
  const now = boots.now();
  const nowMs = now?.timeMs ?? null;
  const all = boots.all();
  return ({ bootId, begunMs }) => {
    if (bootId === null || now === undefined) return Math.abs((nowMs ?? begunMs) - begunMs);
    return leastAgeMs({ bootId, monotonicMs: begunMs }, now, all);
  };
}
