import { DAY_MS } from "../../domain/clock.ts";

/** Calendar days as `2026-03-29`, which sort and compare as texts. */
export type Day = string;

/** Gives the calendar day of a moment (Unix milliseconds) in a time zone. */
export function dayReader(timeZone: string | undefined): (timeMs: number) => Day {
  // The Swedish way to write a date is year-month-day.
  const format = inZone("sv-SE", timeZone, { year: "numeric", month: "2-digit", day: "2-digit" });
  return (timeMs) => format.format(timeMs);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text is the day of an address: two digits each for month and day, and in the calendar. */
export function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

export function daysBefore(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, day.length);
}

/** A format of dates in a time zone; in the browser's own where it does not know that one. */
export function inZone(
  locale: string,
  timeZone: string | undefined,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat(locale, options);
  }
}
