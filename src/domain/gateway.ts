import { HOUR_MS, MINUTE_MS } from "./clock.ts";
import { shownText } from "./text.ts";

/**
 * The most gateways that are listed: a clinic has a few, but
 * a program on the local network may announce any number.
 */
export const MAX_OTHER_GATEWAYS = 32;
/** The most characters of a gateway's name. */
export const MAX_GATEWAY_NAME = 60;
const CIRCLE_DEGREES = 360;

/** What tells the gateways of one clinic apart. */
export interface GatewayMark {
  readonly name: string;
  /** The hue of its colour, in degrees: always the same for one ledger. */
  readonly hue: number;
}

/** Another gateway on the local network, as avahi was told of it: nothing of it is proved. */
export interface OtherGateway {
  readonly name: string;
  /** The address of its page, which is private: `https://192.168.1.20:8443/`. */
  readonly address: string;
}

/** A hue by the first digits of a ledger's identity, which is hexadecimal. */
export function hueOf(id: string): number {
  return Number.parseInt(id.slice(0, 6), 16) % CIRCLE_DEGREES;
}

/** A name in one line, at most as long as it may be, without what a page or a terminal obeys. */
export function toGatewayName(text: string): string {
  const line = shownText(text).replaceAll(/\s+/g, " ").trim();
  return [...line].slice(0, MAX_GATEWAY_NAME).join("");
}

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

/** How a clinic may fare, the worst first. */
export const CLINIC_STATES = [
  "forked",
  "lacking",
  "silent",
  "zone_off",
  "currency_off",
  "clock_off",
  "behind",
  "good",
] as const;
export type ClinicState = (typeof CLINIC_STATES)[number];

/** Whether a person must see to it. A clinic that is behind catches up by itself. */
export function isTroubled(states: readonly ClinicState[]): boolean {
  return states.some((state) => state !== "good" && state !== "behind");
}

/** A gateway calls every five minutes, also while nothing is sold. */
export const CALL_EVERY_MS = 5 * MINUTE_MS;
const SILENT_AFTER_MS = HOUR_MS;
/** Clocks that the network sets are some milliseconds apart. */
export const CLOCK_OFF_MS = MINUTE_MS;

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
