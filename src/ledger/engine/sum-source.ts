import type { Day, Month } from "../../domain/day.ts";
import type { GoneDevice, OverviewFilter, PlaceSold, Seller, Sold } from "../../domain/overview.ts";
import type { Range, Ranges } from "../nouns/rollup-sum.ts";

type Awaitable<T> = T | Promise<T>;

/** Sums of one account, of a gateway's ledger or a company's database. Each read may answer later. */
export interface SumSource {
  /** The first day with records that count; null before that. */
  firstDay(): Awaitable<Day | null>;
  /** The sums of these days and months, at least of those on which anything was sold. */
  sums(ranges: Ranges, filter: OverviewFilter): Awaitable<ReadonlyMap<Day | Month, Sold>>;
  /** The locations that have sold in `own`, beside what they sold in `before`; and who sold in `own` or in `offered`. */
  sellers(own: Ranges, before: Ranges, offered: Ranges, filter: OverviewFilter): Awaitable<Sellers>;
  /** Those of these devices that have sold and were removed: the first `MAX_GONE`. */
  goneDevices(deviceIds: readonly string[]): Awaitable<readonly GoneDevice[]>;
  /** How many location names and device ids have sold. */
  distinct(ranges: Ranges): Awaitable<{ readonly locations: number; readonly devices: number }>;
  /** What each location, by its name, sold on each of these days until its clock read what today's reads at `nowMs`. */
  soFar(
    days: readonly Day[],
    today: Day,
    nowMs: number,
    filter: OverviewFilter,
  ): Awaitable<readonly SoldByPlace[]>;
}

export type SoldByPlace = ReadonlyMap<string, Sold>;

export interface Sellers {
  /** The locations with the highest sums: `MAX_PLACES` at most. */
  readonly places: readonly PlaceSold[];
  /** The locations and devices that have sold most in both times, whatever is filtered: `MAX_CHOICES` at most. */
  readonly choices: readonly Seller[];
}

/**
 * A computation of several reads. It yields what each read
 * gives, a value or a promise, and is resumed with the value.
 */
export type Reading<T> = Generator<unknown, T, unknown>;

export function* reads<T>(answer: Awaitable<T>): Reading<T> {
  // `readNow` and `readLater` resume a reading with the value of what it has yielded.
  return (yield answer) as T;
}

/** Runs a reading whose reads answer at once. */
export function readNow<T>(reading: Reading<T>): T {
  let step = reading.next();
  while (step.done !== true) step = reading.next(step.value);
  return step.value;
}

/** Runs a reading whose reads answer later. */
export async function readLater<T>(reading: Reading<T>): Promise<T> {
  let step = reading.next();
  while (step.done !== true) step = reading.next(await step.value);
  return step.value;
}

/** The union of ranges, each day and month once. */
export function unite(all: readonly Ranges[]): Ranges {
  return {
    months: uniteRanges(all.flatMap(({ months }) => months)),
    days: uniteRanges(all.flatMap(({ days }) => days)),
  };
}

function uniteRanges(ranges: readonly Range<number>[]): readonly Range<number>[] {
  const united: Range<number>[] = [];
  for (const range of ranges.filter(({ from, to }) => from <= to).sort((a, b) => a.from - b.from)) {
    const last = united.at(-1);
    if (last === undefined || range.from > last.to) united.push(range);
    else united[united.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return united;
}

/** Whether a day or month is in one of the ranges. */
export function holds({ months, days }: Ranges, period: Day | Month): boolean {
  // A day has the digits of its month and two more; no range of days holds the number of a month.
  return [...months, ...days].some(({ from, to }) => period >= from && period <= to);
}
