import { type Pair, ratioOf, type Spread, spreadOf } from "./ratio.ts";

/** One claim of the product about its speed, and what was measured. */
export interface Claim {
  readonly title: string;
  /** What the pair's two figures are, in order: `["floor", "flanco"]`. */
  readonly names: readonly [string, string];
  readonly unit: string;
  /** The ratio that is promised: at least or at most so much, of the median pair. */
  readonly target: { readonly bound: "at least" | "at most"; readonly ratio: number };
  readonly pairs: readonly Pair[];
  /** How it was measured and what was checked, a sentence each. */
  readonly notes: readonly string[];
}

export interface Verdict {
  readonly ratio: Spread;
  readonly base: Spread;
  readonly measured: Spread;
  readonly holds: boolean;
}

export function verdictOf(claim: Claim): Verdict {
  const ratio = spreadOf(claim.pairs.map(ratioOf));
  const { bound, ratio: promised } = claim.target;
  return {
    ratio,
    base: spreadOf(claim.pairs.map((pair) => pair.base)),
    measured: spreadOf(claim.pairs.map((pair) => pair.measured)),
    holds: bound === "at least" ? ratio.median >= promised : ratio.median <= promised,
  };
}
