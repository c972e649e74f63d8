/** How a figure stands to the one of the period before. */
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
