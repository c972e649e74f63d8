import type { Database } from "better-sqlite3";
import { type Boot, type BootMoment, wallTimeMs } from "../../domain/boot.ts";

/** A moment as a row keeps it: the boot's number in the ledger, and its monotonic milliseconds. */
export interface StoredMoment {
  readonly boot: number;
  readonly begunMs: number;
}

/** Nothing that ages by them is older than so many boots. */
const MAX_BOOTS = 1_000;
/** The newest boots, in order. */
const BOOTS = `SELECT boot_id AS bootId, zero_ms AS zeroMs, last_ms AS lastMs
  FROM (SELECT * FROM boot ORDER BY boot DESC LIMIT ${MAX_BOOTS}) ORDER BY boot`;

export function bootReader(db: Database) {
  const boots = db.prepare<[], Boot>(BOOTS);
  const last = db.prepare<[], BootMoment>(
    "SELECT boot_id AS bootId, last_ms AS monotonicMs FROM boot ORDER BY boot DESC LIMIT 1",
  );
  return {
    boots: (): readonly Boot[] => boots.all(),
    lastAlive: (): BootMoment | undefined => last.get(),
  };
}

/** The boots in the writer thread: which one runs, and what is known of each. */
export class Boots {
  readonly #monotonicMs: () => number;
  readonly #number: { get(bootId: string): number | undefined };
  readonly #zero: { get(bootId: string): number | null | undefined };
  readonly #all: { all(): Boot[] };
  readonly #save: {
    run(bootId: string, zeroMs: number | null, lastMs: number, setZeroMs: number | null): unknown;
  };
  #bootId: string | undefined;

  /** `monotonicMs` gives the monotonic time of the batch that runs. */
  constructor(db: Database, monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    this.#number = db.prepare<[string], number>("SELECT boot FROM boot WHERE boot_id = ?").pluck();
    this.#zero = db.prepare<[string], number | null>("SELECT zero_ms FROM boot WHERE boot_id = ?").pluck();
    this.#all = db.prepare<[], Boot>(BOOTS);
    this.#save = db.prepare<[string, number | null, number, number | null]>(
      `INSERT INTO boot (boot_id, zero_ms, last_ms, set_zero_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (boot_id) DO UPDATE SET zero_ms = coalesce(excluded.zero_ms, zero_ms),
         last_ms = max(last_ms, excluded.last_ms), set_zero_ms = excluded.set_zero_ms`,
    );
  }

  /** Keeps how far the running boot has come, its zero once that is known, and another one by a later setting of its clock. */
  note(
    bootId: string,
    zeroMs: number | null,
    aliveMs = this.#monotonicMs(),
    setZeroMs: number | null = null,
  ): void {
    this.#save.run(bootId, zeroMs, aliveMs, setZeroMs);
    this.#bootId = bootId;
  }

  /** As `note` did in another process, whose commit is made again. */
  resume(bootId: string | undefined): void {
    this.#bootId = bootId;
  }

  /** This moment; undefined before `note`, for example in a command that runs without the service. */
  now(): BootMoment | undefined {
    return this.#bootId === undefined
      ? undefined
      : { bootId: this.#bootId, monotonicMs: this.#monotonicMs() };
  }

  /** This moment, for a row. */
  nowStored(): StoredMoment | undefined {
    // A note that was rolled back has left no row.
    const boot = this.#bootId === undefined ? undefined : this.#number.get(this.#bootId);
    return boot === undefined ? undefined : { boot, begunMs: this.#monotonicMs() };
  }

  /** The same, or wall time where no boot runs that the ledger knows. */
  stamp(nowMs: number): { readonly boot: number | null; readonly begunMs: number } {
    return this.nowStored() ?? { boot: null, begunMs: nowMs };
  }

  all(): readonly Boot[] {
    return this.#all.all();
  }

  /** Where a moment of a boot lies in wall time; null when that boot's clock was never trusted. */
  timeOf(bootId: string, monotonicMs: number): number | null {
    const zeroMs = this.#zero.get(bootId) ?? null;
    return zeroMs === null ? null : wallTimeMs(zeroMs, monotonicMs);
  }
}
