import type { Database } from "better-sqlite3";
import {
  addDays,
  DAYS_PER_WEEK,
  type Day,
  firstDayOf,
  lastDayOf,
  type Month,
  monthOf,
  weekdayOf,
  yearBefore,
} from "../../domain/day.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerReader } from "../../domain/ledger.ts";
import {
  type LocationChoices,
  NOTHING_SOLD,
  type Overview,
  type OverviewFilter,
  type OverviewPeriod,
  type OverviewRequest,
  type Period,
  type Sales,
  type Seller,
  type Summary,
} from "../../domain/overview.ts";
import { inOrder } from "../../domain/text.ts";
import type { RowBudget } from "../engine/reader.ts";
import { daysUntil, type LocalCalendar, monthsOfYear } from "./calendar.ts";
import {
  ALL,
  ALL_DAYS,
  addUp,
  holds,
  type Range,
  type Ranges,
  rollupSource,
  type SumSource,
  splitDays,
  unite,
} from "./rollup-sum.ts";

/** A bar of the chart: its first day, and the rollups' period of it and of the one before. */
interface BarPeriods {
  readonly start: Day;
  readonly own: Day | Month;
  readonly before: Day | Month;
}

/** The days of a period, and the days that they are compared with. */
interface Days {
  readonly own: Range<Day>;
  readonly before: Range<Day>;
}

/** The overview of one account. All its reads must see the same commit. */
export function overviewOf(
  source: SumSource,
  calendar: LocalCalendar,
  { period, at, filter }: OverviewRequest,
  nowMs: number,
): Overview {
  const today = calendar.dayOf(nowMs);
  const days = comparedDays(period, at, today);
  const { own, before } = days;
  const bars = BARS_OF[period](Math.min(at ?? today, today), days);
  // Whole days or months, also those to come: posted records may have any time.
  const barsOf = (which: "own" | "before"): Ranges => {
    const range = { from: bars[0]?.[which] ?? 0, to: bars.at(-1)?.[which] ?? 0 };
    return period === "year" ? { months: [range], days: [] } : { months: [], days: [range] };
  };
  const spans = SPANS.map((name) => ({ name, ...DAYS_OF[name](today, today) }));
  const wholeDays = ({ from, to }: Range<Day>) => splitDays({ from, to: addDays(to, -1) });
  const wanted = unite([
    ...[barsOf("own"), barsOf("before"), splitDays(before)],
    ...spans.flatMap((span) => [splitDays(span.own), wholeDays(span.before)]),
  ]);
  const found = source.sums(wanted, filter);
  const sumIn = (ranges: Ranges): Sales =>
    addUp([...found].filter(([day]) => holds(ranges, day)).map(([, sold]) => sold));
  // Beside what still runs, the last day before counts only up to this time of day.
  const lastDays = spans.map((span) => span.before.to);
  const soFar = source.soFar(lastDays, today, nowMs, filter);
  const lastDay = own.to < today ? null : (soFar[SPANS.indexOf(period)] ?? null);
  const rangesBefore = lastDay === null ? splitDays : wholeDays;
  const soldFrom = (from: Day) =>
    addUp([sumIn(rangesBefore({ from, to: before.to }))], lastDay?.values() ?? []);
  const first = source.firstDay();
  const sellers = source.sellers(barsOf("own"), rangesBefore(before), splitDays(before), filter);
  const locations = sellers.locations.map((one) => ({
    ...one,
    before: addUp([one.before, lastDay?.get(one.name) ?? NOTHING_SOLD]),
  }));
  const choices = choicesOf(sellers.choices);
  // The device that is filtered by comes first, so that it
  // is named even if more devices are gone than are named.
  const named = new Set(filter.deviceId === null ? [] : [filter.deviceId]);
  for (const { deviceId } of choices.devices) named.add(deviceId);
  const gone = source.goneDevices([...named]);
  const sold = sumIn(barsOf("own"));
  const soldBefore = soldFrom(before.from);
  /** The bars before end with the days that are compared. */
  const lastBar = period === "year" ? monthOf(before.to) : before.to;
  const beforeOf = (bar: Day | Month): Sales => {
    if (bar > lastBar) return NOTHING_SOLD;
    if (bar < lastBar) return found.get(bar) ?? NOTHING_SOLD;
    return soldFrom(period === "year" ? firstDayOf(bar) : bar);
  };
  const others = without(sold, locations);
  const locationsBefore = locations.map((one) => one.before);
  const othersBefore = without(soldBefore, locationsBefore);
  return {
    ...own,
    ...sold,
    before: { ...before, ...soldBefore },
    spans: spans.map((span, index) => ({
      name: span.name,
      ...span.own,
      ...sumIn(splitDays(span.own)),
      before: { ...span.before, ...addUp([sumIn(wholeDays(span.before))], soFar[index]?.values() ?? []) },
      isComparable: first !== null && first <= span.before.from,
    })),
    chart: bars.map((bar) => ({
      start: bar.start,
      ...(found.get(bar.own) ?? NOTHING_SOLD),
      before: beforeOf(bar.before),
    })),
    locations,
    otherLocations:
      others.count === 0 && others.totalMicros === 0n ? null : { ...others, before: othersBefore },
    choices: { ...choices, gone },
  };
}

/** The days of the period that holds a day, or today, and the days that they are compared with. */
export function comparedDays(period: OverviewPeriod, at: Day | null, today: Day): Days {
  return DAYS_OF[period](Math.min(at ?? today, today), today);
}

/** The contract's own spellings: a runtime's Spanish locale may say "sept". */
const WEEKDAYS = ["dom", "lun", "mar", "mié", "jue", "vie", "sáb"];
const MONTHS = ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];

/** The contract's summary; undefined when the period has neither a sale nor a refund. All its reads must see one commit. */
export function summaryOf(
  source: SumSource,
  calendar: LocalCalendar,
  period: Period,
  nowMs: number,
): Summary | undefined {
  const today = calendar.dayOf(nowMs);
  const isWeek = period === "semanal";
  const bars = isWeek ? daysUntil(today, DAYS_PER_WEEK) : monthsOfYear(today);
  const range = { from: bars[0] ?? today, to: bars.at(-1) ?? today };
  const ranges = isWeek ? { months: [], days: [range] } : { months: [range], days: [] };
  const found = source.sums(ranges, ALL);
  const sold = bars.map((bar) => found.get(bar) ?? NOTHING_SOLD);
  const { totalMicros, count } = addUp(sold);
  if (count === 0 && totalMicros === 0n) return undefined;
  return {
    totalMicros,
    count,
    ...source.distinct(ranges),
    chart: bars.map((bar, index) => ({
      name: (isWeek ? WEEKDAYS[weekdayOf(bar)] : MONTHS[index]) ?? "",
      totalMicros: sold[index]?.totalMicros ?? 0n,
    })),
  };
}

/** The reads of what an account has sold, of a gateway's ledger. */
export function soldReader(db: Database, calendar: LocalCalendar, budget: RowBudget) {
  const sourceOf = rollupSource(db, calendar, budget);
  // One transaction each: all the parts see the same commit.
  const overview = db.transaction((userId: Id, request: OverviewRequest, nowMs: number) =>
    overviewOf(sourceOf(userId, request.filter.within), calendar, request, nowMs),
  );
  const summary = db.transaction(
    (userId: Id, period: Period, nowMs: number, within: OverviewFilter["within"] = null) =>
      summaryOf(sourceOf(userId, within), calendar, period, nowMs),
  );
  return {
    overview,
    summary,
    firstDay: (userId, within, from) => sourceOf(userId, within).firstDay(from),
    sumRecords: (userId, { from, to, ...filter }) =>
      sourceOf(userId, filter.within).sum({ from: from ?? ALL_DAYS.from, to: to ?? ALL_DAYS.to }, filter),
  } satisfies Partial<LedgerReader>;
}

const SPANS = ["day", "week", "month", "year"] as const satisfies readonly OverviewPeriod[];

/** The days of the period that holds a day, up to today. */
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
    const isOver = own.to < today;
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

/** The bars of the chart of a period, of the last day of it that is shown. */
const BARS_OF: Readonly<Record<OverviewPeriod, (at: Day, days: Days) => readonly BarPeriods[]>> = {
  day: (at, { before }) => [{ start: at, own: at, before: before.from }],
  week: (at) =>
    daysUntil(at, DAYS_PER_WEEK).map((day) => ({
      start: day,
      own: day,
      before: addDays(day, -DAYS_PER_WEEK),
    })),
  month: (at, { own, before }) => {
    const last = lastDayOf(monthOf(at));
    // A day that the month before does not have is in no rollup.
    return daysUntil(last, last - firstDayOf(monthOf(at)) + 1).map((day) => ({
      start: day,
      own: day,
      before: before.from + day - own.from,
    }));
  },
  year: (at) =>
    monthsOfYear(at).map((month) => ({ start: firstDayOf(month), own: month, before: month - 100 })),
};

function without({ totalMicros, count }: Sales, parts: Iterable<Sales>): Sales {
  const part = addUp(parts);
  return { totalMicros: totalMicros - part.totalMicros, count: count - part.count };
}

function choicesOf(sellers: readonly Seller[]): Omit<LocationChoices, "gone"> {
  return {
    locations: [...new Set(sellers.map(({ locationName }) => locationName))].sort(inOrder),
    devices: [...sellers].sort(
      (a, b) => inOrder(a.locationName, b.locationName) || inOrder(a.deviceId, b.deviceId),
    ),
  };
}
