import { MAX_ACTUATORS, type RenamedRoom } from "../../domain/device.ts";
import type { Locations } from "../api/locations.ts";
import type { Device, Location } from "../api/shapes.ts";

/** A list of rooms as typed, or what is wrong with it. */
type RoomList =
  | { readonly kind: "rooms"; readonly rooms: readonly string[] }
  | { readonly kind: "none" }
  | { readonly kind: "too_many"; readonly count: number }
  | { readonly kind: "twice"; readonly room: string }
  /** The first room of a range does not end in a number. */
  | { readonly kind: "no_number" };

const ENDING_NUMBER = /^(.*?)(\d{1,12})$/s;
const SEPARATOR = /[,;\n]/;

/** What stands in the fields for a new device's rooms. */
export interface RoomsDraft {
  readonly way: "range" | "list";
  readonly first: string;
  readonly count: string;
  readonly list: string;
}

const WHOLE_NUMBER = /^\d{1,6}$/;

export function roomsOfDraft({ way, first, count, list }: RoomsDraft): RoomList {
  if (way === "list") return roomsOfList(list);
  return WHOLE_NUMBER.test(count.trim()) ? roomsOfRange(first, Number(count)) : { kind: "none" };
}

/** `101` and 4 are 101, 102, 103, 104; `A-09` and 2 are. */
export function roomsOfRange(first: string, count: number): RoomList {
  const start = first.trim();
  if (start === "" || !Number.isInteger(count) || count < 1) return { kind: "none" };
  if (count > MAX_ACTUATORS) return { kind: "too_many", count };
  const [, prefix, digits] = ENDING_NUMBER.exec(start) ?? [];
  if (prefix === undefined || digits === undefined) {
    return count === 1 ? { kind: "rooms", rooms: [start] } : { kind: "no_number" };
  }
  const rooms = Array.from(
    { length: count },
    (_, index) => prefix + String(Number(digits) + index).padStart(digits.length, "0"),
  );
  return { kind: "rooms", rooms };
}

/** Rooms separated by commas, semicolons or lines. */
export function roomsOfList(text: string): RoomList {
  const rooms = text
    .split(SEPARATOR)
    .map((room) => room.trim())
    .filter((room) => room !== "");
  if (rooms.length === 0) return { kind: "none" };
  if (rooms.length > MAX_ACTUATORS) return { kind: "too_many", count: rooms.length };
  const twice = rooms.find((room, index) => rooms.indexOf(room) < index);
  return twice === undefined ? { kind: "rooms", rooms } : { kind: "twice", room: twice };
}

/**
 * Rooms that may be the same under another name: in a list of the same length, a new name stands in the place of one that is
 * gone.
 */
export function renamedRooms(before: readonly string[], after: readonly string[]): readonly RenamedRoom[] {
  if (before.length !== after.length) return [];
  return before
    .map((from, index) => ({ from, to: after[index] ?? from }))
    .filter(({ from, to }) => !after.includes(from) && !before.includes(to));
}

const SHORTEST_RUN = 3;

/** Rooms in little room, runs drawn together: `101–104, 201, 203`. */
export function briefRooms(rooms: readonly string[]): string {
  const parts: string[] = [];
  let index = 0;
  while (index < rooms.length) {
    const run = runFrom(rooms, index);
    if (run >= SHORTEST_RUN) parts.push(`${rooms[index]}–${rooms[index + run - 1]}`);
    else parts.push(...rooms.slice(index, index + run));
    index += run;
  }
  return parts.join(", ");
}

/** How many rooms from `index` on follow each other by number. */
function runFrom(rooms: readonly string[], index: number): number {
  const first = rooms[index] ?? "";
  let length = 1;
  for (;;) {
    const range = roomsOfRange(first, length + 1);
    const next = rooms[index + length];
    if (next === undefined || range.kind !== "rooms" || range.rooms[length] !== next) return length;
    length += 1;
  }
}

interface LocationGroup {
  readonly location: Location;
  readonly devices: readonly Device[];
}

/** Locations by name, each with its devices by name; and the devices of no location that there is. */
export function locationsInOrder(
  { locations, devices }: Locations,
  compare: (one: string, other: string) => number,
): { readonly groups: readonly LocationGroup[]; readonly elsewhere: readonly Device[] } {
  const inOrder = [...devices].sort(
    (one, other) => compare(one.name, other.name) || compare(one.dId, other.dId),
  );
  const known = new Set(locations.map(({ _id }) => _id));
  return {
    groups: [...locations]
      .sort((one, other) => compare(one.name, other.name))
      .map((location) => ({
        location,
        devices: inOrder.filter(({ locationId }) => locationId === location._id),
      })),
    elsewhere: inOrder.filter(({ locationId }) => !known.has(locationId)),
  };
}
