import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import type { Id } from "../domain/id.ts";
import { type Day, type LocalCalendar, monthOf } from "./calendar.ts";
import { addTo, keyOf, type RollupEntry, type RollupTable, type Sum, type Sums } from "./rollup.ts";

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
  readonly #computed: Record<RollupTable, Sums> = { rollup_day: new Map(), rollup_month: new Map() };

  constructor(calendar: LocalCalendar) {
    this.#calendar = calendar;
  }

  add(entry: RollupEntry): void {
    const day = this.#calendar.dayOf(entry.timeMs);
    addTo(this.#computed.rollup_day, day, entry, 1);
    addTo(this.#computed.rollup_month, monthOf(day), entry, 1);
  }

  /** After the last record. `limit` bounds how many differences are told; none means that all agree. */
  differences(db: Database, limit: number): readonly RollupDifference[] {
    const found: RollupDifference[] = [];
    for (const table of ["rollup_day", "rollup_month"] as const) {
      const sums = this.#computed[table];
      for (const stored of readSums(db, table)) {
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
