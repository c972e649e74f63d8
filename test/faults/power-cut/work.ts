import { HOUR_MS } from "../../../src/domain/clock.ts";
/** The room that posted records name; the lines' rooms are others. */
export const POSTED_ROOM = "posted";
/** The time of the post numbered 0, in Unix milliseconds; each post is known by its time. */
const FIRST_POST_MS = 1_700_000_000_000;
/** Apart, so that posts fall on many days and months. */
const POSTS_APART_MS = 7 * HOUR_MS;
const MICROS_PER_UNIT = 1_000_000;

export function postTimeMs(number: number): number {
  return FIRST_POST_MS + number * POSTS_APART_MS;
}

/** What the post of this number is worth, in millionths. */
export function postMicros(number: number): number {
  return ((number % 97) + 1) * 250_000;
}

export function postValor(number: number): number {
  return postMicros(number) / MICROS_PER_UNIT;
}

/** The program's data directory on the guest's disk, below the disk's root. */
export const DATA_FOLDER = "/flanco";
/** The data directory of another life, with a ledger of this program's schema. */
export const OLD_FOLDER = "/old";
/** With this environment variable the program in the guest is one of a later schema. */
export const LATER_VARIABLE = "POWER_CUT_LATER";
