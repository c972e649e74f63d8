import { HOUR_MS, MINUTE_MS } from "../domain/clock.ts";
import { addDays, type Day, monthOf, weekdayOf } from "../domain/day.ts";

/** A sale that the demonstration imagines. */
export interface ImaginedSale {
  /** Which of the rooms, from 0. */
  readonly room: number;
  readonly day: Day;
  /** Milliseconds since that day's midnight. */
  readonly sinceMidnightMs: number;
}

/** Sales of a room in a day of the yearly mean, least and most: some rooms are always full. */
const [LEAST_A_DAY, MOST_A_DAY] = [0.6, 2];
/** Sunday first: visitors come at the end of the week, patients leave before it. */
const WEEKDAYS = [1.2, 0.95, 0.95, 1, 1, 1.1, 0.9];
/** January first: winters are full, Augusts are empty. */
const MONTHS = [1.3, 1.25, 1.15, 1, 0.95, 0.85, 0.75, 0.6, 0.9, 1, 1.1, 1.2];
/** Midnight first: after the visit of the morning, after lunch, and before the night. */
const HOURS = [1, 0, 0, 0, 0, 0, 1, 3, 6, 8, 9, 8, 7, 8, 10, 12, 14, 15, 14, 13, 14, 12, 7, 3];
/** How far a whole day is from what its weekday and month let expect, up or down. */
const DAY_SPREAD = 0.3;
const YEARLY_GROWTH = 0.06;

/**
 * Imagines the sales of some rooms from one day to another, in the order of their times. A seed gives the same sales each
 * time. Each year is another one.
 */
export function imagineSales(rooms: number, from: Day, to: Day, seed: number): readonly ImaginedSale[] {
  const demandOf = randomFrom(seed);
  const demands = Array.from({ length: rooms }, () => LEAST_A_DAY + (MOST_A_DAY - LEAST_A_DAY) * demandOf());
  const firstYear = Math.floor(from / 10_000);
  const sales: ImaginedSale[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const random = randomFrom(seed + day);
    const years = Math.floor(day / 10_000) - firstYear;
    const dayRate =
      (WEEKDAYS[weekdayOf(day)] ?? 1) *
      (MONTHS[(monthOf(day) % 100) - 1] ?? 1) *
      (1 + DAY_SPREAD * (2 * random() - 1)) *
      (1 + YEARLY_GROWTH * years);
    const ofDay = demands.flatMap((demand, room) =>
      Array.from({ length: countAround(demand * dayRate, random) }, () => ({
        ...{ room, day },
        sinceMidnightMs: timeOfDay(random),
      })),
    );
    sales.push(...ofDay.sort((one, other) => one.sinceMidnightMs - other.sinceMidnightMs));
  }
  return sales;
}

/** A number of independent events whose mean is that (Poisson, by Knuth). */
function countAround(mean: number, random: () => number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

function timeOfDay(random: () => number): number {
  let rest = random() * HOURS.reduce((sum, weight) => sum + weight, 0);
  const hour = HOURS.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return hour * HOUR_MS + Math.floor(random() * 60 * MINUTE_MS);
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
