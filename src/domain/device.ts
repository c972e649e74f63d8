import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";

export const MAX_ACTUATORS = 64;
/** Bounds for each user: every list of devices is read and written as a whole. */
export const MAX_DEVICES_OF_USER = 500;
export const MAX_ACTUATORS_OF_USER = 4_096;
export const MAX_EARLIER_NAMES_OF_USER = 8_192;

/** One relay of a device. Its id is the room's number. */
export interface Actuator {
  readonly id: string;
  /** Live state: true while the relay is high. */
  readonly value: boolean;
}

/** A box of relays, in a corridor say. */
export interface Device {
  readonly id: Id;
  readonly userId: Id;
  /** The client's own identifier, unique per user. */
  readonly dId: string;
  readonly name: string;
  readonly selected: boolean;
  readonly actuators: readonly Actuator[];
  readonly locationId: string;
  readonly locationName: string;
  readonly createdTimeMs: number;
  /** 0 at registration, 1 more on every change, an actuator's value included. */
  readonly revision: number;
}

export interface NewDevice {
  readonly dId: string;
  readonly name: string;
  readonly locationId: string;
  readonly locationName: string;
  readonly actuators: readonly Actuator[];
}

/** Fields that are undefined stay as they are. */
export interface DeviceChange {
  readonly name?: string | undefined;
  /** One of the user's locations; the device takes its name. */
  readonly locationId?: string | undefined;
  /**
   * All rooms of the device, in order. A room that is left out loses its
   * wiring. Its records stay, and are its own again if it is added again.
   */
  readonly rooms?: readonly string[] | undefined;
  /** Rooms that get another name, before `rooms` is applied. They keep their lines, prices and records. */
  readonly renamedRooms?: readonly RenamedRoom[] | undefined;
  /** The rooms that have no line on purpose; all others want one. A wired room is no longer among them. */
  readonly withoutLine?: readonly string[] | undefined;
}

export interface RenamedRoom {
  readonly from: string;
  readonly to: string;
}

export function unknownDevice(): FlancoError {
  return new FlancoError("not_found", "There is no device with that dId.");
}

/** A time for which a room is paid, in Unix milliseconds. */
export interface PaidStretch {
  /** The moment of its sale. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** Its sale may have fallen into earlier paid time: the time between is not known. */
  readonly isDoubtful: boolean;
}

/** A room with what it has sold on the current local day. */
export interface RoomToday {
  readonly deviceId: Id;
  readonly room: string;
  readonly active: boolean;
  /** The line that it is wired to; null without one, when no relay can make a sale there. */
  readonly line: string | null;
  readonly withoutLine: boolean;
  /** When it came to that level, in Unix milliseconds; null where that is not known. */
  readonly sinceMs: number | null;
  readonly totalMicros: bigint;
  /** Number of records; void ones do not count. */
  readonly count: number;
  /** Null where nothing is paid of it. */
  readonly paid: PaidStretch | null;
}

/** So far back it is looked for when a room sold last, in days. */
export const LAST_SALE_DAYS = 60;

/** A room's habit is known from this many days before a silence, and from no fewer than LEAST_HABIT_DAYS. */
export const HABIT_DAYS = 28;
const LEAST_HABIT_DAYS = 7;
/** Days without a sale are no silence where chance alone makes them at least this likely. */
const LIKELY = 0.01;

/** The days on which a room has sold, each once: 0 is the last 24 hours, 1 the 24 hours before. */
export interface RoomDays {
  readonly deviceId: string;
  readonly room: string;
  readonly daysAgo: readonly number[];
}

/**
 * For how many days a room has sold nothing, if that is unusual for it; null if it is not.
 *
 * A room that sold on a share `p` of the days before sells nothing for `d` days by chance
 * with the probability (1 - p)^d. It is silent once that is at most LIKELY, but never
 * before `leastDays`. So a room that sells every day is silent after `leastDays`, one that
 * sells every second day after a week, and one that hardly ever sells is never silent.
 */
export function silentDays({ daysAgo }: Pick<RoomDays, "daysAgo">, leastDays: number): number | null {
  if (daysAgo.length === 0) return null;
  const silent = Math.min(...daysAgo);
  if (silent < leastDays) return null;
  const first = Math.max(...daysAgo);
  const days = Math.min(HABIT_DAYS, first - silent + 1);
  if (days < LEAST_HABIT_DAYS) return null;
  const sold = daysAgo.filter((ago) => ago < silent + HABIT_DAYS).length;
  return (1 - sold / days) ** silent <= LIKELY ? silent : null;
}
