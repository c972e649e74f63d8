import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import type { Day, Month } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import type { PlaceFilter, Sold } from "../domain/overview.ts";
import type { LocalCalendar } from "./calendar.ts";

/** Longer than any local day (24 h and the largest change of offset). */
const LONGEST_DAY_MS = 50 * 3_600_000;

/** Days or months, both ends included; none where the end is before the beginning. */
export interface Range<P extends Day | Month> {
  readonly from: P;
  readonly to: P;
}

/** Months and days, none of them twice: two stretches of each are the most that anything needs. */
export interface Ranges {
  readonly months: readonly Range<Month>[];
  readonly days: readonly Range<Day>[];
}

/** A record of later today. */
export interface LaterRow {
  readonly locationName: string;
  readonly deviceId: string;
  readonly micros: number;
}

export interface Place {
  readonly locationName: string;
  readonly deviceId: string;
}

interface PeriodRow {
  readonly period: bigint;
  readonly count: bigint;
  readonly units: bigint;
  readonly micros: bigint;
}

interface Asked extends PlaceFilter {
  readonly userId: Id;
  readonly from: number;
  readonly to: number;
}

const NO_RANGE = { from: 1, to: 0 };
const ALL: PlaceFilter = { location: null, deviceId: null };

const FITS = `(@location IS NULL OR location_name = @location) AND (@deviceId IS NULL OR device_id = @deviceId)`;

/** Every sum of the ranges by place, and what is taken off them again. */
const PARTS = `WITH part (locationName, deviceId, count) AS (
  ${["month", "month", "day", "day"]
    .map(
      (period, index) =>
        `SELECT location_name, device_id, count FROM rollup_${period}
          WHERE user_id = @userId AND ${period} BETWEEN @from${index} AND @to${index} AND ${FITS}`,
    )
    .join(" UNION ALL ")}
  UNION ALL SELECT value ->> 0, value ->> 1, -1 FROM json_each(@later))`;

/**
 * Sums of stored sums, added up where they are stored: how many places there are is the account's doing, and to read each of
 * thousands takes the event loop's time. Call within one transaction what must see one commit.
 */
export class RollupSums {
  readonly #calendar: LocalCalendar;
  readonly #byDay: { all(asked: Asked): PeriodRow[] };
  readonly #byMonth: { all(asked: Asked): PeriodRow[] };
  readonly #distinct: { get(asked: object): { locations: number; devices: number } | undefined };
  readonly #choices: { all(asked: object): Place[] };
  readonly #later: { all(userId: Id, afterMs: number, beforeMs: number): (LaterRow & { timeMs: number })[] };

  constructor(db: Database, calendar: LocalCalendar) {
    this.#calendar = calendar;
    this.#byDay = db.prepare<[Asked], PeriodRow>(periodSql("day")).safeIntegers();
    this.#byMonth = db.prepare<[Asked], PeriodRow>(periodSql("month")).safeIntegers();
    this.#distinct = db.prepare<[object], { locations: number; devices: number }>(
      `${PARTS}
       SELECT (SELECT count(*) FROM (SELECT 1 FROM part GROUP BY locationName HAVING sum(count) > 0)) AS locations,
              (SELECT count(*) FROM (SELECT 1 FROM part GROUP BY deviceId HAVING sum(count) > 0)) AS devices`,
    );
    this.#choices = db.prepare<[object], Place>(
      `${PARTS}
       SELECT locationName, deviceId FROM part GROUP BY locationName, deviceId HAVING sum(count) > 0
        ORDER BY sum(count) DESC, locationName, deviceId LIMIT @limit`,
    );
    this.#later = db.prepare<[Id, number, number], LaterRow & { timeMs: number }>(
      `SELECT location_name AS locationName, device_id AS deviceId, micros, effective_ms AS timeMs
         FROM record WHERE user_id = ? AND effective_ms > ? AND effective_ms < ? AND voided_by IS NULL`,
    );
  }

  /**
   * What is stored for later today. A client's clock may run ahead: where days up to now are meant, it is taken off
   * again. Such records are few by nature, and found by index.
   */
  later(userId: Id, nowMs: number): readonly LaterRow[] {
    const today = this.#calendar.dayOf(nowMs);
    return this.#later
      .all(userId, nowMs, nowMs + LONGEST_DAY_MS)
      .filter(({ timeMs }) => this.#calendar.dayOf(timeMs) === today);
  }

  /** What each day has, of one place or all; none where nothing was sold. */
  days(userId: Id, range: Range<Day>, place = ALL): Map<Day, Sold> {
    return toSums(this.#byDay.all({ userId, ...range, ...place }));
  }

  /** What each month has, of one place or all; none where nothing was sold. */
  months(userId: Id, range: Range<Month>, place = ALL): Map<Month, Sold> {
    return toSums(this.#byMonth.all({ userId, ...range, ...place }));
  }

  /** How many location names and device ids have sold, of one place or all. `later` fits the place already. */
  distinct(userId: Id, ranges: Ranges, later: readonly Place[], place = ALL) {
    const asked = { userId, ...bound(ranges), later: toJson(later), ...place };
    return this.#distinct.get(asked) ?? { locations: 0, devices: 0 };
  }

  /** Where and what has sold, most first, so many at most. */
  choices(userId: Id, ranges: Ranges, later: readonly Place[], limit: number): readonly Place[] {
    return this.#choices.all({ userId, ...bound(ranges), later: toJson(later), ...ALL, limit });
  }
}

/** Adds sums up. */
export function addUp(...sums: readonly Iterable<Sold>[]): Sold {
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

/** Takes what is later off today's sum. */
export function takeOff(sums: Map<Day, Sold>, today: Day, later: readonly LaterRow[]): void {
  const { totalMicros, count } = sums.get(today) ?? { totalMicros: 0n, count: 0 };
  const off = later.reduce((sum, { micros }) => sum + BigInt(micros), 0n);
  sums.set(today, { totalMicros: totalMicros - off, count: count - later.length });
}

export function fits(place: PlaceFilter, { locationName, deviceId }: Place): boolean {
  return (
    (place.location === null || locationName === place.location) &&
    (place.deviceId === null || deviceId === place.deviceId)
  );
}

/** Sums of units leave 64 bits only with billions of the largest records; of millionths they stay small. */
function periodSql(period: "day" | "month"): string {
  return `SELECT ${period} AS period, sum(count) AS count, sum(units) AS units, sum(micros) AS micros
            FROM rollup_${period} WHERE user_id = @userId AND ${period} BETWEEN @from AND @to AND ${FITS}
           GROUP BY ${period}`;
}

function toSums(rows: readonly PeriodRow[]): Map<number, Sold> {
  return new Map(
    rows.map(({ period, count, units, micros }) => [
      Number(period),
      { totalMicros: units * BigInt(MICROS_PER_UNIT) + micros, count: Number(count) },
    ]),
  );
}

function bound({ months, days }: Ranges): Record<string, number> {
  const ranges = [months[0], months[1], days[0], days[1]].map((range) => range ?? NO_RANGE);
  return Object.fromEntries(
    ranges.flatMap(({ from, to }, index) => [
      [`from${index}`, from],
      [`to${index}`, to],
    ]),
  );
}

function toJson(later: readonly Place[]): string {
  return JSON.stringify(later.map(({ locationName, deviceId }) => [locationName, deviceId]));
}
