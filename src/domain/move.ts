import { MINUTE_MS } from "./clock.ts";

/** How long a code is valid. */
export const CODE_MS = 15 * MINUTE_MS;

/** Hexadecimal digits of a code's secret: 60 bits, for one use within minutes, behind the gate of sign-ins. */
export const SECRET_DIGITS = 15;
/** Hexadecimal digits of the fingerprint in a code: 100 bits, so that no other certificate is made to fit. */
const FINGERPRINT_DIGITS = 25;
/** Crockford's base 32: without I, L, O and U, which people misread. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BASE = 32;
const CHARACTERS = 32;
const GROUP = /.{4}(?=.)/g;

/** What a code of a move holds. */
export interface MoveCode {
  /** Hexadecimal. */
  readonly secret: string;
  /** The first digits of the SHA-256 of the certificate that the gateway serves, lower-case hexadecimal. */
  readonly fingerprint: string;
}

/**
 * A code as people copy it, in eight groups of four characters.
 * @param fingerprint SHA-256 of the served certificate, hexadecimal with or without colons
 */
export function formatCode(secret: string, fingerprint: string): string {
  const value = BigInt(`0x${secret}${beginOf(fingerprint)}`);
  const text = value.toString(BASE).padStart(CHARACTERS, "0");
  return text.replace(/./g, (digit) => ALPHABET.charAt(Number.parseInt(digit, BASE))).replace(GROUP, "$&-");
}

/** Undefined for no code. Case, spaces and hyphens do not matter, nor O for 0, or I and L for 1. */
export function parseCode(text: string): MoveCode | undefined {
  const typed = text.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  if (typed.length !== CHARACTERS || [...typed].some((character) => !ALPHABET.includes(character))) {
    return undefined;
  }
  const value = [...typed].reduce(
    (sum, character) => sum * BigInt(BASE) + BigInt(ALPHABET.indexOf(character)),
    0n,
  );
  const digits = value.toString(16).padStart(SECRET_DIGITS + FINGERPRINT_DIGITS, "0");
  return { secret: digits.slice(0, SECRET_DIGITS), fingerprint: digits.slice(SECRET_DIGITS) };
}

/** The part of a fingerprint that a code holds. */
export function beginOf(fingerprint: string): string {
  return fingerprint.replaceAll(":", "").toLowerCase().slice(0, FINGERPRINT_DIGITS);
}
