import { HOUR_MS } from "../domain/clock.ts";
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
}

/** Whether a person must see to it. A clinic that is behind catches up by itself. */
export function isTroubled(states: readonly ClinicState[]): boolean {
  return states.some((state) => state !== "good" && state !== "behind");
}

const SILENT_AFTER_MS = HOUR_MS;

/** How a clinic fares: each trouble that it has, the worst first. */
export function clinicStates(clinic: Clinic, nowMs: number): readonly ClinicState[] {
  const { seenMs, position, newest, forkedAt, untold, clockOffMs } = clinic;
  const { timeZone, currency, ownZone, ownCurrency } = clinic;
  const is: Readonly<Record<ClinicState, boolean>> = {
    forked: forkedAt !== null,
    lacking: untold > 0,
    silent: seenMs === null || nowMs - seenMs > SILENT_AFTER_MS,
    zone_off: (ownZone ?? timeZone) !== timeZone,
    currency_off: (ownCurrency ?? currency) !== currency,
    clock_off: Math.abs(clockOffMs) > CLOCK_OFF_MS,
    behind: newest > position,
    good: false,
  };
  const troubles = CLINIC_STATES.filter((state) => is[state]);
  return troubles.length === 0 ? ["good"] : troubles;
}
