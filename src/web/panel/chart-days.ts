import type { Overview } from "../api/shapes.ts";
import { type Day, daysBefore } from "../format/day.ts";

/** The index of the entry that holds a day; the last one for a day after all. */
export function entryIndexOf(chart: Overview["chart"], day: string): number {
  const after = chart.findIndex((entry) => entry.start > day);
  return after < 0 ? chart.length - 1 : Math.max(0, after - 1);
}

const DAYS_PER_WEEK = 7;

/** A day of the period before (-1) or after (1) the one from one day to another. */
export function neighbourOf(
  { period, from, to }: Pick<Overview, "period" | "from" | "to">,
  step: -1 | 1,
): Day {
  if (period === "week") return daysBefore(to, -step * DAYS_PER_WEEK);
  if (step < 0) return daysBefore(from, 1);
  return daysBefore(lastDayOf(period === "year" ? `${from.slice(0, 4)}-12-01` : from), -1);
}

/** The last day of the month of a day. */
export function lastDayOf(day: string): string {
  const [year = 0, month = 1] = day.split("-").map(Number);
  // Day 0 of the month after is the last of this one.
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, day.length);
}
