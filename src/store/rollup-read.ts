import type { Database } from "better-sqlite3";
import { addDays, type Day, firstDayOf, lastDayOf, monthOf } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import type { PlaceFilter } from "../domain/overview.ts";

interface AskedCount extends PlaceFilter {
  readonly userId: Id;
  readonly from: number;
  readonly to: number;
}

/** How many records are counted. Call within one transaction what must see one commit. */
export class RollupReader {
  readonly #countDays: { get(asked: AskedCount): number | undefined };
  readonly #countMonths: { get(asked: AskedCount): number | undefined };

  constructor(db: Database) {
    this.#countDays = db.prepare<[AskedCount], number>(countSql("rollup_day", "day")).pluck();
    this.#countMonths = db.prepare<[AskedCount], number>(countSql("rollup_month", "month")).pluck();
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

function countSql(table: string, period: string): string {
  return `SELECT coalesce(sum(count), 0) FROM ${table} WHERE user_id = @userId AND ${period} BETWEEN @from AND @to
             AND (@location IS NULL OR location_name = @location) AND (@deviceId IS NULL OR device_id = @deviceId)`;
}

/** Days as whole months and the days that are left; a part whose end is before its beginning is empty. */
export function splitDays(from: Day, to: Day) {
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
