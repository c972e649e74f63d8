import { type CommissionedRoom, type CommissionScope, isAsTicked, type Tick } from "../domain/commission.ts";
import type { CommissionWatch } from "../domain/commission-watch.ts";
import type { Device, RoomToday } from "../domain/device.ts";
import type { Id } from "../domain/id.ts";
import { inOrder } from "../domain/text.ts";
import { contactOf } from "../domain/verdict.ts";
import type { Wiring } from "../domain/wiring.ts";

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

/** What the ledger and the recorder know of an account's rooms. */
interface KnownRooms {
  readonly rooms: readonly RoomToday[];
  /** The lines that are watched. */
  readonly watched: readonly string[];
  readonly devices: readonly Device[];
  readonly wirings: readonly Wiring[];
  readonly ticks: readonly Tick[];
}

/**
 * The rooms of an account as its commissioning shows them, by location and device.
 * @param session undefined where no line is under test for a commissioning
 * @param watch what was seen of the lines, also of a session that has ended
 * @param nowMs monotonic milliseconds
 */
export function commissionedRooms(
  known: KnownRooms,
  session: CommissionSession | undefined,
  watch: CommissionWatch,
  nowMs: number,
): readonly CommissionedRoom[] {
  const watched = new Set(known.watched);
  const devices = new Map(known.devices.map((device) => [device.id, device]));
  const wirings = new Map(known.wirings.map((wiring) => [wiring.line, wiring]));
  const ticks = new Map(known.ticks.map((tick) => [keyOf(tick.deviceId, tick.room), tick]));
  const asked = session?.watch.asked;
  return known.rooms
    .flatMap(({ deviceId, room, line, withoutLine, active }) => {
      const device = devices.get(deviceId);
      if (device === undefined) return [];
      const wiring = (line === null ? undefined : wirings.get(line)) ?? null;
      const tick = ticks.get(keyOf(deviceId, room));
      return [
        {
          dId: device.dId,
          deviceId,
          deviceName: device.name,
          locationName: device.locationName,
          room,
          withoutLine,
          wired: wiring && { ...contactOf(wiring), rearmMs: wiring.rearmMs },
          level: line !== null && watched.has(line) ? (session?.watch.levelOf(line) ?? active) : null,
          isUnderTest: line !== null && isUnderTest(session, line, nowMs),
          isAsked: asked?.deviceId === deviceId && asked.room === room,
          judgement: watch.judge({ deviceId, room }, wiring, nowMs),
          tick: tick !== undefined && isAsTicked(tick, wiring) ? tick : null,
        },
      ];
    })
    .toSorted((a, b) => inOrder(a.locationName, b.locationName) || inOrder(a.deviceName, b.deviceName));
}

function isUnderTest(session: CommissionSession | undefined, line: string, nowMs: number): boolean {
  const untilMs = session?.untilMs.get(line);
  return untilMs !== undefined && untilMs > nowMs;
}

function keyOf(deviceId: Id, room: string): string {
  return JSON.stringify([deviceId, room]);
}
