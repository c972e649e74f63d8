import type { Database } from "better-sqlite3";
import { addDays, type Day, firstDayOf, yearBefore } from "../../domain/day.ts";
import type { Id } from "../../domain/id.ts";
import {
  MAX_CHOICES,
  type Overview,
  type OverviewFilter,
  type OverviewPeriod,
  type PlaceChoices,
} from "../../domain/overview.ts";
import { daysUntil, type LocalCalendar, monthsOfYear } from "../ledger/calendar.ts";
import { addUp, type Range, type Ranges, RollupSums, type Seller, splitDays } from "./rollup-sum.ts";

const DAYS_PER_WEEK = 7;
const NOTHING = { totalMicros: 0n, count: 0 };
const inOrder = new Intl.Collator(undefined, { numeric: true }).compare;

/** The days that an overview is about, and those before that it is compared with, as they are stored. */
interface Parts {
  readonly from: Day;
  readonly own: Ranges;
  /** The chart's bars: the first day of each, and the period of its sum. */
  readonly bars: readonly { readonly start: Day; readonly period: number }[];
  readonly before: Range<Day>;
  readonly beforeParts: Ranges;
}

export function overviewReader(db: Database, calendar: LocalCalendar) {
  const sums = new RollupSums(db);

  // One transaction: all the parts see the same commit.
  const read = db.transaction(
    (userId: Id, period: OverviewPeriod, filter: OverviewFilter, nowMs: number): Overview => {
      const today = calendar.dayOf(nowMs);
      const { from, own, bars, before, beforeParts } = period === "week" ? week(today) : year(today);
      const sumsOf = ({ months, days }: Ranges) => [
        ...months.map((range) => sums.months(userId, range, filter)),
        ...days.map((range) => sums.days(userId, range, filter)),
      ];
      const total = (parts: Ranges) => addUp(...sumsOf(parts).map((each) => each.values()));
      const ownSums = new Map(sumsOf(own).flatMap((each) => [...each]));
      return {
        from,
        to: today,
        ...addUp(ownSums.values()),
        ...sums.distinct(userId, own, filter),
        before: {
          ...before,
          ...total(beforeParts),
          ...sums.distinct(userId, beforeParts, filter),
        },
        today: total({ months: [], days: [{ from: today, to: today }] }),
        chart: bars.map((bar) => ({ start: bar.start, ...(ownSums.get(bar.period) ?? NOTHING) })),
        choices: choicesOf(sums.choices(userId, bothOf(own, beforeParts), MAX_CHOICES)),
      };
    },
  );
  return {
    overview: (userId: Id, period: OverviewPeriod, filter: OverviewFilter, nowMs: number): Overview =>
      read(userId, period, filter, nowMs),
  };
}

function week(today: Day): Parts {
  const days = daysUntil(today, DAYS_PER_WEEK);
  const from = days[0] ?? today;
  const before = { from: addDays(from, -DAYS_PER_WEEK), to: addDays(from, -1) };
  return {
    from,
    own: { months: [], days: [{ from, to: today }] },
    bars: days.map((day) => ({ start: day, period: day })),
    before,
    beforeParts: { months: [], days: [before] },
  };
}

function year(today: Day): Parts {
  const months = monthsOfYear(today);
  const bars = months.map((month) => ({ start: firstDayOf(month), period: month }));
  const from = bars[0]?.start ?? today;
  const before = { from: yearBefore(from), to: yearBefore(today) };
  return {
    from,
    own: { months: [{ from: months[0] ?? 0, to: months.at(-1) ?? 0 }], days: [] },
    bars,
    before,
    beforeParts: splitDays(before),
  };
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
