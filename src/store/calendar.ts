import { Temporal } from "temporal-polyfill";

/** A local calendar day as a number that reads like one: 20261121. */
export type Day = number;
/** A local calendar month: 202611. */
export type Month = number;

const MS_PER_HOUR = 3_600_000;
const NS_PER_MS = 1_000_000;
/** The last moment that a date can name, in either direction (ECMA-262, time values). */
const MAX_TIME_MS = 8.64e15;
/** Two years of hours. A ledger's days are mostly read and written around today. */
const MAX_CACHED_HOURS = 20_000;

/**
 * Local days of one time zone. The day of a moment follows from the zone's offset at that moment, not
 * from where days start: in some zones midnight comes twice (America/St_Johns went back from 00:01 to
 * 23:01), and a day is no single stretch of time there.
 */
export class LocalCalendar {
  readonly timeZone: string;
  /** UTC hour to the zone's offset in ms, for hours that see no change of it. */
  readonly #offsets = new Map<number, number>();

  /** `timeZone` is an IANA name; a wrong one throws RangeError at the first use. */
  constructor(timeZone: string) {
    this.timeZone = timeZone;
  }

  /** The local day of a moment, from 0 to 8.64e15 Unix milliseconds. */
  dayOf(timeMs: number): Day {
    return dayFromDate(new Date(Math.min(timeMs + this.#offsetMs(timeMs), MAX_TIME_MS)));
  }

  #offsetMs(timeMs: number): number {
    const hour = Math.floor(timeMs / MS_PER_HOUR);
    const cached = this.#offsets.get(hour);
    if (cached !== undefined) return cached;
    const first = this.#offsetAt(hour * MS_PER_HOUR);
    const last = this.#offsetAt(Math.min((hour + 1) * MS_PER_HOUR - 1, MAX_TIME_MS));
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

/** The last `count` days up to and including `today`, oldest first. */
export function daysUntil(today: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, index) => addDays(today, index - count + 1));
}

/** The twelve months of the year that holds `day`, January first. */
export function monthsOfYear(day: Day): Month[] {
  const year = Math.floor(day / 10_000);
  return Array.from({ length: 12 }, (_, index) => year * 100 + index + 1);
}

export function monthOf(day: Day): Month {
  return Math.floor(day / 100);
}

/** 0 is Sunday. */
export function weekdayOf(day: Day): number {
  return dateFromDay(day).getUTCDay();
}

function addDays(day: Day, days: number): Day {
  const date = dateFromDay(day);
  date.setUTCDate(date.getUTCDate() + days);
  return dayFromDate(date);
}

function dateFromDay(day: Day): Date {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100);
  return date;
}

function dayFromDate(date: Date): Day {
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}
