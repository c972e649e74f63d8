import type { RenamedRoom } from "../../domain/device.ts";
import type { Api } from "./api.ts";
import type { Device, DevicesAnswer, Location, LocationsAnswer } from "./shapes.ts";

export interface Locations {
  readonly locations: readonly Location[];
  readonly devices: readonly Device[];
}

type LocationDraft = Pick<Location, "name" | "description">;

interface DeviceDraft extends Pick<Device, "dId" | "name"> {
  readonly location: Location;
  /** The rooms' numbers. */
  readonly rooms: readonly string[];
}

export async function loadDevices(api: Pick<Api, "get">): Promise<readonly Device[]> {
  return (await api.get<DevicesAnswer>("/api/device")).data;
}

export async function loadLocations(api: Api): Promise<Locations> {
  const [{ data }, devices] = await Promise.all([
    api.get<LocationsAnswer>("/api/location"),
    loadDevices(api),
  ]);
  return { locations: data, devices };
}

export function roomsOf(device: Device): readonly string[] {
  return device.actuators.map(({ id }) => id);
}

export function addLocation(api: Api, location: LocationDraft): Promise<unknown> {
  return api.send("POST", "/api/location", { location });
}

export function changeLocation(api: Api, id: string, location: LocationDraft): Promise<unknown> {
  return api.send("PATCH", `/api/location?${new URLSearchParams({ locationId: id })}`, { location });
}

export function removeLocation(api: Api, id: string): Promise<unknown> {
  return api.send("DELETE", `/api/location?${new URLSearchParams({ locationId: id })}`);
}

/** Rejects with ApiFailure: 409 names `dId` when a device has that number already. */
export function addDevice(api: Api, { dId, name, location, rooms }: DeviceDraft): Promise<unknown> {
  const actuators = rooms.map((id) => ({ id, value: false }));
  const newDevice = { dId, name, locationId: location._id, locationName: location.name, actuators };
  return api.send("POST", "/api/device", { newDevice });
}

export function changeDevice(
  api: Api,
  dId: string,
  device: Partial<Pick<Device, "name" | "locationId">> & {
    readonly rooms?: readonly string[];
    readonly renamedRooms?: readonly RenamedRoom[];
  },
): Promise<unknown> {
  return api.send("PATCH", `/api/device?${new URLSearchParams({ dId })}`, { device });
}

/** Says which of a device's rooms have no line on purpose: these, and no others. */
export function leaveWithoutLine(api: Api, dId: string, withoutLine: readonly string[]): Promise<unknown> {
  return api.send("PATCH", `/api/device?${new URLSearchParams({ dId })}`, { device: { withoutLine } });
}

/** Its lines are unwired and its records are kept. */
export function removeDevice(api: Api, dId: string): Promise<unknown> {
  return api.send("DELETE", `/api/device?${new URLSearchParams({ dId })}`);
}
