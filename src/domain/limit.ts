import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";

/**
 * The locations that a member is limited to: beyond them it sees, hears and does nothing. Without any it
 * sees nothing at all, as when its last location was removed. Null in its place is the whole account.
 */
export interface LocationLimit {
  readonly locationIds: readonly Id[];
  /**
   * The names by which records are theirs: those that one of these locations has or had, and no other
   * location that there is. So records of before a renaming stay theirs, and no record is another one's.
   */
  readonly names: readonly string[];
}

/** Names of an account's locations, with those that they had: they are kept for members who are limited to them. */
export const MAX_LOCATION_NAMES = 10_000;

/** Whether a location is within a limit. */
export function isWithin(limit: LocationLimit | null, locationId: string): boolean {
  return limit === null || limit.locationIds.includes(locationId);
}

/** Whether two limits let the same be seen. */
export function isSameLimit(one: LocationLimit | null, other: LocationLimit | null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** The refusal of what is of all locations, or of another one. */
export function beyondLimit(message = "This is of all locations, and you are limited to some."): FlancoError {
  return new FlancoError("forbidden", message, { hint: "Ask an owner of the account to do it." });
}
