import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import { type Day, monthOf } from "../domain/day.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import { type Archives, daysOf, readArchives } from "./archive-statement.ts";
import type { LocalCalendar } from "./calendar.ts";

/** What is added up: one sale of one user, at one place, on one day. */
export interface RollupEntry {
  readonly userId: Id;
  readonly locationName: string;
  readonly deviceId: string;
  readonly micros: number;
  /** The moment that it counts at. */
  readonly timeMs: number;
}

/** -1 takes an entry back that was counted before. */
export type Sign = 1 | -1;

export interface Sum {
  readonly userId: Id;
  readonly period: number;
  readonly locationName: string;
  readonly deviceId: string;
  count: number;
  /** Whole units and the millionths left over, of like sign: neither leaves the safe integers here. */
  units: number;
  micros: number;
}

export type RollupTable = "rollup_day" | "rollup_month";
export type Sums = Map<string, Sum>;

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
  readonly #noted: { readonly entry: RollupEntry; readonly sign: Sign }[] = [];
  readonly #days: Sums = new Map();
  readonly #months: Sums = new Map();

  constructor(db: Database, calendar: LocalCalendar) {
    this.#calendar = calendar;
    this.#upserts = [prepareUpsert(db, "rollup_day"), prepareUpsert(db, "rollup_month")];
  }

  /** Notes one entry of the command that runs; `keep` or `forget` decides on it. */
  note(entry: RollupEntry, sign: Sign = 1): void {
    this.#noted.push({ entry, sign });
  }

  /** The command has succeeded: what it noted counts. */
  keep(): void {
    for (const { entry, sign } of this.#noted) this.add(entry, sign);
    this.#noted.length = 0;
  }

  /** The command has failed: what it noted never was. */
  forget(): void {
    this.#noted.length = 0;
  }

  add(entry: RollupEntry, sign: Sign = 1): void {
    const day = this.#calendar.dayOf(entry.timeMs);
    addTo(this.#days, day, entry, sign);
    addTo(this.#months, monthOf(day), entry, sign);
  }

  /** Adds what was archived of one day. */
  addArchived(day: Day, sum: ArchivedSum): void {
    addSumTo(this.#days, day, sum);
    addSumTo(this.#months, monthOf(day), sum);
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
 * or of the zone's own rules. Reads in the order of the ledger, in bounded memory. What is archived stays on the
 * days that it was archived with.
 */
export function rebuildRollups(
  db: Database,
  calendar: LocalCalendar,
  onProgress: (done: number, total: number) => void,
): void {
  db.exec("DELETE FROM rollup_day; DELETE FROM rollup_month");
  const archives = requireArchives(db);
  const total = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  const rollups = new RollupWriter(db, calendar);
  const page = db.prepare<[number, number], RollupEntry & { recordId: number; counts: number }>(
    `SELECT record_id AS recordId, user_id AS userId, location_name AS locationName,
            device_id AS deviceId, micros, effective_ms AS timeMs, voided_by IS NULL AS counts
       FROM record WHERE record_id > ? ORDER BY record_id LIMIT ?`,
  );
  let done = 0;
  let last = 0;
  if (total > 0) onProgress(0, total);
  while (done < total) {
    const entries = page.all(last, PROGRESS_EVERY);
    for (const entry of entries) {
      if (entry.counts === 1 && archives.runOf(entry.recordId) === undefined) rollups.add(entry);
    }
    last = entries.at(-1)?.recordId ?? last;
    done += entries.length;
    if (rollups.size > MAX_SUMS_IN_MEMORY) rollups.flush();
    onProgress(done, total);
    if (entries.length === 0) break;
  }
  for (const { statement } of archives.list) {
    for (const { day, sum } of daysOf(statement)) rollups.addArchived(day, sum);
    rollups.flush();
  }
  rollups.flush();
}

/** Without one of them the sums would be too small, in silence. Throws `damaged`. */
function requireArchives(db: Database): Archives {
  const archives = readArchives(db);
  if (archives.unread.length === 0) return archives;
  throw new FlancoError("damaged", `The ledger's entry ${archives.unread[0]} on an archive cannot be read.`, {
    hint: "Run flanco verify, and restore a backup.",
  });
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

/** What archived records come to on one day: of one user, at one place, with one device. */
export type ArchivedSum = Pick<Sum, "userId" | "locationName" | "deviceId" | "count" | "units" | "micros">;

/** Adds what was archived to the sum of its period, place and device. */
export function addSumTo(sums: Sums, period: number, added: ArchivedSum): void {
  const { userId, locationName, deviceId, count, units } = added;
  const key = keyOf({ userId, period, locationName, deviceId });
  const sum = sums.get(key) ?? { userId, period, locationName, deviceId, count: 0, units: 0, micros: 0 };
  sums.set(key, sum);
  const micros = sum.micros + added.micros;
  sum.count += count;
  sum.units += units + Math.trunc(micros / MICROS_PER_UNIT);
  sum.micros = micros % MICROS_PER_UNIT;
}

/** Adds an entry to the sum of its period, place and device. */
export function addTo(sums: Sums, period: number, entry: RollupEntry, sign: Sign): void {
  const { userId, locationName, deviceId } = entry;
  const key = keyOf({ userId, period, locationName, deviceId });
  let sum = sums.get(key);
  if (sum === undefined) {
    sum = { userId, period, locationName, deviceId, count: 0, units: 0, micros: 0 };
    sums.set(key, sum);
  }
  const amount = sign * entry.micros;
  const micros = sum.micros + (amount % MICROS_PER_UNIT);
  sum.count += sign;
  sum.units += Math.trunc(amount / MICROS_PER_UNIT) + Math.trunc(micros / MICROS_PER_UNIT);
  sum.micros = micros % MICROS_PER_UNIT;
}

/** What tells one sum from another. */
export function keyOf(sum: Pick<Sum, "userId" | "period" | "locationName" | "deviceId">): string {
  // No text of the ledger holds a NUL.
  return `${sum.userId}\0${sum.period}\0${sum.locationName}\0${sum.deviceId}`;
}
