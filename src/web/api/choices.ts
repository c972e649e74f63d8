import type { Api } from "./api.ts";
import { loadGoneNames } from "./gone-device.ts";
import { list, object, text } from "./read.ts";

type Compare = (one: string, other: string) => number;

/** What records can be asked for by: what is there, and what has sold and may be gone since. */
export interface Choices {
  /** Names, sorted. */
  readonly locations: readonly string[];
  readonly devices: readonly ChosenDevice[];
}

export interface ChosenDevice {
  readonly id: string;
  /** Of one that is gone, as its newest record has it; null where none is found. */
  readonly name: string | null;
  readonly isGone: boolean;
  readonly locationName: string;
  /** Its rooms' numbers; none of a device that is gone. */
  readonly rooms: readonly string[];
}

/** `compare` puts texts in the order of the page's language. */
export async function loadChoices(api: Api, compare: Compare): Promise<Choices> {
  const [summary, places, devices] = await Promise.all([
    api.get("/api/summary?period=year"),
    api.get("/api/location"),
    api.get("/api/device"),
  ]);
  const sold = object(object(summary["data"], "data")["choices"], "choices");
  const soldNames = sold["locations"];
  const there = list(devices, "data", (device) => ({
    id: text(device, "_id"),
    name: text(device, "name"),
    isGone: false,
    locationName: text(device, "locationName"),
    rooms: list(device, "actuators", (room) => text(room, "id")),
  }));
  const known = new Set(there.map(({ id }) => id));
  const past = list(sold, "devices", (device) => ({
    id: text(device, "deviceId"),
    locationName: text(device, "locationName"),
  })).filter(({ id }) => !known.has(id));
  const names = await loadGoneNames(
    api,
    past.map(({ id }) => id),
  );
  const gone = past.map(({ id, locationName }) => ({
    ...{ id, locationName, isGone: true, rooms: [] },
    name: names.get(id) ?? null,
  }));
  return choicesOf(
    [
      ...list(places, "data", (place) => text(place, "name")),
      ...(Array.isArray(soldNames) ? soldNames.map(String) : []),
    ],
    [...there, ...gone],
    compare,
  );
}

/** Devices without a name come after the others. */
const LAST = "\uffff";

/** Each name and each device once; of two devices by one id the first. */
export function choicesOf(
  locations: readonly string[],
  devices: readonly ChosenDevice[],
  compare: Compare,
): Choices {
  const byId = new Map<string, ChosenDevice>();
  for (const device of devices) if (!byId.has(device.id)) byId.set(device.id, device);
  return {
    locations: [...new Set(locations)].sort(compare),
    devices: [...byId.values()].sort(
      (one, other) =>
        compare(one.locationName, other.locationName) ||
        Number(one.isGone) - Number(other.isGone) ||
        compare(one.name ?? LAST, other.name ?? LAST),
    ),
  };
}
