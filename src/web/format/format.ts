import { type Day, dayBefore, dayReader } from "./day.ts";

/** Numbers and times as people read them, in one locale and time zone. Times are Unix milliseconds. */
export interface Format {
  /** An amount with two decimals and no currency: `1.234,50`. */
  money(amount: number): string;
  /** The same in little room: `1,2 mil`. */
  shortMoney(amount: number): string;
  count(count: number): string;
  /** `10:42`. */
  time(timeMs: number): string;
  /** The time alone for today, with its day before that: `10:42`, `18 nov, 10:42`. */
  moment(timeMs: number, nowMs: number): string;
  /** ISO 8601, for programs. */
  iso(timeMs: number): string;
  day(timeMs: number): Day;
  /** 0 for today, 1 for yesterday, undefined for any other day. */
  daysAgo(timeMs: number, nowMs: number): 0 | 1 | undefined;
  /** `martes, 18 de noviembre`. */
  longDay(timeMs: number): string;
  /** `32 min`, `1 h 5 min`, `12 s`. */
  duration(durationMs: number): string;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const SHORT_MONEY_FROM = 1_000;

/** `timeZone` is an IANA name; one that the browser does not know, and undefined, mean the browser's own. */
export function createFormat(locale: string, timeZone: string | undefined): Format {
  const zone = knownZone(timeZone);
  const number = (options: Intl.NumberFormatOptions) => lazy(() => new Intl.NumberFormat(locale, options));
  const date = (options: Intl.DateTimeFormatOptions) =>
    lazy(() => new Intl.DateTimeFormat(locale, { timeZone: zone, ...options }));
  const unit = (name: "hour" | "minute" | "second") =>
    number({ style: "unit", unit: name, unitDisplay: "short" });

  const money = number({ minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: "always" });
  const short = number({ notation: "compact", maximumFractionDigits: 1 });
  const count = number({ useGrouping: "always" });
  const time = date({ hour: "2-digit", minute: "2-digit" });
  const moment = date({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  const longDay = date({ weekday: "long", day: "numeric", month: "long" });
  const hours = unit("hour");
  const minutes = unit("minute");
  const seconds = unit("second");
  const dayOf = lazy(() => dayReader(zone));
  const day = (timeMs: number) => dayOf()(timeMs);

  return {
    money: (amount) => money().format(amount),
    shortMoney: (amount) => (Math.abs(amount) < SHORT_MONEY_FROM ? money() : short()).format(amount),
    count: (value) => count().format(value),
    time: (timeMs) => time().format(timeMs),
    moment: (timeMs, nowMs) => (day(timeMs) === day(nowMs) ? time() : moment()).format(timeMs),
    iso: (timeMs) => new Date(timeMs).toISOString(),
    day,
    daysAgo: (timeMs, nowMs) => {
      if (day(timeMs) === day(nowMs)) return 0;
      return day(timeMs) === dayBefore(day(nowMs)) ? 1 : undefined;
    },
    longDay: (timeMs) => longDay().format(timeMs),
    duration: (durationMs) => {
      if (durationMs < MINUTE_MS) return seconds().format(Math.max(0, Math.round(durationMs / SECOND_MS)));
      const wholeHours = Math.floor(durationMs / HOUR_MS);
      const restMinutes = Math.floor((durationMs % HOUR_MS) / MINUTE_MS);
      if (wholeHours === 0) return minutes().format(restMinutes);
      return restMinutes === 0
        ? hours().format(wholeHours)
        : `${hours().format(wholeHours)} ${minutes().format(restMinutes)}`;
    },
  };
}

/** Makes a thing at its first use: an Intl formatter takes a slow tablet several milliseconds each. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly thing: T } | undefined;
  return () => {
    made ??= { thing: make() };
    return made.thing;
  };
}

function knownZone(timeZone: string | undefined): string | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
