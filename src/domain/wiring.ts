import { DAY_MS } from "./clock.ts";
import type { Day } from "./day.ts";
import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";
import type { Bias } from "./line.ts";

export const DEFAULT_DEBOUNCE_MS = 50;
export const DEFAULT_REARM_MS = 0;
/** Longer than any switching. The kernel takes debounce as a 32-bit number of microseconds. */
export const MAX_DEBOUNCE_MS = 60_000;
export const MAX_REARM_MS = DAY_MS;

/** How a line behaves once it is wired. */
export interface WiringSettings {
  readonly activeLow: boolean;
  readonly bias: Bias;
  readonly debounceMs: number;
  /** A rise within this time after the last fall continues the same sale. */
  readonly rearmMs: number;
}

/** What a sale of a room costs, and for how long the room is then paid. */
export interface Tariff {
  /** The price, in millionths. */
  readonly valorMicros: number;
  /** 0: each switching-on is a sale; at most `MAX_PAID_MINUTES`. */
  readonly paidMinutes: number;
}

/** A tariff that keeps the room's paid time where it names none. */
export type NewTariff = Pick<Tariff, "valorMicros"> & { readonly paidMinutes: number | null };

/** Which line is which room. */
export interface Wiring extends WiringSettings, Tariff {
  /**
   * A name that means the same line after every boot: its own (`GPIO17`),
   * or its chip's label and its offset (`mcp23017:3`). Unique.
   */
  readonly line: string;
  readonly userId: Id;
  readonly deviceId: Id;
  readonly dId: string;
  readonly deviceName: string;
  readonly actuatorId: string;
}

export interface NewWiring extends WiringSettings {
  readonly line: string;
  readonly dId: string;
  readonly actuatorId: string;
  /** Null: the room keeps its price, also that of an earlier wiring; without one it gets `usualPrice`. */
  readonly valorMicros: number | null;
  /** Null: the room keeps its paid time, also that of an earlier wiring; without one it has none. */
  readonly paidMinutes: number | null;
}

/** A room as people name it. */
export interface RoomName {
  readonly dId: string;
  readonly room: string;
}

/** A wiring with the user whose device it names. */
export interface OwnedWiring {
  readonly userId: Id;
  readonly wiring: NewWiring;
}

/** Prices of one room that are planned for days to come, at most. */
export const MAX_PLANNED = 20;

/** A price that a room had, has or will have, with its paid time; a planned one may leave that to the room. */
export interface RoomPrice extends NewTariff {
  readonly dId: string;
  readonly room: string;
  /** The first local day of a planned one; null for one that held when it was set. */
  readonly fromDay: Day | null;
  /** When it was set, in Unix milliseconds. */
  readonly setMs: number;
  readonly isComing: boolean;
}

/**
 * The price of a room that is wired for the first time by a role which may set
 * no price, in millionths: the line's own, else the most common one of the
 * account's wirings. Throws `conflict` where the account has no price yet.
 */
export function usualPrice(wirings: readonly Wiring[], line: string): number {
  const own = wirings.find((wiring) => wiring.line === line);
  if (own !== undefined) return own.valorMicros;
  const byPrice = [...Map.groupBy(wirings, ({ valorMicros }) => valorMicros)];
  const [commonest] = byPrice.sort(([, one], [, other]) => other.length - one.length);
  if (commonest !== undefined) return commonest[0];
  throw new FlancoError("conflict", "No price has been set yet.", {
    hint: "An owner of the account wires the first room, with its price; others then take that price.",
  });
}

export function notWired(line: string): FlancoError {
  return new FlancoError("not_found", `The line ${line} is not wired.`, {
    hint: "Name a wired line, or wire it first.",
  });
}

/** Whether a watch can continue after a change of wiring: for the same room, with the same request. */
export function isWatchedAlike(a: Wiring, b: Wiring): boolean {
  const names = ["deviceId", "actuatorId", "activeLow", "bias", "debounceMs"] as const;
  return names.every((name) => a[name] === b[name]);
}
