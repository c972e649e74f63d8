/** One thing measured twice in turn: what it is held against, and itself. */
export interface Pair {
  readonly base: number;
  readonly measured: number;
}

export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export function ratioOf(pair: Pair): number {
  return pair.measured / pair.base;
}

/** Of an odd number of values the middle one, of an even number the mean of the two in the middle. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const half = (sorted.length - 1) / 2;
  return { min: at(0), median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2, max: at(sorted.length - 1) };
}
