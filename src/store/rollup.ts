import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import type { Id } from "../domain/id.ts";
import { type Day, type LocalCalendar, monthOf } from "./calendar.ts";

/** What is added up: one sale of one user, at one place, on one day. */
export interface RollupEntry {
  readonly userId: Id;
  readonly locationName: string;
  readonly deviceId: string;
  readonly micros: number;
  readonly createdTimeMs: number;
}

interface Sum {
  readonly userId: Id;
  readonly period: number;
  readonly locationName: string;
  readonly deviceId: string;
  count: number;
  /** Whole units and the millionths left over, of like sign: neither leaves the safe integers here. */
  units: number;
  micros: number;
}

type RollupTable = "rollup_day" | "rollup_month";
type Sums = Map<string, Sum>;

/** Keys held in memory before a rebuild writes them out; bounds memory, not the result. */
const MAX_SUMS_IN_MEMORY = 50_000;
/** Records between two reports of progress. */
const PROGRESS_EVERY = 20_000;

/**
 * The sums per day and month that make a summary cost the same at any number of records. Additions
 * gather in memory and are written once per commit, in the transaction of the records they count.
 */
export class RollupWriter {
  readonly #calendar: LocalCalendar;
  readonly #upserts: readonly [ReturnType<typeof prepareUpsert>, ReturnType<typeof prepareUpsert>];
  readonly #noted: RollupEntry[] = [];
  readonly #days: Sums = new Map();
  readonly #months: Sums = new Map();

  constructor(db: Database, calendar: LocalCalendar) {
    this.#calendar = calendar;
    this.#upserts = [prepareUpsert(db, "rollup_day"), prepareUpsert(db, "rollup_month")];
  }

  /** Notes one entry of the command that runs; `keep` or `forget` decides on it. */
  note(entry: RollupEntry): void {
    this.#noted.push(entry);
  }

  /** The command has succeeded: what it noted counts. */
  keep(): void {
    for (const entry of this.#noted) this.add(entry);
    this.#noted.length = 0;
  }

  /** The command has failed: what it noted never was. */
  forget(): void {
    this.#noted.length = 0;
  }

  add(entry: RollupEntry): void {
    const day = this.#calendar.dayOf(entry.createdTimeMs);
    addTo(this.#days, day, entry);
    addTo(this.#months, monthOf(day), entry);
  }

  get size(): number {
    return this.#days.size;
  }

  /** Writes what was added. Call within the transaction of the records. */
  flush(): void {
    const [day, month] = this.#upserts;
    for (const sum of this.#days.values()) runUpsert(day, sum);
    for (const sum of this.#months.values()) runUpsert(month, sum);
    this.discard();
  }

  /** Forgets what was added: its transaction is rolled back. */
  discard(): void {
    this.#days.clear();
    this.#months.clear();
  }
}

/**
 * Makes every rollup anew from the records, in the caller's transaction: after a change of time zone
 * or of the zone's own rules. Reads in the order of the ledger, in bounded memory.
 */
export function rebuildRollups(
  db: Database,
  calendar: LocalCalendar,
  onProgress: (done: number, total: number) => void,
): void {
  db.exec("DELETE FROM rollup_day; DELETE FROM rollup_month");
  const total = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  const rollups = new RollupWriter(db, calendar);
  const page = db.prepare<[number, number], RollupEntry & { recordId: number }>(
    `SELECT record_id AS recordId, user_id AS userId, location_name AS locationName,
            device_id AS deviceId, micros, created_ms AS createdTimeMs
       FROM record WHERE record_id > ? ORDER BY record_id LIMIT ?`,
  );
  let done = 0;
  let last = 0;
  if (total > 0) onProgress(0, total);
  while (done < total) {
    const entries = page.all(last, PROGRESS_EVERY);
    for (const entry of entries) rollups.add(entry);
    last = entries.at(-1)?.recordId ?? last;
    done += entries.length;
    if (rollups.size > MAX_SUMS_IN_MEMORY) rollups.flush();
    onProgress(done, total);
    if (entries.length === 0) break;
  }
  rollups.flush();
}

/** One rollup row that differs from what the records say. */
export interface RollupDifference {
  readonly table: RollupTable;
  readonly period: Day;
  readonly userId: Id;
  readonly locationName: string;
  readonly deviceId: string;
  readonly stored: string;
  readonly computed: string;
}

/**
 * Adds the records up again and compares with every stored rollup, in one read transaction. `limit`
 * bounds how many differences are told; an empty answer means that all agree.
 */
export function compareRollups(
  db: Database,
  calendar: LocalCalendar,
  limit: number,
  onProgress: (done: number, total: number) => void,
): { readonly records: number; readonly differences: readonly RollupDifference[] } {
  const computed: Record<RollupTable, Sums> = { rollup_day: new Map(), rollup_month: new Map() };
  let records = 0;
  const total = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  const rows = db.prepare<[], RollupEntry>(
    `SELECT user_id AS userId, location_name AS locationName, device_id AS deviceId, micros,
            created_ms AS createdTimeMs FROM record`,
  );
  for (const entry of rows.iterate()) {
    const day = calendar.dayOf(entry.createdTimeMs);
    addTo(computed.rollup_day, day, entry);
    addTo(computed.rollup_month, monthOf(day), entry);
    records += 1;
    if (records % PROGRESS_EVERY === 0) onProgress(records, total);
  }
  const differences: RollupDifference[] = [];
  for (const table of ["rollup_day", "rollup_month"] as const) {
    const sums = computed[table];
    for (const stored of readSums(db, table)) {
      const key = keyOf(stored);
      const sum = sums.get(key);
      sums.delete(key);
      if (sum === undefined || textOf(sum) !== textOf(stored)) {
        if (differences.length < limit)
          differences.push(difference(table, stored, textOf(stored), textOf(sum)));
      }
    }
    for (const sum of sums.values()) {
      if (differences.length < limit)
        differences.push(difference(table, sum, textOf(undefined), textOf(sum)));
    }
  }
  return { records, differences };
}

function prepareUpsert(db: Database, table: RollupTable) {
  const period = table === "rollup_day" ? "day" : "month";
  // The millionths left over are carried into units here, so that no column can overflow.
  return db.prepare<[Id, number, string, string, number, number, number]>(
    `INSERT INTO ${table} (user_id, ${period}, location_name, device_id, count, units, micros)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count,
       units = units + excluded.units + (micros + excluded.micros) / ${MICROS_PER_UNIT},
       micros = (micros + excluded.micros) % ${MICROS_PER_UNIT}`,
  );
}

function runUpsert(statement: ReturnType<typeof prepareUpsert>, sum: Sum): void {
  statement.run(sum.userId, sum.period, sum.locationName, sum.deviceId, sum.count, sum.units, sum.micros);
}

function addTo(sums: Sums, period: number, entry: RollupEntry): void {
  const { userId, locationName, deviceId } = entry;
  const key = keyOf({ userId, period, locationName, deviceId });
  let sum = sums.get(key);
  if (sum === undefined) {
    sum = { userId, period, locationName, deviceId, count: 0, units: 0, micros: 0 };
    sums.set(key, sum);
  }
  const micros = sum.micros + (entry.micros % MICROS_PER_UNIT);
  sum.count += 1;
  sum.units += Math.trunc(entry.micros / MICROS_PER_UNIT) + Math.trunc(micros / MICROS_PER_UNIT);
  sum.micros = micros % MICROS_PER_UNIT;
}

function keyOf(sum: Pick<Sum, "userId" | "period" | "locationName" | "deviceId">): string {
  return JSON.stringify([sum.userId, sum.period, sum.locationName, sum.deviceId]);
}

/** Count and exact sum: the same money can stand as 1 unit less 1 millionth or as 999,999 millionths. */
function textOf(sum: Pick<Sum, "count" | "units" | "micros"> | undefined): string {
  if (sum === undefined) return "no row";
  const micros = BigInt(sum.units) * BigInt(MICROS_PER_UNIT) + BigInt(sum.micros);
  return `${sum.count} records, ${micros} millionths`;
}

function difference(
  table: RollupTable,
  sum: Pick<Sum, "userId" | "period" | "locationName" | "deviceId">,
  stored: string,
  computed: string,
): RollupDifference {
  const { userId, period, locationName, deviceId } = sum;
  return { table, period, userId, locationName, deviceId, stored, computed };
}

function* readSums(db: Database, table: RollupTable): Generator<Sum> {
  const period = table === "rollup_day" ? "day" : "month";
  const statement = db
    .prepare<[], Record<keyof Sum, string | bigint>>(
      `SELECT user_id AS userId, ${period} AS period, location_name AS locationName, device_id AS deviceId,
              count, units, micros FROM ${table}`,
    )
    .safeIntegers();
  for (const row of statement.iterate()) {
    yield {
      userId: String(row.userId),
      period: Number(row.period),
      locationName: String(row.locationName),
      deviceId: String(row.deviceId),
      count: Number(row.count),
      units: Number(row.units),
      micros: Number(row.micros),
    };
  }
}
