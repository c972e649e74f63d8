import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import { addDays, type Day, firstDayOf, lastDayOf, type Month, monthOf } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import type { PlaceFilter } from "../domain/overview.ts";
import type { LocalCalendar } from "./calendar.ts";

/** Longer than any local day (24 h and the largest change of offset). */
const LONGEST_DAY_MS = 50 * 3_600_000;

/** One sum of a day or a month, or one record that is taken off again. */
export interface RollupRow {
  readonly period: bigint;
  readonly locationName: string;
  readonly deviceId: string;
  readonly count: bigint;
  readonly units: bigint;
  readonly micros: bigint;
}

interface LaterRow {
  readonly locationName: string;
  readonly deviceId: string;
  readonly micros: number;
  readonly timeMs: number;
}

interface AskedCount extends PlaceFilter {
  readonly userId: Id;
  readonly from: number;
  readonly to: number;
}

/** Sums of periods as they are stored. Call within one transaction what must see one commit. */
export class RollupReader {
  readonly #calendar: LocalCalendar;
  readonly #byDay: { all(userId: Id, from: Day, to: Day): RollupRow[] };
  readonly #byMonth: { all(userId: Id, from: Month, to: Month): RollupRow[] };
  readonly #daySums: { all(userId: Id, from: Day, to: Day): RollupRow[] };
  readonly #monthSums: { all(userId: Id, from: Month, to: Month): RollupRow[] };
  readonly #countDays: { get(asked: AskedCount): number | undefined };
  readonly #countMonths: { get(asked: AskedCount): number | undefined };
  readonly #later: { all(userId: Id, afterMs: number, beforeMs: number): LaterRow[] };

  constructor(db: Database, calendar: LocalCalendar) {
    this.#calendar = calendar;
    this.#byDay = db.prepare<[Id, Day, Day], RollupRow>(rollupSql("rollup_day", "day")).safeIntegers();
    this.#byMonth = db
      .prepare<[Id, Month, Month], RollupRow>(rollupSql("rollup_month", "month"))
      .safeIntegers();
    this.#daySums = db.prepare<[Id, Day, Day], RollupRow>(sumsSql("rollup_day", "day")).safeIntegers();
    this.#monthSums = db
      .prepare<[Id, Month, Month], RollupRow>(sumsSql("rollup_month", "month"))
      .safeIntegers();
    this.#countDays = db.prepare<[AskedCount], number>(countSql("rollup_day", "day")).pluck();
    this.#countMonths = db.prepare<[AskedCount], number>(countSql("rollup_month", "month")).pluck();
    this.#later = db.prepare<[Id, number, number], LaterRow>(
      `SELECT location_name AS locationName, device_id AS deviceId, micros, effective_ms AS timeMs
         FROM record WHERE user_id = ? AND effective_ms > ? AND effective_ms < ? AND voided_by IS NULL`,
    );
  }

  days(userId: Id, from: Day, to: Day): RollupRow[] {
    return this.#byDay.all(userId, from, to);
  }

  months(userId: Id, from: Month, to: Month): RollupRow[] {
    return this.#byMonth.all(userId, from, to);
  }

  /**
   * Days up to now. A client's clock may run ahead: what was posted for later today is taken off again. Rows of
   * today after now are few by nature, and found by index.
   */
  daysUntilNow(userId: Id, from: Day, nowMs: number): RollupRow[] {
    const today = this.#calendar.dayOf(nowMs);
    const taken = this.#later
      .all(userId, nowMs, nowMs + LONGEST_DAY_MS)
      .filter((row) => this.#calendar.dayOf(row.timeMs) === today)
      .map(({ locationName, deviceId, micros }) => ({
        period: BigInt(today),
        locationName,
        deviceId,
        count: -1n,
        units: 0n,
        micros: BigInt(-micros),
      }));
    return [...this.days(userId, from, today), ...taken];
  }

  /**
   * Any days added up per place, by the months that lie whole among them and the days that are left at either end:
   * at most three rows for each.
   */
  between(userId: Id, from: Day, to: Day): RollupRow[] {
    const { months, days } = splitDays(from, to);
    return [
      ...this.#monthSums.all(userId, months.from, months.to),
      ...days.flatMap((part) => this.#daySums.all(userId, part.from, part.to)),
    ];
  }

  /** How many records of any days count, of one place or all. */
  count(userId: Id, from: Day, to: Day, place: PlaceFilter): number {
    const { months, days } = splitDays(from, to);
    const inDays = days.map((part) => this.#countDays.get({ userId, ...part, ...place }) ?? 0);
    return inDays.reduce(
      (sum, count) => sum + count,
      this.#countMonths.get({ userId, ...months, ...place }) ?? 0,
    );
  }
}

/** Rollup rows added up. */
export class RollupTotals {
  readonly #micros = new Map<number, bigint>();
  readonly #counts = new Map<number, bigint>();
  readonly #byLocation = new Map<string, bigint>();
  readonly #byDevice = new Map<string, bigint>();
  #sum = 0n;
  #count = 0n;

  constructor(rows: readonly RollupRow[]) {
    for (const row of rows) {
      const micros = microsOf(row);
      const period = Number(row.period);
      this.#sum += micros;
      this.#count += row.count;
      raise(this.#micros, period, micros);
      raise(this.#counts, period, row.count);
      raise(this.#byLocation, row.locationName, row.count);
      raise(this.#byDevice, row.deviceId, row.count);
    }
  }

  get totalMicros(): bigint {
    return this.#sum;
  }

  get count(): number {
    return Number(this.#count);
  }

  /** Distinct location names. */
  get locations(): number {
    return present(this.#byLocation);
  }

  /** Distinct device ids. */
  get devices(): number {
    return present(this.#byDevice);
  }

  /** What one day or month has of it. */
  of(period: Day | Month): { readonly totalMicros: bigint; readonly count: number } {
    return {
      totalMicros: this.#micros.get(period) ?? 0n,
      count: Number(this.#counts.get(period) ?? 0n),
    };
  }
}

function rollupSql(table: string, period: string): string {
  return `SELECT ${period} AS period, location_name AS locationName, device_id AS deviceId, count, units, micros
            FROM ${table} WHERE user_id = ? AND ${period} BETWEEN ? AND ?`;
}

/** Sums of units leave 64 bits only with billions of the largest records; of millionths they stay small. */
function sumsSql(table: string, period: string): string {
  return `SELECT max(${period}) AS period, location_name AS locationName, device_id AS deviceId,
                 sum(count) AS count, sum(units) AS units, sum(micros) AS micros
            FROM ${table} WHERE user_id = ? AND ${period} BETWEEN ? AND ? GROUP BY location_name, device_id`;
}

function countSql(table: string, period: string): string {
  return `SELECT coalesce(sum(count), 0) FROM ${table} WHERE user_id = @userId AND ${period} BETWEEN @from AND @to
             AND (@location IS NULL OR location_name = @location) AND (@deviceId IS NULL OR device_id = @deviceId)`;
}

/** Days as whole months and the days that are left; a part whose end is before its beginning is empty. */
function splitDays(from: Day, to: Day) {
  const nextMonth = monthOf(addDays(lastDayOf(monthOf(from)), 1));
  const lastMonth = monthOf(addDays(firstDayOf(monthOf(to)), -1));
  const months = {
    from: from === firstDayOf(monthOf(from)) ? monthOf(from) : nextMonth,
    to: to === lastDayOf(monthOf(to)) ? monthOf(to) : lastMonth,
  };
  if (months.from > months.to) return { months, days: [{ from, to }] };
  const before = { from, to: addDays(firstDayOf(months.from), -1) };
  const after = { from: addDays(lastDayOf(months.to), 1), to };
  return { months, days: [before, after] };
}

function microsOf(row: RollupRow): bigint {
  return row.units * BigInt(MICROS_PER_UNIT) + row.micros;
}

function raise<K>(sums: Map<K, bigint>, key: K, by: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + by);
}

/** A sum of which everything was taken back is none. */
function present(counts: ReadonlyMap<string, bigint>): number {
  let found = 0;
  for (const count of counts.values()) if (count > 0n) found += 1;
  return found;
}
