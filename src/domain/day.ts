/** A local calendar day as a number that reads like one: 20261121. */
export type Day = number;
/** A local calendar month: 202611. */
export type Month = number;

export const DAYS_PER_WEEK = 7;
// Not of the year 0: the days before, which an answer compares with, have no such text.
const DAY_TEXT = /^(?!0000)(\d{4})-(\d{2})-(\d{2})$/;

/** The day of `YYYY-MM-DD`; undefined for a text that is none, the 30th of February among them. */
export function parseDay(text: string): Day | undefined {
  const [, year, month, day] = DAY_TEXT.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const parsed = Number(year + month + day);
  return dayFromDate(dateFromDay(parsed)) === parsed ? parsed : undefined;
}

/** The month of `YYYY-MM`; undefined for a text that is none. */
export function parseMonth(text: string): Month | undefined {
  const first = parseDay(`${text}-01`);
  return first && monthOf(first);
}

/**
 * The Unix milliseconds of a date and time that begins with `YYYY-MM-DD`, as in ISO 8601; in this process's
 * zone where it has a time and no offset. Undefined for a text that is none, or whose day there is not.
 */
export function parseMoment(text: string): number | undefined {
  // Date.parse alone takes the 30th of February for the 2nd of March, 1/2/2026 for January and 7 for July.
  if (parseDay(text.slice(0, "2026-11-21".length)) === undefined) return undefined;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  const digits = String(day).padStart(8, "0");
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}

/** `YYYY-MM`. */
export function formatMonth(month: Month): string {
  return formatDay(firstDayOf(month)).slice(0, -"-01".length);
}

export function monthOf(day: Day): Month {
  return Math.floor(day / 100);
}

export function firstDayOf(month: Month): Day {
  return month * 100 + 1;
}

export function lastDayOf(month: Month): Day {
  return addDays(firstDayOf(monthAfter(month)), -1);
}

export function monthAfter(month: Month): Month {
  return month % 100 === 12 ? month + 100 - 11 : month + 1;
}

export function monthBefore(month: Month): Month {
  return monthOf(addDays(firstDayOf(month), -1));
}

export function addDays(day: Day, days: number): Day {
  const date = dateFromDay(day);
  date.setUTCDate(date.getUTCDate() + days);
  return dayFromDate(date);
}

/** The same day of the year before; the 28th for a 29th of February. */
export function yearBefore(day: Day): Day {
  return Math.min(day - 10_000, lastDayOf(monthOf(day) - 100));
}

/** 0 is Sunday. */
export function weekdayOf(day: Day): number {
  return dateFromDay(day).getUTCDay();
}

/** That day's midnight in UTC. */
export function dateFromDay(day: Day): Date {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100);
  return date;
}

/** The day that a moment has in UTC. */
export function dayFromDate(date: Date): Day {
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}
