import { Temporal } from "temporal-polyfill";
import { DAY_MS, HOUR_MS, MAX_TIME_MS, NS_PER_MS } from "../../domain/clock.ts";
import { addDays, type Day, dateFromDay, dayFromDate, type Month } from "../../domain/day.ts";

/** A zone's changes of offset are computed up to this moment. */
const RULES_END_MS = Date.UTC(2100, 0, 1);
/** Two years of hours: most days that are read and written are near today. */
const MAX_CACHED_HOURS = 20_000;

/** Moments of some local days, in Unix milliseconds. */
export interface Stretch {
  readonly fromMs: number;
  readonly insideFromMs: number;
  readonly insideUntilMs: number;
  readonly untilMs: number;
}

/**
 * Local days of one time zone. The day of a moment follows from the zone's offset at that moment, not
 * from where days start: in some zones midnight comes twice (America/St_Johns went back from 00:01 to
 * 23:01), and a day is no single stretch of time there.
 */
export class LocalCalendar {
  readonly timeZone: string;
  /** The zone's offset in milliseconds by UTC hour, for hours without a change of offset. */
  readonly #offsets = new Map<number, number>();

  /** `timeZone` is an IANA name; a wrong one throws RangeError at the first use. */
  constructor(timeZone: string) {
    this.timeZone = timeZone;
  }

  /** The local day of a moment, from 0 to 8.64e15 Unix milliseconds. */
  dayOf(timeMs: number): Day {
    return dayFromDate(this.#localDate(timeMs));
  }

  /** Local date and time of a moment, from 0 to 8.64e15 Unix milliseconds: `2026-11-21T09:05:00.000`. */
  localTime(timeMs: number): string {
    return this.#localDate(timeMs).toISOString().slice(0, -1);
  }

  /**
   * Each change of the zone's offset from 1970 to 2100, with the offset before the first: moment and
   * offset, both in milliseconds. All rules of today take effect before 2100. Takes some 100 ms.
   */
  offsetChanges(): readonly (readonly [number, number])[] {
    const changes: [number, number][] = [];
    const begin = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(this.timeZone);
    for (
      let at: Temporal.ZonedDateTime | null = begin;
      at !== null && at.epochMilliseconds < RULES_END_MS;
    ) {
      changes.push([at.epochMilliseconds, at.offsetNanoseconds / NS_PER_MS]);
      at = at.getTimeZoneTransition("next");
    }
    return changes;
  }

  /**
   * The stretch of the local days `from` to `to`, both included. All their moments
   * are in [fromMs, untilMs), and all moments of [insideFromMs, insideUntilMs) are
   * theirs. For a moment between these bounds only `dayOf` can tell.
   */
  stretchOf(from: Day, to: Day): Stretch {
    const begin = this.#midnightsAt(dateFromDay(from).getTime());
    // Not the day after `to`: the last day of a record has none.
    const end = this.#midnightsAt(dateFromDay(to).getTime() + DAY_MS);
    return {
      fromMs: begin.firstMs,
      insideFromMs: begin.lastMs,
      insideUntilMs: end.firstMs,
      untilMs: end.lastMs,
    };
  }

  /**
   * When the clock reads on a day what it reads at `timeMs`, a moment of `today`,
   * in Unix milliseconds; of an hour that comes twice the second time. A moment
   * of another day is taken for one before `today` began or after its end.
   */
  sameTimeOn(day: Day, today: Day, timeMs: number): number {
    const sinceMidnightMs = this.#localDate(timeMs).getTime() - dateFromDay(today).getTime();
    const asUtcMs = dateFromDay(day).getTime() + sinceMidnightMs;
    const possible = this.#possibleMoments(asUtcMs);
    const right = possible.filter((atMs) => atMs + this.#offsetMs(inRange(atMs)) === asUtcMs);
    return Math.max(...(right.length === 0 ? possible : right));
  }

  /**
   * The first and the last moment at which a day begins whose midnight in UTC this is.
   * Where no midnight is its beginning (the clock skipped that, or the whole day), the
   * earliest and the latest at which it can begin, by the offsets around it.
   */
  #midnightsAt(midnightMs: number): { firstMs: number; lastMs: number } {
    const possible = this.#possibleMoments(midnightMs);
    const begun = possible.filter((timeMs) => this.#begins(midnightMs, timeMs));
    const midnights = begun.length === 0 ? possible : begun;
    return { firstMs: Math.min(...midnights), lastMs: Math.max(...midnights) };
  }

  /** The moments at which the local clock may read what UTC reads at this moment, by the offsets around it. */
  #possibleMoments(asUtcMs: number): readonly number[] {
    return [-1, 0, 1].map((days) => asUtcMs - this.#offsetMs(inRange(asUtcMs + days * DAY_MS)));
  }

  #begins(midnightMs: number, timeMs: number): boolean {
    if (inRange(timeMs) !== timeMs) return false;
    const readMs = timeMs + this.#offsetMs(timeMs);
    const readBeforeMs = timeMs - 1 + this.#offsetMs(timeMs - 1);
    return readBeforeMs < midnightMs && readMs >= midnightMs && readMs < midnightMs + DAY_MS;
  }

  /** A date whose UTC fields are the local time of a moment. */
  #localDate(timeMs: number): Date {
    return new Date(Math.min(timeMs + this.#offsetMs(timeMs), MAX_TIME_MS));
  }

  #offsetMs(timeMs: number): number {
    const hour = Math.floor(timeMs / HOUR_MS);
    const cached = this.#offsets.get(hour);
    if (cached !== undefined) return cached;
    const first = this.#offsetAt(hour * HOUR_MS);
    const last = this.#offsetAt(Math.min((hour + 1) * HOUR_MS - 1, MAX_TIME_MS));
    if (first !== last) return this.#offsetAt(timeMs);
    if (this.#offsets.size >= MAX_CACHED_HOURS) this.#offsets.clear();
    this.#offsets.set(hour, first);
    return first;
  }

  #offsetAt(timeMs: number): number {
    const moment = Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(this.timeZone);
    return moment.offsetNanoseconds / NS_PER_MS;
  }
}

/**
 * From a day's midnight until its clock reads what today's reads at `nowMs`, in Unix
 * milliseconds; none before today has begun in this zone, and not beyond the day's end.
 */
export function momentsSoFar(
  calendar: LocalCalendar,
  day: Day,
  today: Day,
  nowMs: number,
): readonly [fromMs: number, untilMs: number] {
  const { insideFromMs, insideUntilMs } = calendar.stretchOf(day, day);
  const untilMs = Math.min(calendar.sameTimeOn(day, today, nowMs), insideUntilMs);
  return [insideFromMs, Math.max(insideFromMs, untilMs)];
}

/** The last `count` days up to and including `today`, oldest first. */
export function daysUntil(today: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, index) => addDays(today, index - count + 1));
}

/** The twelve months of the year that holds `day`, January first. */
export function monthsOfYear(day: Day): Month[] {
  const year = Math.floor(day / 10_000);
  return Array.from({ length: 12 }, (_, index) => year * 100 + index + 1);
}

function inRange(timeMs: number): number {
  return Math.min(Math.max(timeMs, 0), MAX_TIME_MS);
}
