import type { Database } from "better-sqlite3";
import {
  addDays,
  type Day,
  firstDayOf,
  lastDayOf,
  type Month,
  monthOf,
  yearBefore,
} from "../../domain/day.ts";
import type { Id } from "../../domain/id.ts";
import {
  MAX_CHOICES,
  MAX_PLACES,
  type Overview,
  type OverviewFilter,
  type OverviewPeriod,
  type OverviewRequest,
  type PlaceChoices,
  type Sold,
  type Span,
} from "../../domain/overview.ts";
import { daysUntil, type LocalCalendar, monthsOfYear } from "../ledger/calendar.ts";
import {
  addUp,
  type Range,
  type Ranges,
  RollupSums,
  type RowBudget,
  type Seller,
  splitDays,
} from "./rollup-sum.ts";

const DAYS_PER_WEEK = 7;
/** Records of the beginning of a day that are added up: the newest of a day that has more. */
export const MAX_RECORDS = 20_000;
const NOTHING = { totalMicros: 0n, count: 0 };
const inOrder = new Intl.Collator(undefined, { numeric: true }).compare;

/** A bar of the chart: its first day, and the rollups' period of it and of the one before. */
interface BarPeriods {
  readonly start: Day;
  readonly own: Day | Month;
  readonly before: Day | Month;
}

/** The days of a period, and those before that they are compared with. */
interface Days {
  readonly own: Range<Day>;
  readonly before: Range<Day>;
}

interface Parts extends Days {
  readonly bars: readonly BarPeriods[];
}

/** Reads of one store for one account. Each may answer at once or later. */
export interface OverviewSource {
  /** The first day on which anything was sold; null before that. */
  firstDay(): Awaitable<Day | null>;
  /** The sum of each day on which anything was sold; so of each month. */
  days(range: Range<Day>, filter: OverviewFilter): Awaitable<ReadonlyMap<Day, Sold>>;
  months(range: Range<Month>, filter: OverviewFilter): Awaitable<ReadonlyMap<Month, Sold>>;
  /** What each location has sold, the highest sum first: `limit` of them, or of those with these names. */
  places(
    ranges: Ranges,
    filter: OverviewFilter,
    which: { readonly limit: number; readonly names?: readonly string[] },
  ): Awaitable<readonly (Sold & { readonly name: string })[]>;
  /** The locations and devices that have sold most. */
  choices(ranges: Ranges, limit: number): Awaitable<readonly Seller[]>;
  /** What was sold from one moment to before another. */
  soldUntil(fromMs: number, untilMs: number, filter: OverviewFilter): Awaitable<Sold>;
}

type Awaitable<T> = T | Promise<T>;

/** A result that is made of several reads: yields what each read gives, and goes on with it. */
export type Reading<T> = Generator<unknown, T, unknown>;

function* reads<T>(answer: Awaitable<T>): Reading<T> {
  // Whatever runs a reading gives it what it has yielded, once it is there.
  return (yield answer) as T;
}

/** Runs a reading whose reads answer at once. */
function readNow<T>(reading: Reading<T>): T {
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

/** The overview of one account. All its reads must see the same commit. */
export function* overviewOf(
  source: OverviewSource,
  calendar: LocalCalendar,
  { period, at, filter }: OverviewRequest,
  nowMs: number,
): Reading<Overview> {
  const today = calendar.dayOf(nowMs);
  const { own, before, bars } = PARTS_OF[period](Math.min(at ?? today, today), today);
  // Whole days or months, those to come too: posted records may have any time.
  const barsOf = (which: "own" | "before"): Ranges => {
    const range = { from: bars[0]?.[which] ?? 0, to: bars.at(-1)?.[which] ?? 0 };
    return period === "year" ? { months: [range], days: [] } : { months: [], days: [range] };
  };
  const found = yield* sumsOf(source, barsOf("own"), filter);
  const foundBefore = yield* sumsOf(source, barsOf("before"), filter);
  const ranges = [barsOf("own"), splitDays(before)] as const;
  const places = yield* reads(source.places(ranges[0], filter, { limit: MAX_PLACES }));
  const names = places.map(({ name }) => name);
  const placesBefore = new Map(
    (yield* reads(source.places(ranges[1], filter, { limit: MAX_PLACES, names }))).map(
      ({ name, ...sold }) => [name, sold],
    ),
  );
  const sold = addUp(found.values());
  const soldBefore = yield* sumOf(source, before, filter);
  const others = without(sold, places);
  return {
    ...{ ...own, ...sold },
    before: { ...before, ...soldBefore },
    spans: yield* spansOf(source, calendar, nowMs, filter),
    chart: bars.map((bar) => ({
      ...{ start: bar.start, ...(found.get(bar.own) ?? NOTHING) },
      before: foundBefore.get(bar.before) ?? NOTHING,
    })),
    places: places.map((place) => ({ ...place, before: placesBefore.get(place.name) ?? NOTHING })),
    otherPlaces:
      others.count === 0 ? null : { ...others, before: without(soldBefore, placesBefore.values()) },
    choices: choicesOf(yield* reads(source.choices(bothOf(...ranges), MAX_CHOICES))),
  };
}

function* spansOf(
  source: OverviewSource,
  calendar: LocalCalendar,
  nowMs: number,
  filter: OverviewFilter,
): Reading<readonly Span[]> {
  const today = calendar.dayOf(nowMs);
  const sinceMidnightMs = nowMs - calendar.stretchOf(today, today).insideFromMs;
  const first = yield* reads(source.firstDay());
  const spans: Span[] = [];
  for (const name of SPANS) {
    const { own, before } = DAYS_OF[name](today, today);
    const whole = yield* sumOf(source, { from: before.from, to: addDays(before.to, -1) }, filter);
    // What was sold on the last of the days before, up to this time of day: so long after its midnight.
    const { insideFromMs: fromMs, insideUntilMs } = calendar.stretchOf(before.to, before.to);
    const untilMs = Math.min(fromMs + sinceMidnightMs, insideUntilMs);
    const last = yield* reads(source.soldUntil(fromMs, untilMs, filter));
    spans.push({
      name,
      ...own,
      ...(yield* sumOf(source, own, filter)),
      before: { ...before, ...addUp([whole, last]) },
      isComparable: first !== null && first <= before.from,
    });
  }
  return spans;
}

/** The sum of each of these days and months in which anything was sold. */
function* sumsOf(
  source: OverviewSource,
  { months, days }: Ranges,
  filter: OverviewFilter,
): Reading<ReadonlyMap<Day | Month, Sold>> {
  const found = new Map<Day | Month, Sold>();
  for (const range of months) {
    for (const [month, sold] of yield* reads(source.months(range, filter))) found.set(month, sold);
  }
  for (const range of days) {
    for (const [day, sold] of yield* reads(source.days(range, filter))) found.set(day, sold);
  }
  return found;
}

function* sumOf(source: OverviewSource, days: Range<Day>, filter: OverviewFilter): Reading<Sold> {
  return addUp((yield* sumsOf(source, splitDays(days), filter)).values());
}

interface AskedUntil extends OverviewFilter {
  readonly userId: Id;
  readonly fromMs: number;
  readonly untilMs: number;
}

export function overviewReader(db: Database, calendar: LocalCalendar, budget: RowBudget) {
  const sums = new RollupSums(db, budget);
  const firstDay = db.prepare<[Id], Day | null>("SELECT min(day) FROM rollup_day WHERE user_id = ?").pluck();
  const soldUntil = db
    .prepare<[AskedUntil], { totalMicros: bigint; count: bigint }>(
      `SELECT coalesce(sum(valor_micros), 0) AS totalMicros, count(*) AS count
         FROM (SELECT valor_micros, location_name, device_id, voided_by FROM record INDEXED BY record_by_time
                WHERE user_id = @userId AND effective_ms >= @fromMs AND effective_ms < @untilMs
                ORDER BY effective_ms DESC LIMIT ${MAX_RECORDS})
        WHERE voided_by IS NULL AND (@location IS NULL OR location_name = @location)
          AND (@deviceId IS NULL OR device_id = @deviceId)`,
    )
    .safeIntegers();

  const sourceOf = (userId: Id): OverviewSource => ({
    firstDay: () => firstDay.get(userId) ?? null,
    days: (range, filter) => sums.days(userId, range, filter),
    months: (range, filter) => sums.months(userId, range, filter),
    places: (ranges, filter, which) => sums.places(userId, ranges, filter, which),
    choices: (ranges, limit) => sums.choices(userId, ranges, limit),
    soldUntil: (fromMs, untilMs, filter) => {
      budget.spendRecords(userId, fromMs, untilMs);
      const found = soldUntil.get({ userId, fromMs, untilMs, ...filter });
      return found === undefined ? NOTHING : { ...found, count: Number(found.count) };
    },
  });
  // One transaction: all the parts see the same commit.
  const read = db.transaction((userId: Id, request: OverviewRequest, nowMs: number) =>
    readNow(overviewOf(sourceOf(userId), calendar, request, nowMs)),
  );
  return {
    overview: (userId: Id, request: OverviewRequest, nowMs: number): Overview => read(userId, request, nowMs),
  };
}

const SPANS = ["day", "week", "month", "year"] as const satisfies readonly OverviewPeriod[];

/** The days of the period that holds a day, those to come left out. */
const DAYS_OF: Readonly<Record<OverviewPeriod, (at: Day, today: Day) => Days>> = {
  day: (at) => {
    const dayBefore = addDays(at, -1);
    return { own: { from: at, to: at }, before: { from: dayBefore, to: dayBefore } };
  },
  week: (at) => {
    const from = addDays(at, 1 - DAYS_PER_WEEK);
    return {
      own: { from, to: at },
      before: { from: addDays(from, -DAYS_PER_WEEK), to: addDays(at, -DAYS_PER_WEEK) },
    };
  },
  month: (at, today) => {
    const month = monthOf(at);
    const last = monthOf(addDays(firstDayOf(month), -1));
    const own = { from: firstDayOf(month), to: Math.min(lastDayOf(month), today) };
    const isOver = own.to === lastDayOf(month);
    const to = isOver ? lastDayOf(last) : Math.min(firstDayOf(last) + own.to - own.from, lastDayOf(last));
    return { own, before: { from: firstDayOf(last), to } };
  },
  year: (at, today) => {
    const months = monthsOfYear(at);
    const own = {
      from: firstDayOf(months[0] ?? 0),
      to: Math.min(lastDayOf(months.at(-1) ?? 0), today),
    };
    return { own, before: { from: yearBefore(own.from), to: yearBefore(own.to) } };
  },
};

const PARTS_OF: Readonly<Record<OverviewPeriod, (at: Day, today: Day) => Parts>> = {
  day: (at, today) => {
    const days = DAYS_OF.day(at, today);
    return { ...days, bars: [{ start: at, own: at, before: days.before.from }] };
  },
  week: (at, today) => ({
    ...DAYS_OF.week(at, today),
    bars: daysUntil(at, DAYS_PER_WEEK).map((day) => ({
      ...{ start: day, own: day, before: addDays(day, -DAYS_PER_WEEK) },
    })),
  }),
  month: (at, today) => {
    const days = DAYS_OF.month(at, today);
    const month = monthOf(at);
    const bars = daysUntil(lastDayOf(month), lastDayOf(month) - firstDayOf(month) + 1).map((day) => ({
      // A day that the month before does not have is no day of a rollup.
      ...{ start: day, own: day, before: days.before.from + day - days.own.from },
    }));
    return { ...days, bars };
  },
  year: (at, today) => ({
    ...DAYS_OF.year(at, today),
    bars: monthsOfYear(at).map((month) => ({ start: firstDayOf(month), own: month, before: month - 100 })),
  }),
};

function without({ totalMicros, count }: Sold, parts: Iterable<Sold>): Sold {
  const part = addUp(parts);
  return { totalMicros: totalMicros - part.totalMicros, count: count - part.count };
}

function bothOf(one: Ranges, other: Ranges): Ranges {
  return { months: [...one.months, ...other.months], days: [...one.days, ...other.days] };
}

function choicesOf(sellers: readonly Seller[]): PlaceChoices {
  return {
    locations: [...new Set(sellers.map(({ locationName }) => locationName))].sort(inOrder),
    devices: sellers
      .map(({ deviceId, locationName }) => ({ deviceId, locationName }))
      .sort((a, b) => inOrder(a.locationName, b.locationName) || inOrder(a.deviceId, b.deviceId)),
  };
}
