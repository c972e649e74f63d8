import type { Device } from "../api/device.ts";
import type { RoomChange } from "../api/live-event.ts";
import type { Sale } from "../api/sale.ts";
import type { LastEdge } from "../api/status.ts";

/** Room (see roomKey) to the last time it was seen to be switched. */
export type RoomChanges = ReadonlyMap<string, RoomChange>;

/** What a room has sold. */
export interface Tally {
  readonly sales: number;
  readonly revenue: number;
}

/** One key for a room of a device. */
export function roomKey(deviceId: string, room: string): string {
  return JSON.stringify([deviceId, room]);
}

/** The devices after a room was switched; the same list when that changes nothing. */
export function switchRoom(devices: readonly Device[], change: RoomChange): readonly Device[] {
  const changes = (device: Device) =>
    device.id === change.deviceId &&
    device.rooms.some((room) => room.id === change.room && room.on !== change.on);
  if (!devices.some(changes)) return devices;
  return devices.map((device) => {
    if (!changes(device)) return device;
    const rooms = device.rooms.map((room) => (room.id === change.room ? { ...room, on: change.on } : room));
    return { ...device, rooms };
  });
}

/**
 * Since when each room is as it is, in Unix milliseconds, by room key. A room of which nothing is known
 * is absent. What was seen live counts most; else the last edge of the room's line tells.
 */
export function roomTimes(
  devices: readonly Device[],
  changes: RoomChanges,
  edges: readonly LastEdge[],
): ReadonlyMap<string, number> {
  const lastEdges = new Map(edges.map((edge) => [roomKey(edge.deviceId, edge.room), edge]));
  const times = new Map<string, number>();
  for (const device of devices) {
    for (const room of device.rooms) {
      const key = roomKey(device.id, room.id);
      const change = changes.get(key);
      const edge = lastEdges.get(key);
      // A time that belongs to the other state would be a lie.
      if (change?.on === room.on) times.set(key, change.timeMs);
      else if (edge?.level === room.on && edge.timeMs !== null) times.set(key, edge.timeMs);
    }
  }
  return times;
}

/** What each room sold on one day, by room key. `dayOf` gives the day of a moment. Void sales count for nothing. */
export function talliesOf(
  sales: Iterable<Sale>,
  day: string,
  dayOf: (timeMs: number) => string,
): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const sale of sales) {
    if (sale.voidReason !== null || dayOf(sale.createdTimeMs) !== day) continue;
    const key = roomKey(sale.deviceId, sale.room);
    const before = tallies.get(key) ?? { sales: 0, revenue: 0 };
    tallies.set(key, { sales: before.sales + 1, revenue: before.revenue + sale.valor });
  }
  return tallies;
}
