import type { Database } from "better-sqlite3";
import { addDays, type Day, firstDayOf, yearBefore } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import {
  MAX_CHOICES,
  type Overview,
  type OverviewPeriod,
  type PlaceChoices,
  type PlaceFilter,
  type SoldOnDays,
} from "../domain/overview.ts";
import { daysUntil, type LocalCalendar, monthsOfYear } from "./calendar.ts";
import { RollupReader, type RollupRow, RollupTotals } from "./rollup-read.ts";

const DAYS_PER_WEEK = 7;
const inOrder = new Intl.Collator(undefined, { numeric: true }).compare;

/** What one period is made of, no filter applied. */
interface Parts {
  readonly from: Day;
  readonly rows: readonly RollupRow[];
  /** The chart's place, and the period of its rows. */
  readonly bars: readonly { readonly start: Day; readonly period: number }[];
  readonly before: { readonly from: Day; readonly to: Day; readonly rows: readonly RollupRow[] };
}

export function overviewReader(db: Database, calendar: LocalCalendar) {
  const rollups = new RollupReader(db, calendar);

  function week(userId: Id, nowMs: number, today: Day): Parts {
    const days = daysUntil(today, DAYS_PER_WEEK);
    const from = days[0] ?? today;
    const before = { from: addDays(from, -DAYS_PER_WEEK), to: addDays(from, -1) };
    return {
      from,
      rows: rollups.daysUntilNow(userId, from, nowMs),
      bars: days.map((day) => ({ start: day, period: day })),
      before: { ...before, rows: rollups.days(userId, before.from, before.to) },
    };
  }

  function year(userId: Id, today: Day): Parts {
    const months = monthsOfYear(today);
    const bars = months.map((month) => ({ start: firstDayOf(month), period: month }));
    const from = bars[0]?.start ?? today;
    const before = { from: yearBefore(from), to: yearBefore(today) };
    return {
      from,
      rows: rollups.months(userId, months[0] ?? 0, months.at(-1) ?? 0),
      bars,
      before: { ...before, rows: rollups.between(userId, before.from, before.to) },
    };
  }

  // One transaction: all the parts see the same commit.
  const read = db.transaction(
    (userId: Id, period: OverviewPeriod, filter: PlaceFilter, nowMs: number): Overview => {
      const today = calendar.dayOf(nowMs);
      const { from, rows, bars, before } =
        period === "week" ? week(userId, nowMs, today) : year(userId, today);
      const fits = (row: RollupRow) =>
        (filter.location === null || row.locationName === filter.location) &&
        (filter.deviceId === null || row.deviceId === filter.deviceId);
      const totals = new RollupTotals(rows.filter(fits));
      const { totalMicros, count } = new RollupTotals(
        rollups.daysUntilNow(userId, today, nowMs).filter(fits),
      );
      return {
        ...sold(from, today, totals),
        before: sold(before.from, before.to, new RollupTotals(before.rows.filter(fits))),
        today: { totalMicros, count },
        chart: bars.map((bar) => ({ start: bar.start, ...totals.of(bar.period) })),
        choices: choicesOf([...rows, ...before.rows]),
      };
    },
  );
  return {
    overview: (userId: Id, period: OverviewPeriod, filter: PlaceFilter, nowMs: number): Overview =>
      read(userId, period, filter, nowMs),
  };
}

function sold(from: Day, to: Day, { totalMicros, count, locations, devices }: RollupTotals): SoldOnDays {
  return { from, to, totalMicros, count, locations, devices };
}

function choicesOf(rows: readonly RollupRow[]): PlaceChoices {
  const counts = new Map<string, { row: RollupRow; count: bigint }>();
  for (const row of rows) {
    // No text of the ledger holds a NUL.
    const key = `${row.locationName}\0${row.deviceId}`;
    counts.set(key, { row, count: (counts.get(key)?.count ?? 0n) + row.count });
  }
  const pairs = [...counts.values()]
    .filter(({ count }) => count > 0n)
    .sort((a, b) => Number(b.count - a.count))
    .slice(0, MAX_CHOICES)
    .map(({ row }) => row);
  return {
    locations: [...new Set(pairs.map((pair) => pair.locationName))].sort(inOrder),
    devices: pairs
      .map(({ deviceId, locationName }) => ({ deviceId, locationName }))
      .sort((a, b) => inOrder(a.locationName, b.locationName) || inOrder(a.deviceId, b.deviceId)),
  };
}
