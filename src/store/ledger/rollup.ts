import { hash } from "node:crypto";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { monthOf } from "../../domain/day.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { OnSteps } from "../../domain/work.ts";
import type { LocalCalendar } from "./calendar.ts";

/** One record of one user, as it is added up. */
export interface RollupEntry {
  readonly userId: Id;
  readonly locationName: string;
  readonly deviceId: string;
  readonly valorMicros: number;
  /** The time that it counts at, in Unix milliseconds. */
  readonly timeMs: number;
}

/** -1 subtracts an entry that was added before. */
export type Sign = 1 | -1;

export interface Sum {
  readonly userId: Id;
  readonly period: number;
  readonly locationName: string;
  readonly deviceId: string;
  count: number;
  /** A bigint, because a sum may leave the safe integers. */
  totalMicros: bigint;
}

export type RollupTable = "rollup_day" | "rollup_month";
export type Sums = Map<string, Sum>;

/** Sums held in memory before a rebuild writes them out; bounds memory, not the result. */
const MAX_SUMS_IN_MEMORY = 50_000;
/** Records between two reports of progress. */
const PROGRESS_EVERY = 20_000;

/**
 * The sums per day and month. With them a summary costs the same at any number of records. Additions gather in memory and
 * are written once per commit, in the transaction of the records that they count.
 */
export class RollupWriter {
  readonly #calendar: LocalCalendar;
  readonly #upserts: readonly [ReturnType<typeof prepareUpsert>, ReturnType<typeof prepareUpsert>];
  readonly #noted: { readonly entry: RollupEntry; readonly sign: Sign }[] = [];
  readonly #days: Sums = new Map();
  readonly #months: Sums = new Map();

  constructor(db: Database, calendar: LocalCalendar) {
    this.#calendar = calendar;
    this.#upserts = [prepareUpsert(db, "rollup_day"), prepareUpsert(db, "rollup_month")];
  }

  /** Takes an entry of the running command, which counts with `keep`. */
  note(entry: RollupEntry, sign: Sign = 1): void {
    this.#noted.push({ entry, sign });
  }

  /** The command has succeeded: its entries count. */
  keep(): void {
    for (const { entry, sign } of this.#noted) this.add(entry, sign);
    this.#noted.length = 0;
  }

  add(entry: RollupEntry, sign: Sign = 1): void {
    const day = this.#calendar.dayOf(entry.timeMs);
    addTo(this.#days, day, entry, sign);
    addTo(this.#months, monthOf(day), entry, sign);
  }

  get size(): number {
    return this.#days.size;
  }

  /**
   * Writes what was added. Call within the transaction of the records. Throws `conflict` when a sum would leave 64 bits;
   * the transaction must then be rolled back.
   */
  flush(): void {
    const [day, month] = this.#upserts;
    for (const sum of this.#days.values()) runUpsert(day, sum);
    for (const sum of this.#months.values()) runUpsert(month, sum);
    this.discard();
  }

  /** Forgets what was added: its transaction is rolled back. */
  discard(): void {
    this.#noted.length = 0;
    this.#days.clear();
    this.#months.clear();
  }
}

/**
 * Recomputes every rollup from the records, in the caller's transaction: after a change of time zone or of the zone's own
 * rules. Reads in the order of the ledger, in bounded memory.
 */
export function rebuildRollups(db: Database, calendar: LocalCalendar, onProgress: OnSteps): void {
  db.exec("DELETE FROM rollup_day; DELETE FROM rollup_month");
  const total = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  const rollups = new RollupWriter(db, calendar);
  const page = db.prepare<[number, number], RollupEntry & { recordId: number; counts: number }>(
    `SELECT record_id AS recordId, user_id AS userId, location_name AS locationName, device_id AS deviceId,
            valor_micros AS valorMicros, effective_ms AS timeMs, voided_by IS NULL AS counts
       FROM record WHERE record_id > ? ORDER BY record_id LIMIT ?`,
  );
  let done = 0;
  let last = 0;
  if (total > 0) onProgress(0, total);
  while (done < total) {
    const entries = page.all(last, PROGRESS_EVERY);
    for (const entry of entries) {
      if (entry.counts === 1) rollups.add(entry);
    }
    last = entries.at(-1)?.recordId ?? last;
    done += entries.length;
    if (rollups.size > MAX_SUMS_IN_MEMORY) rollups.flush();
    onProgress(done, total);
    if (entries.length === 0) break;
  }
  rollups.flush();
}

function prepareUpsert(db: Database, table: RollupTable) {
  const period = table === "rollup_day" ? "day" : "month";
  return db.prepare<[Id, number, string, string, number, bigint]>(
    `INSERT INTO ${table} (user_id, ${period}, location_name, device_id, count, total_micros) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count, total_micros = total_micros + excluded.total_micros`,
  );
}

function runUpsert(statement: ReturnType<typeof prepareUpsert>, sum: Sum): void {
  try {
    statement.run(sum.userId, sum.period, sum.locationName, sum.deviceId, sum.count, sum.totalMicros);
  } catch (error) {
    // The sum's CHECK; or its type, since SQLite has made a float of a sum beyond 64 bits.
    if (error instanceof DatabaseConstructor.SqliteError && error.code.startsWith("SQLITE_CONSTRAINT")) {
      throw sumTooLarge(error);
    }
    throw error;
  }
}

/** The refusal of a sum that does not fit in 64 bits. */
export function sumTooLarge(cause: unknown): FlancoError {
  return new FlancoError("conflict", "The sum of these records is larger than the ledger can hold exactly.", {
    hint: "A sum may be 9,000,000,000,000 at most: void records whose valor is wrong.",
    cause,
  });
}

/** Adds a sum to the sum of this period, location and device. */
export function addSumTo(sums: Sums, period: number, added: Omit<Sum, "period">): void {
  const sum = sumFor(sums, period, added);
  sum.count += added.count;
  sum.totalMicros += added.totalMicros;
}

/** Adds an entry to the sum of its period, location and device. */
export function addTo(sums: Sums, period: number, entry: RollupEntry, sign: Sign): void {
  const sum = sumFor(sums, period, entry);
  sum.count += sign;
  sum.totalMicros += BigInt(sign * entry.valorMicros);
}

function sumFor(
  sums: Sums,
  period: number,
  { userId, locationName, deviceId }: Pick<Sum, "userId" | "locationName" | "deviceId">,
): Sum {
  const key = keyOf({ userId, period, locationName, deviceId });
  let sum = sums.get(key);
  if (sum === undefined) {
    sum = { userId, period, locationName, deviceId, count: 0, totalMicros: 0n };
    sums.set(key, sum);
  }
  return sum;
}

/** Tells sums apart. */
export function keyOf(sum: Pick<Sum, "userId" | "period" | "locationName" | "deviceId">): string {
  // No text of the ledger holds a NUL.
  return `${sum.userId}\0${sum.period}\0${sum.locationName}\0${sum.deviceId}`;
}

/** What the rollups' days were made by. */
interface RollupDays {
  readonly timeZone: string;
  /** The version of the time-zone tables (`2026a`), which says nothing of one zone. */
  readonly tables: string;
  /** Stands for the zone's own changes of offset. */
  readonly rules: string;
}

/**
 * Computes the rollups again when their local days have changed: by another zone, or by other rules for this one. New time-zone tables that leave the zone as it was change nothing but their version.
 */
export function bringRollupsToZone(db: Database, calendar: LocalCalendar, onProgress: OnSteps): void {
  const { timeZone } = calendar;
  const tables = process.versions["tz"] ?? "";
  const stored = readDays(db);
  if (stored?.timeZone === timeZone && stored.tables === tables) return;
  const rules = rulesOf(calendar);
  const isSame = stored?.timeZone === timeZone && stored.rules === rules;
  db.transaction(() => {
    if (!isSame) rebuildRollups(db, calendar, onProgress);
    db.prepare(
      `INSERT INTO setting (name, value) VALUES ('rollup_zone', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    ).run([timeZone, tables, rules].join(" "));
  }).immediate();
}

/** The zone whose days the rollups are of, which may not be the one that is configured. */
export function rollupZone(db: Database): string {
  return readDays(db)?.timeZone ?? "UTC";
}

function readDays(db: Database): RollupDays | undefined {
  const stored = db.prepare<[], string>("SELECT value FROM setting WHERE name = 'rollup_zone'").pluck().get();
  const [timeZone = "", tables = "", rules = ""] = stored?.split(" ") ?? [];
  return stored === undefined ? undefined : { timeZone, tables, rules };
}

function rulesOf(calendar: LocalCalendar): string {
  return hash("sha256", JSON.stringify(calendar.offsetChanges()), "hex");
}
