import type { Format } from "../format/format.ts";
import type { panelTexts } from "../messages/panel.ts";

/** A figure beside the one of the period before. */
export type Comparison =
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
