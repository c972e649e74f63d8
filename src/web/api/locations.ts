import type { Api } from "./api.ts";
import { loadFirstRecords } from "./records.ts";
import type { Device, Location, Overview } from "./shapes.ts";

export interface Locations {
  readonly locations: readonly Location[];
  readonly devices: readonly Device[];
}

export async function loadLocations(api: Pick<Api, "data">): Promise<Locations> {
  const [locations, devices] = await Promise.all([api.data("/api/location"), api.data("/api/device")]);
  return { locations, devices };
}

export function roomsOf(device: Device): readonly string[] {
  return device.actuators.map(({ id }) => id);
}

type Compare = (one: string, other: string) => number;

/** What records can be asked for by: what is there, and what has sold and may be gone since. */
export interface Choices {
  /** Names, sorted. */
  readonly locations: readonly string[];
  readonly devices: readonly DeviceChoice[];
}

interface DeviceChoice {
  readonly id: string;
  /** Of one that is gone, as its newest record has it; null where none is found. */
  readonly name: string | null;
  readonly isGone: boolean;
  /** Where it is; where one that is gone has sold. */
  readonly locationNames: readonly string[];
  /** Its rooms' numbers; none of a device that is gone. */
  readonly rooms: readonly string[];
}

/** `compare` puts texts in the order of the page's language. */
export async function loadChoices(api: Pick<Api, "get" | "data">, compare: Compare): Promise<Choices> {
  const [{ choices: sold }, { locations, devices }] = await Promise.all([
    api.data("/api/overview", { period: "year" }),
    loadLocations(api),
  ]);
  const names = await loadGoneNames(api, goneIds(sold, devices));
  const there = locations.map(({ name }) => name);
  return choicesOf({ ...sold, locations: [...there, ...sold.locations] }, devices, names, compare);
}

/** What has sold; a device at several locations is listed once for each. */
interface Sold extends Pick<Overview["choices"], "locations"> {
  readonly devices: readonly { readonly deviceId: string; readonly locationName: string | undefined }[];
}

/** The devices that have sold and are gone. */
export function goneIds(sold: Sold, devices: readonly Device[]): readonly string[] {
  const known = new Set(devices.map(({ _id }) => _id));
  return [...new Set(sold.devices.map(({ deviceId }) => deviceId))].filter((id) => !known.has(id));
}

/** Devices without a name or a location come after the others. */
const LAST = "\uffff";

/** The locations of `sold`, and the devices that are there or have sold, each once; `names` are those of the gone. */
export function choicesOf(
  sold: Sold,
  devices: readonly Device[],
  names: ReadonlyMap<string, string> | undefined,
  compare: Compare,
): Choices {
  const gone = goneIds(sold, devices).map((id) => ({
    ...{ id, name: names?.get(id) ?? null, isGone: true, rooms: [] },
    locationNames: sold.devices.flatMap(({ deviceId, locationName }) =>
      deviceId === id && locationName !== undefined ? [locationName] : [],
    ),
  }));
  const there = devices.map((device) => ({
    ...{ id: device._id, name: device.name, isGone: false, rooms: roomsOf(device) },
    locationNames: [device.locationName],
  }));
  return {
    locations: [...new Set(sold.locations)].sort(compare),
    devices: [...there, ...gone].sort(
      (one, other) =>
        compare(one.locationNames[0] ?? LAST, other.locationNames[0] ?? LAST) ||
        Number(one.isGone) - Number(other.isGone) ||
        compare(one.name ?? LAST, other.name ?? LAST),
    ),
  };
}

const MAX_PAGES = 5;
const MAX_DEVICES = 20;

/** The names that devices which are gone had in their newest records; those of which that is found soon. */
export async function loadGoneNames(
  api: Pick<Api, "get">,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const named = await Promise.all(
    [...new Set(deviceIds)].slice(0, MAX_DEVICES).map(async (id) => {
      const newest = await loadFirstRecords(api, { device: id }, 1, MAX_PAGES);
      return newest.map(({ deviceName }) => [id, deviceName] as const);
    }),
  );
  return new Map(named.flat());
}
