import type { Day } from "./day.ts";

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
