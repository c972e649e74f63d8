import type { Device } from "../api/device.ts";
import type { RoomChange } from "../api/live-event.ts";
import type { Sale } from "../api/sale.ts";

/** Room (see roomKey) to the last time it was seen to be switched. */
export type RoomChanges = ReadonlyMap<string, RoomChange>;

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
 * is absent. What was seen live counts most; else the room's newest sale of the lines tells.
 */
export function roomTimes(
  devices: readonly Device[],
  changes: RoomChanges,
  sales: readonly Sale[],
): ReadonlyMap<string, number> {
  const newest = newestByRoom(sales);
  const times = new Map<string, number>();
  for (const device of devices) {
    for (const room of device.rooms) {
      const key = roomKey(device.id, room.id);
      const change = changes.get(key);
      const sale = newest.get(key);
      const time = change?.on === room.on ? change.timeMs : sale && timeFromSale(sale, room.on);
      if (time !== undefined && time !== null) times.set(key, time);
    }
  }
  return times;
}

/** The record ids of the sales that are still going on: the newest of a room that is on. */
export function ongoingSales(devices: readonly Device[], sales: readonly Sale[]): ReadonlySet<number> {
  const newest = newestByRoom(sales);
  const ongoing = new Set<number>();
  for (const device of devices) {
    for (const room of device.rooms) {
      const sale = room.on ? newest.get(roomKey(device.id, room.id)) : undefined;
      if (sale?.endedTimeMs === null) ongoing.add(sale.recordId);
    }
  }
  return ongoing;
}

/** `sales` are newest first. Posted records say nothing of a line, so they are left out. */
function newestByRoom(sales: readonly Sale[]): ReadonlyMap<string, Sale> {
  const newest = new Map<string, Sale>();
  for (const sale of sales) {
    const key = roomKey(sale.deviceId, sale.room);
    if (sale.origin !== "posted" && !newest.has(key)) newest.set(key, sale);
  }
  return newest;
}

function timeFromSale(sale: Sale, on: boolean): number | null {
  if (!on) return sale.endedTimeMs;
  return sale.endedTimeMs === null ? sale.createdTimeMs : null;
}
