import type { Database } from "better-sqlite3";
import { DAYS_PER_WEEK, weekdayOf } from "../../domain/day.ts";
import type { Id } from "../../domain/id.ts";
import type { Period, Summary } from "../../domain/overview.ts";
import { NOTHING_SOLD } from "../../domain/overview.ts";
import type { RowBudget } from "../engine/row-budget.ts";
import { daysUntil, type LocalCalendar, monthsOfYear } from "./calendar.ts";
import { ALL, addUp, rollupSource, type SumSource } from "./rollup-sum.ts";

/** The contract's own spellings: a runtime's Spanish locale may say "sept". */
const WEEKDAYS = ["dom", "lun", "mar", "mié", "jue", "vie", "sáb"];
const MONTHS = ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];

/** The contract's summary; undefined when the period has no record. All its reads must see one commit. */
export function summaryOf(
  source: SumSource,
  calendar: LocalCalendar,
  period: Period,
  nowMs: number,
): Summary | undefined {
  const today = calendar.dayOf(nowMs);
  const isWeek = period === "semanal";
  const bars = isWeek ? daysUntil(today, DAYS_PER_WEEK) : monthsOfYear(today);
  const range = { from: bars[0] ?? today, to: bars.at(-1) ?? today };
  const ranges = isWeek ? { months: [], days: [range] } : { months: [range], days: [] };
  const found = source.sums(ranges, ALL);
  const sold = bars.map((bar) => found.get(bar) ?? NOTHING_SOLD);
  const { totalMicros, count } = addUp(sold);
  if (count === 0) return undefined;
  return {
    totalMicros,
    count,
    ...source.distinct(ranges),
    chart: bars.map((bar, index) => ({
      name: (isWeek ? WEEKDAYS[weekdayOf(bar)] : MONTHS[index]) ?? "",
      totalMicros: sold[index]?.totalMicros ?? 0n,
    })),
  };
}

export function summaryReader(db: Database, calendar: LocalCalendar, budget: RowBudget) {
  const sourceOf = rollupSource(db, calendar, budget);
  // One transaction: all statements see the same commit.
  const read = db.transaction((userId: Id, period: Period, nowMs: number) =>
    summaryOf(sourceOf(userId), calendar, period, nowMs),
  );
  return { summary: read };
}
