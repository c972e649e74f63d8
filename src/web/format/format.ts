import { DAY_MS, HOUR_MS, MAX_TIME_MS, MINUTE_MS, SECOND_MS } from "../../domain/clock.ts";
import type { stateTexts } from "../messages/state.ts";
import { type Day, dayReader, inZone, type Month, momentField, monthOf } from "./day.ts";

/** The money that amounts are in: an ISO 4217 code, and how many decimals it is written with. */
interface FormatCurrency {
  readonly code: string;
  readonly decimals: number;
}

/** Numbers and times as people read them, in one locale, time zone and currency. Times are Unix milliseconds. */
export type Format = ReturnType<typeof createFormat>;

const SHORT_MONEY_FROM = 10_000;
/** An amount is kept to so many. */
export const MAX_DECIMALS = 6;
const DAY_STYLES = {
  weekday: { weekday: "short" },
  long: { weekday: "long", day: "numeric", month: "long" },
  full: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
  short: { day: "numeric", month: "short" },
  shortYear: { day: "numeric", month: "short", year: "numeric" },
  numeric: { day: "2-digit", month: "2-digit", year: "numeric" },
  brief: { day: "2-digit", month: "2-digit", year: "2-digit" },
  month: { month: "short" },
  longMonth: { month: "long", year: "numeric" },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;
type DayStyle = keyof typeof DAY_STYLES;
const WITH_YEAR = { short: "shortYear", long: "full" } as const;
const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const BYTE_STEP = 1_000;
const YEAR_DIGITS = 4;

/**
 * `timeZone` is an IANA name; one that the browser does not know, and undefined, mean the browser's own.
 * Without a currency amounts have two decimals and no sign.
 */
export function createFormat(
  locale: string,
  timeZone: string | undefined,
  currency?: FormatCurrency | undefined,
) {
  const number = (options: Intl.NumberFormatOptions) =>
    lazyText<number>(() => new Intl.NumberFormat(locale, options));
  const minute = { hour: "2-digit", minute: "2-digit" } as const;
  const isRepeated = repeatedHours(lazyText<number>(() => inZone(locale, timeZone, minute)));
  /** Of a time in an hour that the clocks repeat, the zone's short name tells which of the two it is: `02:30 CEST`. */
  const date = (options: Intl.DateTimeFormatOptions) => {
    const plain = lazyText<number>(() => inZone(locale, timeZone, options));
    const named = lazyText<number>(() => inZone(locale, timeZone, { ...options, timeZoneName: "short" }));
    return (timeMs: number) => (isRepeated(timeMs) ? named : plain)(timeMs);
  };
  const unit = (name: "hour" | "minute" | "second") => {
    const text = number({ style: "unit", unit: name, unitDisplay: "short" });
    return (value: number) => unbroken(text(value));
  };
  const inMoney = moneyOptions(currency);
  const short = number({
    ...inMoney,
    notation: "compact",
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  });
  const whole = number({
    ...inMoney,
    minimumFractionDigits: 0,
    maximumFractionDigits: 0,
    useGrouping: "always",
  });
  const time = date(minute);
  const moment = date({ day: "numeric", month: "short", ...minute });
  const dateTime = date({ day: "numeric", month: "short", year: "numeric", ...minute });
  const hours = unit("hour");
  const minutes = unit("minute");
  const seconds = unit("second");
  const dayOf = lazy(() => dayReader(timeZone));
  const day = (timeMs: number) => dayOf()(timeMs);
  const field = lazy(() => momentField(timeZone));
  const collator = lazy(() => new Intl.Collator(locale, { numeric: true }));
  const days = new Map<DayStyle, Intl.DateTimeFormat>();
  const dayName = (of: Day, style: DayStyle): string => {
    const known =
      days.get(style) ?? new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...DAY_STYLES[style] });
    days.set(style, known);
    return known.format(Date.parse(`${of}T00:00:00Z`));
  };

  const decimals = {
    minimumFractionDigits: currency?.decimals ?? 2,
    maximumFractionDigits: MAX_DECIMALS,
  };

  return {
    /** An amount, exactly: `1.234,50 €`. Decimals beyond the currency's are shown when they are there. */
    money: number({ ...inMoney, ...decimals, useGrouping: "always" }),
    /** The same as it would be typed: `1234,50`. */
    typedMoney: number({ ...decimals, useGrouping: false }),
    /** The same in little room, rounded: `1,2 mil €`. */
    shortMoney: (amount: number) => (Math.abs(amount) < SHORT_MONEY_FROM ? whole : short)(amount),
    count: number({ useGrouping: "always" }),
    /** Of 1: `12 %`. */
    percent: number({ style: "percent", maximumFractionDigits: 0 }),
    /** `3,2 GB`. */
    bytes: (bytes: number) => bytesText(locale, bytes),
    /** `10:42`. */
    time,
    /** `10:42:07`. */
    exactTime: date({ ...minute, second: "2-digit" }),
    /** The time alone for today, with its day in this year, in full in another: `10:42`, `18 nov, 10:42`, `18 nov 2025, 10:42`. */
    moment: (timeMs: number, nowMs: number) => {
      const [then, today] = [day(timeMs), day(nowMs)];
      const isThisYear = then.slice(0, YEAR_DIGITS) === today.slice(0, YEAR_DIGITS);
      return (then === today ? time : isThisYear ? moment : dateTime)(timeMs);
    },
    /** `18 nov 2026, 10:42`. */
    dateTime,
    /** `2026-11-18T10:42`, as it would be typed. */
    typedMoment: (timeMs: number) => field().textOf(timeMs),
    /** Reads what is typed so; undefined for a text that is none. */
    momentOf: (text: string) => field().momentOf(text),
    /** ISO 8601, for programs. */
    iso: (timeMs: number) => new Date(timeMs).toISOString(),
    day,
    /** Of a calendar day: `mar`, `martes, 18 de noviembre`, `18 nov`, `18/11/2026`, `nov`, `noviembre de 2026`. */
    dayName,
    /** Of a calendar month or day, in full: `noviembre de 2026`, `martes, 18 de noviembre de 2026`. */
    spanName: (of: Month | Day) =>
      of === monthOf(of) ? dayName(`${of}-01`, "longMonth") : dayName(of, "full"),
    /** The same, with its year where that is not today's: `18 nov`, `18 nov 2025`. */
    dayNameBy: (today: Day, of: Day, style: keyof typeof WITH_YEAR) =>
      dayName(of, of.slice(0, YEAR_DIGITS) === today.slice(0, YEAR_DIGITS) ? style : WITH_YEAR[style]),
    /** `32 min`, `1 h 5 min`, `12 s`. */
    duration: (durationMs: number) => {
      if (durationMs < MINUTE_MS) return seconds(Math.max(0, Math.round(durationMs / SECOND_MS)));
      const wholeHours = Math.floor(durationMs / HOUR_MS);
      const restMinutes = Math.floor((durationMs % HOUR_MS) / MINUTE_MS);
      if (wholeHours === 0) return minutes(restMinutes);
      return restMinutes === 0 ? hours(wholeHours) : `${hours(wholeHours)} ${minutes(restMinutes)}`;
    },
    /** Texts in the order of the language, numbers in them by their value. */
    compare: (a: string, b: string) => collator().compare(a, b),
  };
}

/** How long something lasted, as people say it: days once there are two of them, then hours, then minutes. */
export function ageText(
  ageMs: number,
  words: Pick<typeof stateTexts.es, "days">,
  format: Pick<Format, "count" | "duration">,
): string {
  const days = Math.floor(ageMs / DAY_MS);
  if (days >= 2) return words.days(format.count(days));
  const rounded = ageMs < HOUR_MS ? ageMs : Math.floor(ageMs / HOUR_MS) * HOUR_MS;
  return format.duration(rounded);
}

function moneyOptions(currency: FormatCurrency | undefined): Intl.NumberFormatOptions {
  return currency === undefined
    ? {}
    : { style: "currency", currency: currency.code, currencyDisplay: "narrowSymbol" };
}

function bytesText(locale: string, bytes: number): string {
  const step = Math.min(BYTE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const unit = BYTE_UNITS[step] ?? "byte";
  const value = bytes / BYTE_STEP ** step;
  const text = new Intl.NumberFormat(locale, {
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: 1,
  }).format(value);
  return unbroken(text);
}

/** A number and its unit, which no line ends between. */
function unbroken(text: string): string {
  return text.replace(" ", "\u00a0");
}

/** Zones change their clocks at a half hour. */
const HALF_HOUR_MS = 30 * MINUTE_MS;

/** Tells whether a time is in an hour that the clocks repeat; `text` writes hour and minute. It looks at each half hour once. */
function repeatedHours(text: (timeMs: number) => string): (timeMs: number) => boolean {
  const known = new Map<number, boolean>();
  return (timeMs) => {
    const startMs = timeMs - (timeMs % HALF_HOUR_MS);
    const isRepeated =
      known.get(startMs) ??
      [startMs - HOUR_MS, Math.min(startMs + HOUR_MS, MAX_TIME_MS)].some(
        (otherMs) => text(otherMs) === text(startMs),
      );
    known.set(startMs, isRepeated);
    return isRepeated;
  };
}

function lazyText<T>(make: () => { format(value: T): string }): (value: T) => string {
  const made = lazy(make);
  return (value) => made().format(value);
}

/** Makes a value at its first use: each Intl formatter takes a slow tablet several milliseconds. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly thing: T } | undefined;
  return () => {
    made ??= { thing: make() };
    return made.thing;
  };
}
