import type { Database } from "better-sqlite3";
import { type Day, type Month, weekdayOf } from "../../domain/day.ts";
import type { Id } from "../../domain/id.ts";
import type { Sold } from "../../domain/overview.ts";
import type { Period, Summary } from "../../domain/summary.ts";
import { daysUntil, type LocalCalendar, monthsOfYear } from "../ledger/calendar.ts";
import { addUp, RollupSums, type RowBudget } from "./rollup-sum.ts";

/** The contract's own spellings: a runtime's Spanish locale may say "sept". */
const WEEKDAYS = ["dom", "lun", "mar", "mié", "jue", "vie", "sáb"];
const MONTHS = ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];
const DAYS_PER_WEEK = 7;

/** One entry of the contract's chart. */
interface Bar {
  readonly period: Day | Month;
  readonly name: string;
}

export function summaryReader(db: Database, calendar: LocalCalendar, budget: RowBudget) {
  const sums = new RollupSums(db, budget);

  function week(userId: Id, nowMs: number): Summary | undefined {
    const today = calendar.dayOf(nowMs);
    const bars = daysUntil(today, DAYS_PER_WEEK).map((day) => ({
      period: day,
      name: WEEKDAYS[weekdayOf(day)] ?? "",
    }));
    const range = { from: bars[0]?.period ?? today, to: today };
    const days = sums.days(userId, range);
    return summarise(bars, days, () => sums.distinct(userId, { months: [], days: [range] }));
  }

  function year(userId: Id, nowMs: number): Summary | undefined {
    const months = monthsOfYear(calendar.dayOf(nowMs));
    const bars = months.map((month, index) => ({ period: month, name: MONTHS[index] ?? "" }));
    const range = { from: months[0] ?? 0, to: months.at(-1) ?? 0 };
    const found = sums.months(userId, range);
    return summarise(bars, found, () => sums.distinct(userId, { months: [range], days: [] }));
  }

  // One transaction: all statements see the same commit.
  const read = db.transaction((userId: Id, period: Period, nowMs: number) =>
    period === "semanal" ? week(userId, nowMs) : year(userId, nowMs),
  );
  return {
    summary: (userId: Id, period: Period, nowMs: number): Summary | undefined => read(userId, period, nowMs),
  };
}

function summarise(
  bars: readonly Bar[],
  sums: ReadonlyMap<number, Sold>,
  distinct: () => { readonly locations: number; readonly devices: number },
): Summary | undefined {
  const { totalMicros, count } = addUp(sums.values());
  if (count === 0) return undefined;
  const chart = bars.map(({ period, name }) => ({
    name,
    totalMicros: sums.get(period)?.totalMicros ?? 0n,
  }));
  return { totalMicros, count, ...distinct(), chart };
}
