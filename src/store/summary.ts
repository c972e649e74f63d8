import type { Database } from "better-sqlite3";
import { type Day, type Month, weekdayOf } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import type { Period, Summary } from "../domain/summary.ts";
import { daysUntil, type LocalCalendar, monthsOfYear } from "./calendar.ts";
import { RollupReader, type RollupRow, RollupTotals } from "./rollup-read.ts";

/** The contract's own spellings: a runtime's Spanish locale may say "sept". */
const WEEKDAYS = ["dom", "lun", "mar", "mié", "jue", "vie", "sáb"];
const MONTHS = ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];
const DAYS_PER_WEEK = 7;

/** One place of the contract's chart. */
interface Bar {
  readonly period: Day | Month;
  readonly name: string;
}

export function summaryReader(db: Database, calendar: LocalCalendar) {
  const rollups = new RollupReader(db, calendar);

  function week(userId: Id, nowMs: number): Summary | undefined {
    const today = calendar.dayOf(nowMs);
    const bars = daysUntil(today, DAYS_PER_WEEK).map((day) => ({
      period: day,
      name: WEEKDAYS[weekdayOf(day)] ?? "",
    }));
    return summarise(bars, rollups.daysUntilNow(userId, bars[0]?.period ?? today, nowMs));
  }

  function year(userId: Id, nowMs: number): Summary | undefined {
    const months = monthsOfYear(calendar.dayOf(nowMs));
    const bars = months.map((month, index) => ({ period: month, name: MONTHS[index] ?? "" }));
    return summarise(bars, rollups.months(userId, months[0] ?? 0, months.at(-1) ?? 0));
  }

  // One transaction: sums and what is taken off them again see the same commit.
  const read = db.transaction((userId: Id, period: Period, nowMs: number) =>
    period === "semanal" ? week(userId, nowMs) : year(userId, nowMs),
  );
  return {
    summary: (userId: Id, period: Period, nowMs: number): Summary | undefined => read(userId, period, nowMs),
  };
}

function summarise(bars: readonly Bar[], rows: readonly RollupRow[]): Summary | undefined {
  const totals = new RollupTotals(rows);
  const { totalMicros, count, locations, devices } = totals;
  if (count === 0) return undefined;
  const chart = bars.map(({ period, name }) => ({ name, totalMicros: totals.of(period).totalMicros }));
  return { totalMicros, count, locations, devices, chart };
}
