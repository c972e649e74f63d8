import { setImmediate as turn } from "node:timers/promises";
import type { GatewayReport } from "../contract/clinic.ts";
import { DAY_MS, HOUR_MS } from "../domain/clock.ts";
import { FAULT_CODES, FAULTS, makeFault, type ToldFault, toldFault } from "../domain/fault.ts";
import type { Severity } from "../domain/faults/entry.ts";
import { CLINIC_STATES, CLOCK_OFF_MS, type ClinicState } from "../domain/gateway.ts";

/** A gateway as the company's database knows it. Times are Unix milliseconds of the database's clock. */
export interface Clinic {
  readonly name: string;
  readonly timeZone: string;
  /** The role that its gateway signs in as. */
  readonly role: string;
  /** When it called last; null where it never did. */
  readonly seenMs: number | null;
  /** The newest entry that is in the database, and the newest that the gateway said it has. */
  readonly position: number;
  readonly newest: number;
  /**
   * The first entry at which the gateway's ledger differs from the
   * database's; null without a difference that is to be accepted.
   */
  readonly forkedAt: number | null;
  /** How many entries of that ledger are not taken, when it called last; 0 without such a difference. */
  readonly withheld: number;
  /** How many entries the gateway lost before they were sent, without a `lost` entry that says so. */
  readonly untold: number;
  readonly clockOffMs: number;
  /** The company's currency, and the zone and currency of the gateway's own settings; null before it said them. */
  readonly currency: string;
  readonly ownZone: string | null;
  readonly ownCurrency: string | null;
  /** What it told of itself last; null before it did, and where it is too old to do so. */
  readonly report: GatewayReport | null;
  /** Since when it has told that version; null without a report. */
  readonly versionMs: number | null;
}

/** A clinic with how it fares: each trouble that it has, the worst first. */
export interface WatchedClinic extends Clinic {
  readonly states: readonly ClinicState[];
}

/** Whether a person must see to it. A clinic that is behind catches up by itself. */
export function isTroubled(states: readonly ClinicState[]): boolean {
  return states.some((state) => state !== "good" && state !== "behind");
}

const SILENT_AFTER_MS = HOUR_MS;
/** Updates come at night, and a gateway may be off for a holiday. */
const OLD_AFTER_MS = 14 * DAY_MS;

const DISK_FAULTS: readonly string[] = ["disk_full", "disk_low"];
/** Faults that are states of their own here. */
const OTHER_STATES: ReadonlySet<string> = new Set([...DISK_FAULTS, "clock_off", "company_differs"]);

/** How many gateways are worked on in one turn of the event loop: the texts of one take up to a millisecond. */
const PER_TURN = 8;

/** Maps each of many, and lets other requests in between. */
export async function inTurns<T, R>(items: readonly T[], each: (item: T) => R): Promise<readonly R[]> {
  const made: R[] = [];
  for (const item of items) {
    made.push(each(item));
    if (made.length % PER_TURN === 0) await turn();
  }
  return made;
}

/** How bad a fault is that a gateway has reported. One of a newer version is a warning. */
export function severityOf(code: string): Severity {
  const known = FAULT_CODES.find((one) => one === code);
  return known === undefined ? "warning" : FAULTS[known].severity;
}

/** A reported fault as people are told of it; its code where it is of a newer version, or its details are. */
export function textsOf(
  { code, sinceMs, details }: GatewayReport["faults"][number],
  timeZone: string,
): ToldFault["texts"] {
  const plain = { what: code, todo: "" };
  const known = FAULT_CODES.find((one) => one === code);
  try {
    if (known !== undefined) return toldFault(makeFault(known, sinceMs, details), timeZone).texts;
  } catch {
    // A detail that is no number or no time.
  }
  return { es: plain, en: plain };
}

/** @param nowMs the database's time */
export function watch(clinics: readonly Clinic[], nowMs: number): readonly WatchedClinic[] {
  const newest = newestVersion(clinics, nowMs - OLD_AFTER_MS);
  return clinics.map((clinic) => {
    const isOld = clinic.seenMs !== null && compareVersions(versionOf(clinic), newest) < 0;
    return { ...clinic, states: statesOf(clinic, nowMs, isOld) };
  });
}

function statesOf(clinic: Clinic, nowMs: number, isOld: boolean): readonly ClinicState[] {
  const { seenMs, position, newest, forkedAt, untold, clockOffMs, report } = clinic;
  const { timeZone, currency, ownZone, ownCurrency } = clinic;
  const codes = (report?.faults ?? []).map(({ code }) => code);
  const is: Readonly<Record<ClinicState, boolean>> = {
    forked: forkedAt !== null,
    lacking: untold > 0,
    silent: seenMs === null || nowMs - seenMs > SILENT_AFTER_MS,
    full: codes.some((code) => DISK_FAULTS.includes(code)),
    zone_off: (ownZone ?? timeZone) !== timeZone,
    currency_off: (ownCurrency ?? currency) !== currency,
    clock_off: Math.abs(clockOffMs) > CLOCK_OFF_MS,
    faulty: codes.some((code) => !OTHER_STATES.has(code) && severityOf(code) !== "note"),
    old: isOld,
    behind: newest > position,
    good: false,
  };
  const troubles = CLINIC_STATES.filter((state) => is[state]);
  return troubles.length === 0 ? ["good"] : troubles;
}

/** Major, minor and patch. */
type Version = readonly [number, number, number];
const NO_VERSION: Version = [0, 0, 0];

function versionOf({ report }: Clinic): Version {
  const [, ...parts] = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(report?.version ?? "") ?? [];
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  return [major, minor, patch];
}

function compareVersions(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** The newest version that one of a company's gateways has told since before a moment. */
function newestVersion(clinics: readonly Clinic[], beforeMs: number): Version {
  return clinics
    .filter(({ versionMs }) => versionMs !== null && versionMs < beforeMs)
    .map(versionOf)
    .reduce((a, b) => (compareVersions(a, b) < 0 ? b : a), NO_VERSION);
}
