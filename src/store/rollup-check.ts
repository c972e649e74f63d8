import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import { type Day, firstDayOf, lastDayOf, type Month, monthOf } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import type { LocalCalendar } from "./calendar.ts";
import {
  type ArchivedSum,
  addSumTo,
  addTo,
  keyOf,
  type RollupEntry,
  type RollupTable,
  type Sum,
  type Sums,
} from "./rollup.ts";

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

/** Adds the records up again, fed with each that counts, and compares with every stored rollup. */
export class RollupCheck {
  readonly #calendar: LocalCalendar;
  readonly #days: Sums = new Map();

  constructor(calendar: LocalCalendar) {
    this.#calendar = calendar;
  }

  add(entry: RollupEntry): void {
    addTo(this.#days, this.#calendar.dayOf(entry.timeMs), entry, 1);
  }

  /** What was archived of one day. */
  addArchived(day: Day, sum: ArchivedSum): void {
    addSumTo(this.#days, day, sum);
  }

  /**
   * After the last record. `limit` bounds how many differences are told; none means that all agree. With `month`
   * only the rollups of that month are looked at.
   */
  differences(db: Database, limit: number, month?: Month): readonly RollupDifference[] {
    const found: RollupDifference[] = [];
    for (const table of ["rollup_day", "rollup_month"] as const) {
      const sums = table === "rollup_day" ? new Map(this.#days) : monthsOf(this.#days);
      for (const stored of readSums(db, table, month)) {
        const key = keyOf(stored);
        const sum = sums.get(key);
        sums.delete(key);
        if (textOf(sum) !== textOf(stored) && found.length < limit) {
          found.push(difference(table, stored, textOf(stored), textOf(sum)));
        }
      }
      for (const sum of sums.values()) {
        if (found.length < limit) found.push(difference(table, sum, textOf(undefined), textOf(sum)));
      }
    }
    return found;
  }
}

/** A month is its days: adding each record up once is half the work. */
function monthsOf(days: Sums): Sums {
  const months: Sums = new Map();
  for (const sum of days.values()) addSumTo(months, monthOf(sum.period), sum);
  return months;
}

/**
 * Count and exact sum: the same money can stand as 1 unit less 1 millionth or as 999,999 millionths. A sum of
 * which everything was taken back is as good as none.
 */
function textOf(sum: Pick<Sum, "count" | "units" | "micros"> | undefined): string {
  if (sum === undefined) return "0 records, 0 millionths";
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

const EVER = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const;

function spanOf(table: RollupTable, month: Month): readonly [number, number] {
  return table === "rollup_month" ? [month, month] : [firstDayOf(month), lastDayOf(month)];
}

function* readSums(db: Database, table: RollupTable, month: Month | undefined): Generator<Sum> {
  const period = table === "rollup_day" ? "day" : "month";
  const statement = db
    .prepare<[number, number], Record<keyof Sum, string | bigint>>(
      `SELECT user_id AS userId, ${period} AS period, location_name AS locationName, device_id AS deviceId,
              count, units, micros FROM ${table} WHERE ${period} BETWEEN ? AND ?`,
    )
    .safeIntegers();
  const [from, to] = month === undefined ? EVER : spanOf(table, month);
  for (const row of statement.iterate(from, to)) {
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
