import type { Format } from "../format/format.ts";
import type { panelTexts } from "../messages/panel.ts";
import type { Comparison } from "./comparison.ts";

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
