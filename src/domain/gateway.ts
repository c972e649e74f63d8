import { shownText } from "./text.ts";

/** Others that are listed: a clinic has a few, and the local network may claim any number. */
export const MAX_OTHER_GATEWAYS = 32;
/** Characters of a gateway's name: with them it fits into one string of a DNS record. */
export const MAX_GATEWAY_NAME = 60;
const CIRCLE_DEGREES = 360;

/** What tells the gateways of one clinic apart. */
export interface GatewayMark {
  readonly name: string;
  /** Of its colour, in degrees: always the same for one ledger. */
  readonly hue: number;
}

/** Another gateway on the local network, as it says itself: nothing of it is proved. */
export interface OtherGateway extends GatewayMark {
  /** Of its page: the address that its packet came from, `https://192.168.1.20:8443/`. */
  readonly address: string;
}

/** By the first digits of a ledger's identity, which are hexadecimal. */
export function hueOf(id: string): number {
  return Number.parseInt(id.slice(0, 6), 16) % CIRCLE_DEGREES;
}

/** A name in one line, at most as long as it may be, without what a page or a terminal obeys. */
export function toGatewayName(text: string): string {
  const line = shownText(text).replaceAll(/\s+/g, " ").trim();
  return [...line].slice(0, MAX_GATEWAY_NAME).join("");
}
