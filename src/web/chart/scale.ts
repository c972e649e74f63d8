export interface Scale {
  /** Lowest first; 0 is among them. Round numbers, and all values lie between the first and the last. */
  readonly ticks: readonly number[];
  /** Where a value lies: 0 at the foot, 1 at the top. */
  readonly place: (value: number) => number;
}

const STEPS = [1, 2, 2.5, 5, 10];
/** About so many lines behind the bars. */
const LINES = 4;
/** Amounts are kept to a millionth: a step below this is no step. */
const LEAST_STEP = 1e-7;

/** An axis from 0 (or below, when a value is) to above the highest value, in round steps. */
export function scaleOf(values: readonly number[]): Scale {
  const lowest = Math.min(0, ...values);
  const highest = Math.max(0, ...values);
  const step = roundStep((highest - lowest) / LINES);
  const first = Math.floor(lowest / step);
  const last = Math.max(first + 1, Math.ceil(highest / step));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  const bottom = first * step;
  const height = (last - first) * step;
  return { ticks, place: (value) => (value - bottom) / height };
}

/** The smallest round number that is not less; 1 for nothing. */
function roundStep(atLeast: number): number {
  if (!(atLeast >= LEAST_STEP)) return 1;
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const factor = STEPS.find((candidate) => candidate * power >= atLeast) ?? 10;
  return factor * power;
}
