import type { Language } from "./language.ts";

/** The kinds of notices. Programs depend on these names: they never change. */
export const NOTICE_KINDS = [
  "fault_begun",
  "fault_over",
  "rooms_silent",
  "daily_summary",
  "monthly_summary",
  "month_closed",
  "clinic_begun",
  "clinic_over",
  "test",
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Summaries: each morning of the day before, and on the first of a month of the month before. */
export const NOTICE_SUMMARIES = ["daily", "monthly"] as const;

/** Something that people are told by e-mail or webhook. */
export interface Notice {
  /** A UUID: the same whenever this notice is sent. */
  readonly id: string;
  readonly kind: NoticeKind;
  /** Unix milliseconds by the gateway's clock. */
  readonly madeMs: number;
  readonly language: Language;
  /** One line. */
  readonly subject: string;
  /** Plain text of some lines. */
  readonly text: string;
  /** The values that the text names, for programs. */
  readonly details: Readonly<Record<string, string | number>>;
}

/** How long notices wait at night. */
export interface QuietHours {
  /** Minutes after midnight, local time. */
  readonly fromMinute: number;
  readonly toMinute: number;
}

const QUIET_HOURS = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;
const MINUTES_PER_HOUR = 60;

/** Parses `22:00-07:00`. Undefined for any other form, and for hours that end when they begin. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const [, ...parts] = QUIET_HOURS.exec(text) ?? [];
  const [fromHour, fromMinute, toHour, toMinute] = parts.map(Number);
  if (fromHour === undefined || fromMinute === undefined || toHour === undefined || toMinute === undefined)
    return undefined;
  const from = fromHour * MINUTES_PER_HOUR + fromMinute;
  const to = toHour * MINUTES_PER_HOUR + toMinute;
  return from === to ? undefined : { fromMinute: from, toMinute: to };
}

/** Whether a local time (`2026-11-21T09:05:00.000`) is within the quiet hours. */
export function isQuiet(localTime: string, { fromMinute, toMinute }: QuietHours): boolean {
  const minute = minuteOf(localTime);
  // Through midnight where they end before they begin.
  return fromMinute < toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
}

/** Minutes after midnight of a local time. */
export function minuteOf(localTime: string): number {
  return Number(localTime.slice(11, 13)) * MINUTES_PER_HOUR + Number(localTime.slice(14, 16));
}
