import {
  type CommissionedRoom,
  type CommissionScope,
  isAsTicked,
  type StoredRoom,
} from "../domain/commission.ts";
import type { CommissionWatch } from "../domain/commission-watch.ts";
import type { Device } from "../domain/device.ts";

/** An open commissioning. */
export interface CommissionSession {
  readonly scope: CommissionScope;
  readonly watch: CommissionWatch;
  /** When it ends by itself, in monotonic milliseconds. */
  readonly endMs: number;
  /** Until when each of its lines is under test, in monotonic milliseconds. */
  readonly untilMs: ReadonlyMap<string, number>;
  /** The account's wired lines when the ledger was followed last. */
  readonly known: ReadonlySet<string>;
}

/** What is known of an account's lines. */
interface KnownLines {
  /** The lines that are watched. */
  readonly watched: ReadonlySet<string>;
  /** Undefined where no line is under test for a commissioning. */
  readonly session: CommissionSession | undefined;
  /** What was seen of the lines, also of a session that has ended. */
  readonly watch: CommissionWatch;
  /** Monotonic milliseconds. */
  readonly nowMs: number;
}

/** A room of a device as its account's commissioning shows it. */
export function commissionedRoom(
  { id: deviceId, dId, name: deviceName, locationName }: Device,
  { room, active, withoutLine, wired, tick }: StoredRoom,
  { watched, session, watch, nowMs }: KnownLines,
): CommissionedRoom {
  const line = wired?.line ?? null;
  const asked = session?.watch.asked;
  return {
    dId,
    deviceId,
    deviceName,
    locationName,
    room,
    withoutLine,
    wired,
    level: line !== null && watched.has(line) ? (session?.watch.levelOf(line) ?? active) : null,
    isUnderTest: line !== null && isUnderTest(session, line, nowMs),
    isAsked: asked?.deviceId === deviceId && asked.room === room,
    judgement: watch.judge({ deviceId, room }, wired, nowMs),
    tick: tick !== null && isAsTicked(tick, wired) ? tick : null,
  };
}

function isUnderTest(session: CommissionSession | undefined, line: string, nowMs: number): boolean {
  const untilMs = session?.untilMs.get(line);
  return untilMs !== undefined && untilMs > nowMs;
}
