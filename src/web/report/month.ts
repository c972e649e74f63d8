import { type Day, daysBefore } from "../format/day.ts";

/** A calendar month as `2026-03`, which sorts and compares as a text. */
export type Month = string;

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
const OFFERED_MONTHS = 36;

export function monthOf(day: Day): Month {
  return day.slice(0, 7);
}

export function isMonth(text: string): boolean {
  return MONTH.test(text);
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
  const months: Month[] = [];
  for (let back = 0; back < OFFERED_MONTHS; back += 1) months.push(monthAfter(newest, -back));
  if (!months.includes(chosen)) months.push(chosen);
  return months;
}
