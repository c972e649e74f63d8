import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";

/** A bound for each user: every list of locations is read and written as a whole. */
export const MAX_LOCATIONS_OF_USER = 200;

/** A physical space where devices are installed: a hospital, a clinic, a cooperative. */
export interface Location {
  readonly id: Id;
  readonly userId: Id;
  readonly name: string;
  readonly description: string;
  readonly createdTimeMs: number;
  /** The user's devices that carry this location's id. */
  readonly devices: readonly LocationDevice[];
  /** 0 at creation, 1 more on every change. */
  readonly revision: number;
}

export interface LocationDevice {
  readonly id: Id;
  readonly dId: string;
  readonly name: string;
}

export interface NewLocation {
  readonly name: string;
  readonly description: string;
}

/** Fields that are undefined stay as they are. */
export interface LocationChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export function unknownLocation(): FlancoError {
  return new FlancoError("not_found", "There is no location with that locationId.");
}
