import { DAY_MS } from "../../domain/clock.ts";

/** Calendar days as `2026-03-29`, which sort and compare as texts. */
export type Day = string;

/** Gives the calendar day of a moment (Unix milliseconds) in a time zone. */
export function dayReader(timeZone: string | undefined): (timeMs: number) => Day {
  // The Swedish way to write a date is year-month-day.
  const format = inZone("sv-SE", timeZone, { year: "numeric", month: "2-digit", day: "2-digit" });
  return (timeMs) => format.format(timeMs);
}

const MINUTE_DIGITS = "2026-11-21T18:40".length;

/** Reads and writes `2026-11-21T18:40` in a time zone, as a field of a date and time has it. */
export function momentField(timeZone: string | undefined) {
  const parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const date = inZone("sv-SE", timeZone, { year: "numeric", month: "2-digit", day: "2-digit", ...parts });
  const textOf = (timeMs: number) => date.format(timeMs).replace(" ", "T");
  return {
    textOf,
    /** Undefined for a text that is none; of an hour that the clocks repeat, one of the two. */
    momentOf(text: string): number | undefined {
      const wanted = Date.parse(`${text.slice(0, MINUTE_DIGITS)}Z`);
      if (Number.isNaN(wanted)) return undefined;
      // The offset of a moment nearby is that of the moment, but where the clocks change in between.
      const byOffsetAt = (timeMs: number) => wanted + timeMs - Date.parse(`${textOf(timeMs)}Z`);
      return byOffsetAt(byOffsetAt(wanted));
    },
  };
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

/** A calendar month as `2026-03`, which sorts and compares as a text. */
export type Month = string;

const OFFERED_MONTHS = 36;

export function monthOf(day: Day): Month {
  return day.slice(0, 7);
}

/** The month so many months later; before, when negative. */
export function monthAfter(month: Month, months: number): Month {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return monthOf(new Date(Date.UTC(year, number - 1 + months)).toISOString());
}

/** The days of a month up to one, oldest first. */
export function daysUpTo(newest: Day, month: Month): readonly Day[] {
  const days: Day[] = [];
  for (let day = `${month}-01`; monthOf(day) === month && day <= newest; day = daysBefore(day, -1))
    days.push(day);
  return days;
}

/** The months to choose from, newest first: three years, and older ones as far as the chosen one. */
export function monthsUpTo(newest: Month, chosen: Month): readonly Month[] {
  const months = Array.from({ length: OFFERED_MONTHS }, (_, back) => monthAfter(newest, -back));
  return months.includes(chosen) ? months : [...months, chosen];
}
