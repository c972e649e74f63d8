import type { Format } from "../format/format.ts";
import type { panelTexts } from "../messages/panel.ts";

/** A figure beside the one of the period before. */
export type Comparison =
  /** Nothing was sold then, and nothing now. */
  | { readonly kind: "nothing" }
  /** Nothing was sold then. */
  | { readonly kind: "first" }
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
  if (before <= 0) return { kind: current > 0 ? "first" : "nothing" };
  const share = (current - before) / before;
  if (Math.abs(share) < LEAST_SHARE) return { kind: "same" };
  if (current / before >= LEAST_TIMES) return { kind: "times", times: current / before };
  return share > 0 ? { kind: "more", share } : { kind: "less", share: -share };
}

type Texts = (typeof panelTexts.es)["compare"];
type Numbers = Pick<Format, "percent" | "count">;

/** A comparison in words. `before` names the period before ("los 7 días anteriores"), `then` is its figure. */
export function comparisonText(
  comparison: Comparison,
  texts: Texts,
  before: string,
  then: string,
  format: Numbers,
): string {
  switch (comparison.kind) {
    case "more":
    case "less":
      return `${texts[comparison.kind](format.percent(comparison.share), before)} (${then})`;
    case "times":
      return `${texts.times(timesText(comparison.times, format), before)} (${then})`;
    case "same":
      return `${texts.same(before)} (${then})`;
    case "first":
    case "nothing":
      return texts[comparison.kind](before);
  }
}

/** The same in little room: `29 % más (antes, 59)`. */
export function shortComparisonText(
  comparison: Comparison,
  { short }: Texts,
  then: string,
  format: Numbers,
): string {
  switch (comparison.kind) {
    case "more":
    case "less":
      return short[comparison.kind](format.percent(comparison.share), then);
    case "times":
      return short.times(timesText(comparison.times, format), then);
    case "same":
      return short.same(then);
    case "first":
    case "nothing":
      return short[comparison.kind];
  }
}

function timesText(times: number, format: Numbers): string {
  return format.count(Math.round(times));
}
