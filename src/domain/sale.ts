import type { BootMoment } from "./boot.ts";
import { NS_PER_MS } from "./clock.ts";
import type { GapReason } from "./gap.ts";
import type { Id } from "./id.ts";
import { type ClockedMoment, judgePaid, NOTHING_PAID, type RoomPaid } from "./paid-time.ts";

/** What the ledger last saw of a line. Saved in the same transaction as what it caused. */
export interface LineState {
  readonly active: boolean;
  readonly activeLow: boolean;
  readonly changed: Moment;
  /** The last sighting that was taken in. */
  readonly source: EdgeSource;
  /** The last record of this line; null before its first. */
  readonly recordId: number | null;
}

/** One moment by both clocks; the monotonic one counts within its boot only. */
export interface Moment {
  readonly timeMs: number;
  /** Whether the wall clock was not trusted then, and has not been set since. */
  readonly provisional: boolean;
  readonly bootId: string;
  readonly monotonicNs: bigint;
}

/** Identifies an edge for all time: equal sources are the same edge. */
export interface EdgeSource {
  /** The kernel's boot id. */
  readonly bootId: string;
  /** One watch of the line, from request to release; numbered by the store. */
  readonly request: number;
  /** From 1 within the request; 0 for the level found at its start. */
  readonly sequence: number;
}

/** What the ledger saw last of a line. */
export interface LastSighting extends EdgeSource {
  /** The physical level: `activeLow` is not applied. */
  readonly high: boolean;
}

/** A level as the recorder reports it: an edge, or the level found when watching begins. */
export interface Sighting {
  readonly line: string;
  /** The room that the line was watched for. It counts if the line was wired to that room at the time. */
  readonly deviceId: Id;
  readonly actuatorId: string;
  /** The polarity that `active` was read with. */
  readonly activeLow: boolean;
  readonly active: boolean;
  readonly timeMs: number;
  readonly monotonicNs: bigint;
  readonly source: EdgeSource;
  /** Whether the wall clock was not trusted when this was seen: `timeMs` may be years off. */
  readonly provisional: boolean;
  /** Edges lost just before this one. */
  readonly missed: number;
  /**
   * The last moment up to which all of the line's edges are known. Undefined
   * where all are known, or `missed` counts those that are not.
   */
  readonly unwatchedSince?: BootMoment;
  /** Why they are not known since; an outage where it is undefined. */
  readonly gapReason?: GapReason;
}

/** What a sighting means for the ledger. */
export type Meaning =
  | "sale" // one record
  | "same_sale" // active again within the rearm time, or the paid time: the record goes on
  | "end" // the room was switched off
  | "baseline" // the first sighting of a line: its level is stored, nothing is sold
  | "nothing" // the level that was known already, or a glitch shorter than the kernel could follow
  | "repeated"; // this sighting was taken in before

/**
 * Judges one sighting against what is saved. Pure, so that a replay gives the same answer.
 *
 * A line that is active at its first sighting is no sale: its rising edge was not seen, and an earlier
 * system may have counted it. Two rising edges in a row with no edge lost between them are one sale:
 * the low between them was shorter than the kernel's interrupt latency, and no relay is that fast.
 *
 * A sale within the time that is paid of the room is the same sale as the one that it was paid with.
 */
export function judge(
  state: LineState | undefined,
  sighting: Sighting,
  rearmMs: number,
  paid: RoomPaid = NOTHING_PAID,
): Meaning {
  const meaning = judgeUnpaid(state, sighting, rearmMs);
  return meaning === "sale" ? judgePaid(paid, momentOf(sighting)).kind : meaning;
}

/** The moment of a sighting by both clocks. */
export function momentOf({ timeMs, provisional, source, monotonicNs }: Sighting): ClockedMoment {
  return { timeMs: provisional ? null : timeMs, monotonic: { bootId: source.bootId, ns: monotonicNs } };
}

/** The same where nothing is paid of the room. */
function judgeUnpaid(state: LineState | undefined, sighting: Sighting, rearmMs: number): Meaning {
  if (state === undefined || state.activeLow !== sighting.activeLow) return firstSight(sighting);
  if (alreadyTaken(state.source, sighting.source)) return "repeated";
  if (sighting.active === state.active) {
    return sighting.active && sighting.missed > 0 ? "sale" : "nothing";
  }
  if (!sighting.active) return "end";
  return state.recordId === null || wasLowForRearm(state, sighting, rearmMs) ? "sale" : "same_sale";
}

/** Nothing is known of the line, or its level was stored with the opposite polarity. */
function firstSight(sighting: Sighting): Meaning {
  return sighting.source.sequence === 0 || !sighting.active ? "baseline" : "sale";
}

/** How many of the lost edges were rising. Levels alternate, so this follows from the level before. */
export function missedRises(activeBefore: boolean, missed: number): number {
  return activeBefore ? Math.floor(missed / 2) : Math.ceil(missed / 2);
}

function alreadyTaken(saved: EdgeSource, seen: EdgeSource): boolean {
  return saved.bootId === seen.bootId && saved.request === seen.request && seen.sequence <= saved.sequence;
}

/**
 * Whether the line was low for the rearm time: by monotonic time within one boot, because wall
 * time may have been set meanwhile. Between boots the wall clock may have gone back, or not
 * have been trusted at either end. Then the time is unknown, and the rise counts as a sale.
 */
function wasLowForRearm(state: LineState, sighting: Sighting, rearmMs: number): boolean {
  const sameBoot = state.changed.bootId === sighting.source.bootId;
  if (!sameBoot && (state.changed.provisional || sighting.provisional)) return true;
  const lowMs = sameBoot
    ? Number(sighting.monotonicNs - state.changed.monotonicNs) / NS_PER_MS
    : sighting.timeMs - state.changed.timeMs;
  return lowMs < 0 || lowMs >= rearmMs;
}
