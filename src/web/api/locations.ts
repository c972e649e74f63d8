import type { Api } from "./api.ts";
import type { Device, Location, Overview, Self } from "./shapes.ts";

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

/** Whom a paper is about: a location, or those that a limited member sees; null for all that there are. */
export function whoseOf(
  location: string | null | undefined,
  { locationIds }: Pick<Self, "locationIds">,
  seen: readonly string[],
): string | null {
  return location ?? (locationIds === null ? null : seen.join(", "));
}

type Compare = (one: string, other: string) => number;

/** What records can be asked for by: what is there, and what has sold and may be gone since. */
export interface Choices {
  /** Names, sorted. */
  readonly locations: readonly string[];
  readonly devices: readonly DeviceChoice[];
}

export interface DeviceChoice {
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
export async function loadChoices(api: Pick<Api, "data">, compare: Compare): Promise<Choices> {
  const [{ choices }, { locations, devices }] = await Promise.all([
    api.data("/api/overview", { period: "year" }),
    loadLocations(api),
  ]);
  return choicesOf(choices, { locations: locations.map(({ name }) => name), devices }, compare);
}

/** Devices without a name or a location come after the others. */
const LAST = "\uffff";

/** What is there, and what has sold, each once. The device that is chosen is among them, whenever it has sold. */
export function choicesOf(
  sold: Overview["choices"],
  { locations, devices }: { readonly locations: readonly string[]; readonly devices: readonly Device[] },
  compare: Compare,
  chosen?: string,
): Choices {
  const known = new Set(devices.map(({ _id }) => _id));
  const names = new Map(sold.gone.map(({ deviceId, name }) => [deviceId, name]));
  const ids = new Set([...sold.devices.map(({ deviceId }) => deviceId), ...(chosen ? [chosen] : [])]);
  const gone = [...ids]
    .filter((id) => !known.has(id))
    .map((id) => ({
      id,
      name: names.get(id) ?? null,
      isGone: true,
      rooms: [],
      locationNames: sold.devices
        .filter(({ deviceId }) => deviceId === id)
        .map(({ locationName }) => locationName),
    }));
  const there = devices.map((device) => ({
    id: device._id,
    name: device.name,
    isGone: false,
    rooms: roomsOf(device),
    locationNames: [device.locationName],
  }));
  return {
    locations: [...new Set([...locations, ...sold.locations])].sort(compare),
    devices: [...there, ...gone].sort(
      (one, other) =>
        compare(one.locationNames[0] ?? LAST, other.locationNames[0] ?? LAST) ||
        Number(one.isGone) - Number(other.isGone) ||
        compare(one.name ?? LAST, other.name ?? LAST),
    ),
  };
}
