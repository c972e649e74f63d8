import type { Api } from "./api.ts";
import { loadFirstRecords } from "./records.ts";
import type { Device, Location } from "./shapes.ts";

export interface Locations {
  readonly locations: readonly Location[];
  readonly devices: readonly Device[];
}

export async function loadLocations(api: Api): Promise<Locations> {
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
  readonly locationName: string;
  /** Its rooms' numbers; none of a device that is gone. */
  readonly rooms: readonly string[];
}

/** `compare` puts texts in the order of the page's language. */
export async function loadChoices(api: Api, compare: Compare): Promise<Choices> {
  const [{ choices: sold }, { locations, devices }] = await Promise.all([
    api.data("/api/overview", { period: "year" }),
    loadLocations(api),
  ]);
  const there = devices.map((device) => ({
    id: device._id,
    name: device.name,
    isGone: false,
    locationName: device.locationName,
    rooms: roomsOf(device),
  }));
  const known = new Set(there.map(({ id }) => id));
  const past = sold.devices.filter(({ deviceId }) => !known.has(deviceId));
  const names = await loadGoneNames(
    api,
    past.map(({ deviceId }) => deviceId),
  );
  const gone = past.map(({ deviceId, locationName }) => ({
    ...{ id: deviceId, locationName, isGone: true, rooms: [] },
    name: names.get(deviceId) ?? null,
  }));
  return choicesOf([...locations.map(({ name }) => name), ...sold.locations], [...there, ...gone], compare);
}

/** Devices without a name come after the others. */
const LAST = "\uffff";

/** Each name and each device once; of two devices by one id the first. */
export function choicesOf(
  locations: readonly string[],
  devices: readonly DeviceChoice[],
  compare: Compare,
): Choices {
  const byId = new Map<string, DeviceChoice>();
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
