import type { ProvenBackup } from "./backup.ts";
import { MINUTE_MS } from "./clock.ts";
import {
  type CheckName,
  type FaultDetails,
  type FaultEntry,
  type FaultValues,
  iso,
  MEGABYTE,
  SEVERITIES,
  type Severity,
} from "./faults/entry.ts";
import { GATEWAY_FAULTS } from "./faults/gateway.ts";
import { LEDGER_FAULTS } from "./faults/ledger.ts";
import { LINE_FAULTS } from "./faults/line.ts";
import { type Bilingual, counted, type Language, LOCALES } from "./language.ts";
import { type LedgerTroubles, type Status, UNKNOWN_MACHINE, UNREAD_LEDGER } from "./status.ts";

/**
 * Every fault: when it is one, how bad, its texts, and what to do. Programs
 * and translations depend on these codes: they never change.
 */
export const FAULTS = { ...LINE_FAULTS, ...GATEWAY_FAULTS, ...LEDGER_FAULTS };
export type FaultCode = keyof typeof FAULTS;
export const FAULT_CODES = Object.keys(FAULTS) as readonly FaultCode[];

/** A problem that needs a person's attention, in plain words. */
export interface Fault {
  readonly code: FaultCode;
  readonly sinceMs: number;
  readonly message: string;
  readonly hint: string;
  readonly details: FaultDetails;
}

/** The details that a fault's text needs: none, or one object. */
export type DetailsOf<C extends FaultCode> = Parameters<(typeof FAULTS)[C]["message"]>;

export function fault<C extends FaultCode>(code: C, sinceMs: number, ...given: DetailsOf<C>): Fault {
  const [details = {}]: readonly FaultDetails[] = given;
  return makeFault(code, sinceMs, details);
}

/** As `fault`, where the compiler does not know which. */
export function makeFault(code: FaultCode, sinceMs: number, details: FaultDetails): Fault {
  const { message, hint }: FaultEntry = FAULTS[code];
  return { code, sinceMs, message: message(details), hint, details };
}

/** A fault as a role sees it that sees no money: without the numbers of sales in its text and its details. */
export function withoutSales<F extends Pick<Fault, "code" | "message" | "details">>(fault: F): F {
  const { sales = [], message }: FaultEntry = FAULTS[fault.code];
  const told = Object.entries(fault.details).filter(([name]) => !sales.includes(name));
  const details = Object.fromEntries(
    told.map(([name, value]) => [name, typeof value === "string" ? withoutEntries(value) : value]),
  );
  return {
    ...fault,
    message: sales.length === 0 ? withoutEntries(fault.message) : message(details),
    details,
  };
}

/** A text without the numbers of the ledger's entries, which grow with each sale: `From entry N on`. */
export function withoutEntries(text: string): string {
  return text.replaceAll(/\b(entry|entries) \d+(?: to \d+)?/g, "$1 N");
}

/** What stays the same of a fault while it lasts: its numbers may change at every look. */
export function faultName({ code, details }: Pick<Fault, "code" | "details">): string {
  const { of = "" }: FaultEntry = FAULTS[code];
  return `${code} ${details[of] ?? ""}`.trim();
}

/** A fault as people are told of it. */
export interface ToldFault extends Fault {
  readonly severity: Severity;
  readonly check: CheckName;
  /** What it is and what to do, for people who are not technical. */
  readonly texts: Bilingual<{ readonly what: string; readonly todo: string }>;
}

/** Times are written in the zone. */
export function toldFault(fault: Fault, timeZone: string): ToldFault {
  const { severity, check, what, todo }: FaultEntry = FAULTS[fault.code];
  const textsIn = (language: Language) => {
    const values = valuesOf(fault.details, LOCALES[language], timeZone);
    return { what: textOf(what, language, values), todo: textOf(todo, language, values) };
  };
  return { ...fault, severity, check, texts: { es: textsIn("es"), en: textsIn("en") } };
}

function textOf(text: FaultEntry["what"], language: Language, values: FaultValues): string {
  const [es, en] = typeof text === "function" ? text(values) : text;
  return language === "es" ? es : en;
}

function valuesOf(details: FaultDetails, locale: string, timeZone: string): FaultValues {
  const number = (name: string) => Number(details[name] ?? 0);
  const megabytes = { style: "unit", unit: "megabyte", maximumFractionDigits: 0 } as const;
  const moment = { dateStyle: "medium", timeStyle: "short", timeZone } as const;
  const count = (value: number) => new Intl.NumberFormat(locale).format(value);
  return {
    number,
    count: (name) => count(number(name)),
    some: (name, one, many, none = many) =>
      number(name) === 0 ? none : counted(count(number(name)), one, many),
    bytes: (name) => new Intl.NumberFormat(locale, megabytes).format(number(name) / MEGABYTE),
    moment: (name) => new Intl.DateTimeFormat(locale, moment).format(number(name)),
    text: (name) => {
      const value = details[name] ?? "";
      return typeof value === "number" ? count(value) : value;
    },
  };
}

/** The disk for second backups holds those of other ledgers too. They are neither used nor removed. */
export function foreignFault(directory: string, foreign: readonly ProvenBackup[], sinceMs: number): Fault {
  const ledgers = foreign.map(({ ledger, locations, madeMs }) => {
    const date = iso(madeMs).slice(0, 10);
    return `${locations.join(", ") || "no location"} (${date}, folder ${ledger})`;
  });
  return fault("backup_foreign", sinceMs, { directory, ledgers: ledgers.join("; ") });
}

/** How long a fault must last before people are told of it: many pass by themselves. */
export const BEGUN_MS = 2 * MINUTE_MS;
/**
 * How long a fault must be away before it is over, so that one that comes
 * and goes is told of once. Longer than a restart takes to find it again.
 */
export const OVER_MS = 15 * MINUTE_MS;

/** What people are to be told after a look. */
export interface FaultNews {
  readonly begun: readonly Fault[];
  /** Faults as they were told of. */
  readonly over: readonly Fault[];
}

/** Finds what people are to be told: each fault once when it begins and once when it is over. */
export class FaultWatch {
  /** Since when each fault is there untold, or was told of and is away, in monotonic milliseconds, by name. */
  readonly #sinceMs = new Map<string, number>();

  /**
   * @param told the faults that people were told of and that are not over
   * @param faults those of this moment of monotonic time
   */
  update(told: readonly Fault[], faults: readonly Fault[], monotonicMs: number): FaultNews {
    const [known, present] = [new Set(told.map(faultName)), new Set(faults.map(faultName))];
    for (const name of this.#sinceMs.keys()) {
      if (known.has(name) === present.has(name)) this.#sinceMs.delete(name);
    }
    const lasts = (fault: Fault, ms: number) => {
      const name = faultName(fault);
      const sinceMs = this.#sinceMs.get(name) ?? monotonicMs;
      this.#sinceMs.set(name, sinceMs);
      return monotonicMs - sinceMs >= ms && this.#sinceMs.delete(name);
    };
    return {
      begun: faults.filter((fault) => !known.has(faultName(fault)) && lasts(fault, BEGUN_MS)),
      over: told.filter((fault) => !present.has(faultName(fault)) && lasts(fault, OVER_MS)),
    };
  }
}

/** Whether people are told that a fault is over: not where it says what happened and cannot be mended. */
export function tellsEnd({ code }: Fault): boolean {
  const { isPast }: FaultEntry = FAULTS[code];
  return isPast !== true;
}

/** What faults are found in. */
export interface FaultReading
  extends Pick<
    Status,
    | "clock"
    | "disk"
    | "lastBackup"
    | "lineFailures"
    | "machine"
    | "provisional"
    | "queues"
    | "simulated"
    | "sinks"
    | "startedMs"
    | "updates"
    | "uptimeMs"
  > {
  /** Faults that other parts of the service report. */
  readonly lasting: readonly { readonly code: string }[];
  readonly troubles: LedgerTroubles;
  /** Why the ledger's part could not be read; null where it could. */
  readonly unread: string | null;
  /** Kernel's monotonic time, in milliseconds: how long the machine has run. */
  readonly bootedForMs: number;
}

/** A reading with the faults that it holds already. */
export interface WholeReading extends FaultReading {
  readonly lasting: readonly Fault[];
}

/** A status before its faults are found. */
export type StatusReading = Omit<Status, "faults"> & WholeReading;

/** A reading without a fault, of which parts can be replaced. */
export const SOUND: WholeReading = {
  clock: { nowMs: 0, trusted: true, trustedSinceMs: null, bootId: "" },
  disk: null,
  lastBackup: null,
  lineFailures: [],
  machine: UNKNOWN_MACHINE,
  provisional: UNREAD_LEDGER.provisional,
  queues: { writes: { waiting: 0, limit: 1 }, edges: { waiting: 0, limit: 1, refused: false } },
  simulated: false,
  sinks: [],
  startedMs: 0,
  updates: null,
  uptimeMs: 0,
  lasting: [],
  troubles: UNREAD_LEDGER.troubles,
  unread: null,
  bootedForMs: 0,
};

/**
 * All faults, the worst first. Pure. A service that has just started has no backup,
 * and a gateway that has just booted no trusted time: neither is a fault yet.
 * @param since when something was first seen, in Unix milliseconds, by the name of its fault
 */
export function faultsIn(reading: WholeReading, since: (name: string) => number): readonly Fault[] {
  const found = FAULT_CODES.flatMap((code) => {
    const entry: FaultEntry = FAULTS[code];
    return [entry.find?.(reading) ?? []].flat().map((details) => {
      const fault = makeFault(code, 0, details);
      return { ...fault, sinceMs: entry.beganMs?.(reading, details) ?? since(faultName(fault)) };
    });
  });
  const rank = ({ code }: Fault) => SEVERITIES.indexOf(FAULTS[code].severity);
  return [...reading.lasting, ...found].sort((one, other) => rank(one) - rank(other));
}
