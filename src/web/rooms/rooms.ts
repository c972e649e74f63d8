import type { Api } from "../api/api.ts";
import type { Data, Device, LastEdge } from "../api/shapes.ts";
import type { RoomChange } from "../live/events.ts";

/** Room (see roomKey) to the last time that it was seen to be switched. */
export type RoomChanges = ReadonlyMap<string, RoomChange>;

/** For how long a room is paid, in Unix milliseconds. */
export type PaidStay = NonNullable<Data<"/api/room">[number]["paid"]>;

export interface Tally {
  /** Null where nothing is paid of it. */
  readonly paid: PaidStay | null;
  /** Null for a role without money; so is the revenue. */
  readonly sales: number | null;
  readonly revenue: number | null;
  /** The line that the room is wired to; null without one. */
  readonly line: string | null;
  /** It has none on purpose. */
  readonly withoutLine: boolean;
}

/** One text for a room of a device, whatever their names hold. */
export function roomKey(deviceId: string, room: string): string {
  return JSON.stringify([deviceId, room]);
}

/** The devices after a room was switched; the same list when that changes nothing. */
export function switchRoom(devices: readonly Device[], change: RoomChange): readonly Device[] {
  const isSwitched = (room: Device["actuators"][number]) =>
    room.id === change.actuatorId && room.value !== change.value;
  if (!devices.some(({ _id, actuators }) => _id === change.deviceId && actuators.some(isSwitched))) {
    return devices;
  }
  return devices.map((device) => {
    if (device._id !== change.deviceId) return device;
    const actuators = device.actuators.map((room) =>
      isSwitched(room) ? { ...room, value: change.value } : room,
    );
    return { ...device, actuators };
  });
}

/**
 * Since when each room is on or off, in Unix milliseconds, by room key. A room of which nothing is known is absent.
 * What was seen live counts most, then the last edge of the room's line.
 */
export function roomTimes(
  devices: readonly Device[],
  changes: RoomChanges,
  edges: readonly LastEdge[],
): ReadonlyMap<string, number> {
  const lastEdges = new Map(edges.map((edge) => [roomKey(edge.deviceId, edge.room), edge]));
  const times = new Map<string, number>();
  for (const device of devices) {
    for (const room of device.actuators) {
      const key = roomKey(device._id, room.id);
      const change = changes.get(key);
      const edge = lastEdges.get(key);
      // A time that belongs to the other state would be wrong.
      if (change?.value === room.value) times.set(key, change.time);
      else if (edge?.active === room.value && edge.timeMs !== null) times.set(key, edge.timeMs);
    }
  }
  return times;
}

/** What each room has sold today, by room key. */
export async function loadTallies(api: Api): Promise<ReadonlyMap<string, Tally>> {
  const rooms = await api.data("/api/room");
  return new Map(rooms.map(({ deviceId, room, ...tally }) => [roomKey(deviceId, room), tally]));
}
