import { HOUR_MS } from "../../../src/domain/clock.ts";
/** One reading of a quantity over time. */
export interface Reading {
  readonly timeMs: number;
  readonly value: number;
}

/** How fast a quantity grows, and how sure that is. */
export interface Trend {
  /** The middle of all slopes between two readings, per hour: a few odd readings do not move it. */
  readonly perHour: number;
  /** What it is at least, with 97.5 % confidence, were the readings independent. */
  readonly atLeastPerHour: number;
}

/** Normal quantile of 97.5 %. */
const CONFIDENCE = 1.96;

/** Theil and Sen's slope with its lower confidence bound (Sen 1968), of at least 8 readings. */
export function trendOf(readings: readonly Reading[]): Trend {
  const count = readings.length;
  if (count < 8) throw new Error(`${count} readings are too few to see a trend in.`);
  const slopes: number[] = [];
  readings.forEach((earlier, index) => {
    for (const later of readings.slice(index + 1)) {
      slopes.push(((later.value - earlier.value) / (later.timeMs - earlier.timeMs)) * HOUR_MS);
    }
  });
  slopes.sort((a, b) => a - b);
  const spread = CONFIDENCE * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const at = (rank: number): number =>
    slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? 0;
  return { perHour: at((slopes.length - 1) / 2), atLeastPerHour: at((slopes.length - spread) / 2 - 1) };
}

/** The lowest reading of each stretch of so many: what a process holds between two collections of its garbage. */
export function floorsOf(readings: readonly Reading[], stretch: number): readonly Reading[] {
  const floors: Reading[] = [];
  for (let from = 0; from + stretch <= readings.length; from += stretch) {
    const part = readings.slice(from, from + stretch);
    floors.push(part.reduce((lowest, reading) => (reading.value < lowest.value ? reading : lowest)));
  }
  return floors;
}
