import { HOUR_MS } from "../../src/domain/clock.ts";
/** Local dates as Intl tells them: another way than the store's own, to hold it against. */
export class ZoneDates {
  readonly #format: Intl.DateTimeFormat;
  readonly #days = new Map<number, number>();

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      year: "numeric",
      month: "numeric",
      day: "numeric",
    });
  }

  dayOf(timeMs: number): number {
    const known = this.#days.get(timeMs) ?? this.#read(timeMs);
    this.#days.set(timeMs, known);
    return known;
  }

  #read(timeMs: number): number {
    const parts = new Map(this.#format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]));
    return (parts.get("year") ?? 0) * 10_000 + (parts.get("month") ?? 0) * 100 + (parts.get("day") ?? 0);
  }
}

export const ALL_ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

/**
 * One zone of each rule that can break a sum by day: no change of the clock, offsets of quarters of an hour, a change by
 * half an hour or two hours, a change at midnight in either direction, a midnight that comes twice, and a day that never was.
 * `calendar.test.ts` holds the days themselves against Intl in every zone.
 */
export const RULE_ZONES: readonly string[] = [
  "UTC",
  "Europe/Madrid",
  "Asia/Kathmandu",
  "Pacific/Chatham",
  "Australia/Lord_Howe",
  "Antarctica/Troll",
  "America/Havana",
  "America/Santiago",
  "Asia/Beirut",
  "America/St_Johns",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
  "Africa/Casablanca",
  "Africa/Monrovia",
];

/** Moments that break calendars: ends of years, nights of changed clocks, a day that never was. */
export const AWKWARD_MOMENTS: readonly number[] = [
  0,
  Date.UTC(1972, 0, 7, 0, 44, 29),
  Date.UTC(1972, 0, 7, 0, 44, 30),
  Date.UTC(2006, 9, 29, 2, 31),
  Date.UTC(2006, 9, 29, 3, 0),
  Date.UTC(2011, 11, 30, 9, 59, 59, 999),
  Date.UTC(2011, 11, 30, 10),
  Date.UTC(2024, 1, 29, 12),
  Date.UTC(2026, 2, 29, 0, 59, 59, 999),
  Date.UTC(2026, 2, 29, 1),
  Date.UTC(2026, 9, 25, 0, 30),
  Date.UTC(2026, 9, 25, 1, 30),
  Date.UTC(2026, 11, 31, 23, 59, 59, 999),
  ...Array.from({ length: 49 }, (_, hour) => Date.UTC(2026, 11, 31) + hour * HOUR_MS),
  Date.UTC(2038, 0, 19, 3, 14, 8),
];
