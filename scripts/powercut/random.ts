import { randomFrom } from "../../src/service/demonstration.ts";

/** Numbers that look random and are the same for the same seed, so that a failure can be repeated. */
export class SeededRandom {
  /** From 0 up to, but not including, 1. */
  readonly next: () => number;

  /** `seed` is a whole number from 0 to 4,294,967,295. */
  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  /** A whole number from `from` up to, but not including, `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[this.between(0, list.length)];
    if (chosen === undefined) throw new Error("There is nothing to choose from.");
    return chosen;
  }
}
