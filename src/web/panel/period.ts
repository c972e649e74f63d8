import { DAYS_PER_WEEK } from "../../domain/day.ts";
import type { Overview } from "../api/shapes.ts";
import { type Day, daysBefore, monthAfter, monthOf } from "../format/day.ts";
import type { Format } from "../format/format.ts";
import type { panelTexts } from "../messages/panel.ts";

/** The index of the entry that holds a day; the last one for a day after all. */
export function entryIndexOf(chart: Overview["chart"], day: string): number {
  const after = chart.findIndex((entry) => entry.start > day);
  return after < 0 ? chart.length - 1 : Math.max(0, after - 1);
}

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
export function lastDayOf(day: Day): Day {
  return daysBefore(`${monthAfter(monthOf(day), 1)}-01`, 1);
}

/** The days that a period is compared with; `isRunning`: it still runs, and counts the last of them up to this time of day. */
export function daysText(
  { from, to }: { readonly from: Day; readonly to: Day },
  isRunning: boolean,
  texts: Pick<typeof panelTexts.es, "days" | "soFar">,
  nameOf: (day: Day) => string,
): string {
  const days = texts.days(nameOf(from), nameOf(to));
  return isRunning ? texts.soFar(days) : days;
}

/** A figure beside the one of the period before. */
type Comparison =
  /** Nothing was sold then. */
  | { readonly kind: "none" }
  /** As much, to the rounded percent. */
  | { readonly kind: "same" }
  /** `share` of 1: 0.18 is 18 %. */
  | { readonly kind: "more" | "less"; readonly share: number }
  /** So many times as much. */
  | { readonly kind: "times"; readonly times: number };

const LEAST_SHARE = 0.005;
/** From here on a percentage says less than a factor. */
const LEAST_TIMES = 3;

export function comparisonOf(current: number, before: number): Comparison {
  if (before <= 0) return { kind: "none" };
  const share = (current - before) / before;
  if (Math.abs(share) < LEAST_SHARE) return { kind: "same" };
  if (current / before >= LEAST_TIMES) return { kind: "times", times: current / before };
  return share > 0 ? { kind: "more", share } : { kind: "less", share: -share };
}

/** A comparison in words: `18 % más`, `×5`; empty where there is nothing to compare with. */
export function comparisonText(
  comparison: Comparison,
  texts: (typeof panelTexts.es)["compare"],
  format: Pick<Format, "percent" | "count">,
): string {
  switch (comparison.kind) {
    case "more":
    case "less":
      return texts[comparison.kind](format.percent(comparison.share));
    case "times":
      return texts.times(format.count(Math.round(comparison.times)));
    case "same":
      return texts.same;
    case "none":
      return "";
  }
}
