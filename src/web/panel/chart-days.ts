import type { Overview } from "../api/shapes.ts";

/** The index of the entry that holds a day; the last one for a day after all. */
export function entryIndexOf(chart: Overview["chart"], day: string): number {
  const after = chart.findIndex((entry) => entry.start > day);
  return after < 0 ? chart.length - 1 : Math.max(0, after - 1);
}

/** The last day of the month of a day. */
export function lastDayOf(day: string): string {
  const [year = 0, month = 1] = day.split("-").map(Number);
  // Day 0 of the month after is the last of this one.
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, day.length);
}
