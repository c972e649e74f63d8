import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../../domain/amount.ts";
import { addDays, type Day, firstDayOf, lastDayOf, type Month, monthOf } from "../../domain/day.ts";
import type { Id } from "../../domain/id.ts";
import {
  type GoneDevice,
  MAX_CHOICES,
  MAX_COMPARED,
  MAX_GONE,
  type NamedSales,
  NOTHING_SOLD,
  type OverviewFilter,
  type Sales,
  type Seller,
} from "../../domain/overview.ts";
import type { RowBudget } from "../engine/reader.ts";
import { type LocalCalendar, momentsSoFar } from "./calendar.ts";
import { WITHIN, type WithinNames, withinNames } from "./limit.ts";
import { FRESH, PERIOD_OF, type RollupPeriod } from "./rollup.ts";

/** Days or months, both ends included; none where the end is before the beginning. */
export interface Range<P extends Day | Month> {
  readonly from: P;
  readonly to: P;
}

/** Months and days that do not overlap: two ranges of each at most. */
export interface Ranges {
  readonly months: readonly Range<Month>[];
  readonly days: readonly Range<Day>[];
}

/** Sums of one account, of a gateway's ledger or a company's database. */
export interface SumSource {
  /** The first day with sales that count; null before that. */
  firstDay(): Day | null;
  /** The sums of these days and months, at least of those on which anything was sold. */
  sums(ranges: Ranges, filter: OverviewFilter): ReadonlyMap<Day | Month, Sales>;
  /** The locations that have sold in `own`, beside what they sold in `before`; and who sold in `own` or in `offered`. */
  sellers(own: Ranges, before: Ranges, offered: Ranges, filter: OverviewFilter): Sellers;
  /** Those of these devices that have sold and were removed: the first `MAX_GONE`. */
  goneDevices(deviceIds: readonly string[]): readonly GoneDevice[];
  /** How many location names and device ids have sold. */
  distinct(ranges: Ranges): { readonly locations: number; readonly devices: number };
  /** What each location, by its name, sold on each of these days until its clock read what today's reads at `nowMs`. */
  soFar(days: readonly Day[], today: Day, nowMs: number, filter: OverviewFilter): readonly SalesByLocation[];
}

/** The sums of a gateway's ledger, which adds up any days at once. */
interface LedgerSums extends SumSource {
  /** The same `from` a day on. */
  firstDay(from?: Day): Day | null;
  sum(days: Range<Day>, filter: OverviewFilter): Sales;
}

export type SalesByLocation = ReadonlyMap<string, Sales>;

export interface Sellers {
  /** The locations with the highest sums: `MAX_COMPARED` at most. */
  readonly locations: readonly NamedSales[];
  /** The locations and devices that have sold most in both times, whatever is filtered: `MAX_CHOICES` at most. */
  readonly choices: readonly Seller[];
}

/** Ranges as the statements take them. */
export type Bounds = Readonly<Record<string, number>>;

/** The rollups of the ranges that a statement takes. */
export const SPANS = ["month", "month", "day", "day"] as const;

/** A sum in two parts, because the sum of all locations and devices may leave 64 bits. */
interface SumRow {
  readonly count: bigint;
  readonly units: bigint;
  readonly micros: bigint;
}

interface PeriodRow extends SumRow {
  readonly period: bigint;
}

/** The parameters of FITS_FILTER. */
type FilterParameters = Omit<OverviewFilter, "within"> & WithinNames;

interface SumParameters extends FilterParameters {
  readonly userId: Id;
  readonly from: number;
  readonly to: number;
}

/** The most records of a day's beginning that are added up, the newest first. */
const MAX_RECORDS = 20_000;
const NO_RANGE = { from: 1, to: 0 };
/** Every day that a moment can have. */
export const ALL_DAYS: Range<Day> = { from: 101, to: 275760_09_30 };
const ALL_MONTHS: Range<Month> = { from: 1, to: 275760_09 };
export const ALL: OverviewFilter = { location: null, deviceId: null, within: null };
/** Rows of one location and one device within some locations; null for all. */
export const FITS_FILTER = `(@location IS NULL OR location_name = @location) AND (@deviceId IS NULL OR device_id = @deviceId)
  AND ${WITHIN}`;

/** Whether a rollup holds sales, or refunds alone. */
const HAS_RECORDS = "(count > 0 OR total_micros <> 0)";

/** The columns of a `SumRow` from sums that each fit in 64 bits. */
function sumOf(total: string): string {
  return `coalesce(sum(${total} / ${MICROS_PER_UNIT}), 0) AS units, coalesce(sum(${total} % ${MICROS_PER_UNIT}), 0) AS micros`;
}

/** Every sum of the ranges by location and device, and each of their records that is not in the rollups yet. */
const PARTS = `WITH ${FRESH}, part (locationName, deviceId, count, totalMicros) AS (
  ${SPANS.map(
    (period, index) =>
      `SELECT location_name, device_id, count, total_micros FROM rollup_${period}
          WHERE user_id = @userId AND ${period} BETWEEN @from${index} AND @to${index} AND ${FITS_FILTER}`,
  ).join(" UNION ALL ")}
  UNION ALL SELECT location_name, device_id, count, total_micros FROM fresh
             WHERE (${SPANS.map((period, index) => `${PERIOD_OF[period]} BETWEEN @from${index} AND @to${index}`).join(" OR ")})
               AND ${FITS_FILTER})`;

/**
 * Adds up the rollups and the records that are not in them yet. SQLite does it: an account
 * may have thousands of locations and devices, and to read a row of each would hold up the
 * event loop. Every read throws TooManyRows beyond the budget. Every sum is exact, at any
 * size. Make reads that must see the same commit within one transaction.
 */
export function rollupSums(db: Database, budget: RowBudget) {
  const sumsBy = {
    day: db.prepare<[SumParameters], PeriodRow>(periodSql("day")).safeIntegers(),
    month: db.prepare<[SumParameters], PeriodRow>(periodSql("month")).safeIntegers(),
  };
  const sum = db
    .prepare<[object], SumRow>(
      `${PARTS} SELECT coalesce(sum(count), 0) AS count, ${sumOf("totalMicros")} FROM part`,
    )
    .safeIntegers();
  const distinct = db.prepare<[object], { locations: number; devices: number }>(
    `${PARTS}
     SELECT count(DISTINCT locationName) AS locations, count(DISTINCT deviceId) AS devices FROM part WHERE count > 0`,
  );
  const locationSums = db
    .prepare<[object], SumRow & { readonly name: string }>(
      `${PARTS}
       SELECT locationName AS name, sum(count) AS count, ${sumOf("totalMicros")} FROM part
        WHERE @names IS NULL OR locationName IN (SELECT value FROM json_each(@names))
        GROUP BY locationName HAVING sum(count) > 0 OR total(totalMicros) <> 0 ORDER BY total(totalMicros) DESC, locationName LIMIT @limit`,
    )
    .safeIntegers();
  const choices = db.prepare<[object], Seller>(
    `${PARTS}
     SELECT locationName, deviceId FROM part GROUP BY locationName, deviceId HAVING sum(count) > 0 OR total(totalMicros) <> 0
      ORDER BY sum(count) DESC, locationName, deviceId LIMIT @limit`,
  );

  /** Spends the rows of these ranges from the budget, and gives the statements' parameters. */
  function asked(userId: Id, ranges: Ranges, filter = ALL) {
    const bounds = bound(ranges);
    budget.spendRollups(userId, bounds);
    return { userId, ...bounds, ...parametersOf(filter) };
  }

  return {
    /** The sum of each day or month of these ranges in which anything was sold. */
    each(userId: Id, { months, days }: Ranges, filter = ALL): ReadonlyMap<Day | Month, Sales> {
      const read = (period: RollupPeriod, range: Range<Day | Month>) => {
        asked(userId, { months: [], days: [], [`${period}s`]: [range] });
        return sumsBy[period].all({ userId, ...range, ...parametersOf(filter) });
      };
      const rows = [
        ...months.flatMap((range) => read("month", range)),
        ...days.flatMap((range) => read("day", range)),
      ];
      return new Map(rows.map((row) => [Number(row.period), toSold(row)]));
    },
    /** The sum of the records of these days. */
    sum: (userId: Id, range: Range<Day>, filter: OverviewFilter): Sales =>
      addUp(sum.all(asked(userId, splitDays(range), filter)).map(toSold)),
    /** How many location names and device ids have sold. */
    distinct: (userId: Id, ranges: Ranges, filter: OverviewFilter) =>
      distinct.get(asked(userId, ranges, filter)) ?? { locations: 0, devices: 0 },
    /** What each location has sold, the highest sum first: `limit` of them, or of those with these names. */
    locations(
      userId: Id,
      ranges: Ranges,
      filter: OverviewFilter,
      { limit, names }: { readonly limit: number; readonly names?: readonly string[] },
    ): readonly (Sales & { readonly name: string })[] {
      const which = { limit, names: names ? JSON.stringify(names) : null };
      const rows = locationSums.all({ ...asked(userId, ranges, filter), ...which });
      return rows.map((row) => ({ name: row.name, ...toSold(row) }));
    },
    /** The locations and devices that have sold most, `limit` of them. */
    choices: (userId: Id, ranges: Ranges, filter: OverviewFilter, limit: number): readonly Seller[] =>
      choices.all({ ...asked(userId, ranges, filter), limit }),
  };
}

interface AskedUntil extends FilterParameters {
  readonly userId: Id;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The sums of an account from the ledger's rollups. Make all reads of one answer within one transaction. */
export function rollupSource(db: Database, calendar: LocalCalendar, budget: RowBudget) {
  const sums = rollupSums(db, budget);
  const firstDay = db
    .prepare<{ userId: Id; from: Day } & WithinNames, Day | null>(
      `WITH ${FRESH} SELECT min(day) FROM (
         SELECT * FROM (SELECT day FROM rollup_day WHERE user_id = @userId AND day >= @from AND count > 0 AND ${WITHIN} ORDER BY day LIMIT 1)
         UNION ALL SELECT min(day) FROM fresh WHERE day >= @from AND count > 0 AND ${WITHIN})`,
    )
    .pluck();
  const soldUntil = db
    .prepare<[AskedUntil], { location: string; totalMicros: bigint; count: bigint }>(
      `SELECT location_name AS location, sum(valor_micros) AS totalMicros, sum(refund_of IS NULL) AS count
         FROM (SELECT valor_micros, refund_of, location_name, device_id, voided_by FROM record INDEXED BY record_by_time
                WHERE user_id = @userId AND effective_ms >= @fromMs AND effective_ms < @untilMs
                ORDER BY effective_ms DESC LIMIT ${MAX_RECORDS})
        WHERE voided_by IS NULL AND ${FITS_FILTER} GROUP BY location_name`,
    )
    .safeIntegers();
  const notThere = db
    .prepare<{ userId: Id; ids: string }, string>(
      `SELECT value FROM json_each(@ids) WHERE value NOT IN (SELECT device_id FROM device WHERE user_id = @userId)
        ORDER BY key LIMIT ${MAX_GONE}`,
    )
    .pluck();
  // First each device's last month, in one walk over the account's
  // months; then its last day of the 31 days of that month.
  const lastDays = db.prepare<
    { userId: Id; ids: string } & WithinNames,
    { readonly deviceId: string; readonly day: Day }
  >(
    `WITH RECURSIVE ${FRESH}, number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 31),
       newest (device_id, location_name, month) AS (
         SELECT device_id, location_name, max(month) FROM rollup_month
          WHERE user_id = @userId AND ${HAS_RECORDS} AND device_id IN (SELECT value FROM json_each(@ids)) AND ${WITHIN}
          GROUP BY device_id, location_name),
       sold (device_id, day) AS (
         SELECT device_id, day FROM newest CROSS JOIN number CROSS JOIN rollup_day USING (location_name, device_id)
          WHERE user_id = @userId AND day = month * 100 + n AND ${HAS_RECORDS}
         UNION ALL SELECT device_id, day FROM fresh WHERE ${WITHIN})
     SELECT value AS deviceId, max(day) AS day FROM json_each(@ids) JOIN sold ON device_id = value
      GROUP BY value ORDER BY key`,
  );
  const named = db.prepare<Omit<AskedUntil, "location">, GoneDevice>(
    `SELECT device_id AS deviceId, device_name AS name FROM record INDEXED BY record_by_time
      WHERE user_id = @userId AND effective_ms >= @fromMs AND effective_ms < @untilMs AND device_id = @deviceId
        AND ${WITHIN}
      ORDER BY effective_ms DESC LIMIT 1`,
  );

  /** @param within as `OverviewFilter` has it, in place of that of each filter */
  return (userId: Id, within: OverviewFilter["within"]): LedgerSums => ({
    sum: (range, filter) => sums.sum(userId, range, { ...filter, within }),
    firstDay: (from = ALL_DAYS.from) => firstDay.get({ userId, from, ...withinNames(within) }) ?? null,
    sums: (ranges, filter) => sums.each(userId, ranges, { ...filter, within }),
    sellers(own, before, offered, asked) {
      const filter = { ...asked, within };
      const locations = sums.locations(userId, own, filter, { limit: MAX_COMPARED });
      const names = locations.map(({ name }) => name);
      const locationsBefore = new Map(
        sums
          .locations(userId, before, filter, { limit: MAX_COMPARED, names })
          .map(({ name, ...sold }) => [name, sold]),
      );
      const both = { months: [...own.months, ...offered.months], days: [...own.days, ...offered.days] };
      return {
        locations: locations.map((one) => ({
          ...one,
          before: locationsBefore.get(one.name) ?? NOTHING_SOLD,
        })),
        choices: sums.choices(userId, both, { ...ALL, within }, MAX_CHOICES),
      };
    },
    goneDevices(deviceIds) {
      const gone = notThere.all({ userId, ids: JSON.stringify(deviceIds) });
      if (gone.length === 0) return [];
      budget.spendRollups(userId, bound({ months: [ALL_MONTHS], days: [] }));
      const names = withinNames(within);
      return lastDays.all({ userId, ids: JSON.stringify(gone), ...names }).flatMap(({ deviceId, day }) => {
        const { fromMs, untilMs } = calendar.stretchOf(day, day);
        budget.spendRecords(userId, fromMs, untilMs);
        return named.all({ userId, deviceId, fromMs, untilMs, ...names });
      });
    },
    distinct: (ranges) => sums.distinct(userId, ranges, { ...ALL, within }),
    soFar: (days, today, nowMs, filter) =>
      days.map((day) => {
        const [fromMs, untilMs] = momentsSoFar(calendar, day, today, nowMs);
        budget.spendRecords(userId, fromMs, untilMs);
        const found = soldUntil.all({ userId, fromMs, untilMs, ...parametersOf({ ...filter, within }) });
        return new Map(
          found.map(({ location, totalMicros, count }) => [location, { totalMicros, count: Number(count) }]),
        );
      }),
  });
}

function parametersOf({ within, ...filter }: OverviewFilter): FilterParameters {
  return { ...filter, ...withinNames(within) };
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

/** Adds sums up. */
export function addUp(...sums: readonly Iterable<Sales>[]): Sales {
  let totalMicros = 0n;
  let count = 0;
  for (const each of sums) {
    for (const sold of each) {
      totalMicros += sold.totalMicros;
      count += sold.count;
    }
  }
  return { totalMicros, count };
}

/** Days as whole months and the days before and after them; a part whose end is before its beginning is empty. */
export function splitDays({ from, to }: Range<Day>): Ranges {
  const nextMonth = monthOf(addDays(lastDayOf(monthOf(from)), 1));
  const lastMonth = monthOf(addDays(firstDayOf(monthOf(to)), -1));
  const months = {
    from: from === firstDayOf(monthOf(from)) ? monthOf(from) : nextMonth,
    to: to === lastDayOf(monthOf(to)) ? monthOf(to) : lastMonth,
  };
  if (months.from > months.to) return { months: [], days: [{ from, to }] };
  const before = { from, to: addDays(firstDayOf(months.from), -1) };
  const after = { from: addDays(lastDayOf(months.to), 1), to };
  return { months: [months], days: [before, after] };
}

function periodSql(period: RollupPeriod): string {
  return `WITH ${FRESH} SELECT period, sum(count) AS count, sum(units) AS units, sum(micros) AS micros FROM (
            SELECT ${period} AS period, sum(count) AS count, ${sumOf("total_micros")} FROM rollup_${period}
             WHERE user_id = @userId AND ${period} BETWEEN @from AND @to AND ${FITS_FILTER} GROUP BY ${period}
            UNION ALL SELECT ${PERIOD_OF[period]} AS period, count, 0, total_micros FROM fresh
             WHERE period BETWEEN @from AND @to AND ${FITS_FILTER})
           GROUP BY period`;
}

function toSold({ count, units, micros }: SumRow): Sales {
  return { totalMicros: units * BigInt(MICROS_PER_UNIT) + micros, count: Number(count) };
}

function bound({ months, days }: Ranges): Bounds {
  const ranges = [months[0], months[1], days[0], days[1]].map((range) => range ?? NO_RANGE);
  return Object.fromEntries(
    ranges.flatMap(({ from, to }, index) => [
      [`from${index}`, from],
      [`to${index}`, to],
    ]),
  );
}
