import { MINUTE_MS } from "./clock.ts";
import type { Pair } from "./language.ts";
import { TRUST_PATH } from "./member.ts";
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

/** The most faults that a gateway tells its company of, and the most characters of a text in one. */
export const MAX_REPORTED = 32;
export const MAX_DETAIL = 200;

/** How a clinic may fare, the worst first, as people read it. */
export const CLINIC_STATE_NAMES = {
  forked: ["Otro libro", "Another ledger"],
  lacking: ["Faltan apuntes", "Entries missing"],
  silent: ["Sin noticias", "Silent"],
  full: ["Disco lleno", "Disk full"],
  zone_off: ["Otra zona horaria", "Another time zone"],
  currency_off: ["Otra moneda", "Another currency"],
  clock_off: ["Reloj desviado", "Clock off"],
  faulty: ["Con avisos", "With faults"],
  old: ["Versión antigua", "Old version"],
  behind: ["Enviando", "Behind"],
  good: ["Al día", "Up to date"],
} as const satisfies Readonly<Record<string, Pair<string>>>;
export type ClinicState = keyof typeof CLINIC_STATE_NAMES;
export const CLINIC_STATES = Object.keys(CLINIC_STATE_NAMES) as readonly ClinicState[];

/** Clocks that the network sets are some milliseconds apart. */
export const CLOCK_OFF_MS = MINUTE_MS;

/** The authority that browsers are to trust. */
export interface TrustedAuthority {
  /** Its certificate, in PEM. */
  readonly cert: string;
  /** The certificate's SHA-256, in the lines that people compare. */
  readonly fingerprint: readonly string[];
}

/** What the page says that explains how to trust the gateway. */
export interface TrustSource {
  /** Gives null while an administrator's certificate is served, which browsers trust already. */
  readonly authority: () => TrustedAuthority | null;
  /** Whether a name or address, in lower case and without brackets, is this machine's. */
  readonly isKnownHost: (name: string) => boolean;
  readonly httpsPort: number;
}

/** Path of the authority's certificate, in DER, which phones and Windows need. */
export const CERTIFICATE_PATH = "/flanco-ca.crt";

/** Whether a request's target explains how to trust the gateway: on loopback, plain HTTP serves everything else too. */
export function isOfTrust(target = ""): boolean {
  const [path] = target.split("?");
  return path === TRUST_PATH || path === CERTIFICATE_PATH;
}
