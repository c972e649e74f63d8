import type { Day } from "./day.ts";
import { FlancoError } from "./error.ts";
import type { Wiring } from "./wiring.ts";

/** Prices of one room that are planned for days to come, at most. */
export const MAX_PLANNED = 20;

/** A price that a room had, has or will have. */
export interface RoomPrice {
  readonly dId: string;
  readonly room: string;
  readonly valorMicros: number;
  /** The first local day of a planned one; null for one that held when it was set. */
  readonly fromDay: Day | null;
  /** When it was set, in Unix milliseconds. */
  readonly setMs: number;
  /** Its day is still to come. */
  readonly isComing: boolean;
}

/**
 * The price of a line that is wired by a role which sets none, in millionths: the line's own, else the commonest of the
 * account. Throws `conflict` before there is any.
 */
export function usualPrice(wirings: readonly Wiring[], line: string): number {
  const own = wirings.find((wiring) => wiring.line === line);
  if (own !== undefined) return own.valorMicros;
  const byPrice = [...Map.groupBy(wirings, ({ valorMicros }) => valorMicros)];
  const [commonest] = byPrice.toSorted(([, one], [, other]) => other.length - one.length);
  if (commonest !== undefined) return commonest[0];
  throw new FlancoError("conflict", "No price has been set yet.", {
    hint: "An owner of the account wires the first room, with its price; others then take that price.",
  });
}
