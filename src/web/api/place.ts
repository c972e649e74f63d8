import type { Api } from "./api.ts";
import { type Json, list, number, text } from "./read.ts";

/** A location: a hospital, a clinic, a cooperative. */
export interface Place {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** A box of relays, as one who sets it up sees it. */
export interface Box {
  readonly id: string;
  /** Its user's own number for it. */
  readonly dId: string;
  readonly name: string;
  readonly locationId: string;
  readonly locationName: string;
  /** The rooms' numbers, in their order. */
  readonly rooms: readonly string[];
  readonly createdTimeMs: number;
}

export interface Places {
  readonly places: readonly Place[];
  readonly boxes: readonly Box[];
}

export interface PlaceDraft {
  readonly name: string;
  readonly description: string;
}

export interface BoxDraft {
  readonly dId: string;
  readonly name: string;
  readonly place: Place;
  readonly rooms: readonly string[];
}

export async function loadPlaces(api: Api): Promise<Places> {
  const [places, boxes] = await Promise.all([api.get("/api/location"), api.get("/api/device")]);
  return { places: list(places, "data", placeOf), boxes: list(boxes, "data", boxOf) };
}

export async function addPlace(api: Api, place: PlaceDraft): Promise<void> {
  await api.post("/api/location", { location: place });
}

export async function changePlace(api: Api, id: string, place: PlaceDraft): Promise<void> {
  await api.patch(`/api/locations?${new URLSearchParams({ locationId: id })}`, { location: place });
}

export async function removePlace(api: Api, id: string): Promise<void> {
  await api.delete(`/api/location?${new URLSearchParams({ locationId: id })}`);
}

/** Throws ApiFailure: 409 names `dId` when a device has that number already. */
export async function addBox(api: Api, { dId, name, place, rooms }: BoxDraft): Promise<void> {
  const actuators = rooms.map((id) => ({ id, value: false }));
  await api.post("/api/device", {
    newDevice: { dId, name, locationId: place.id, locationName: place.name, actuators },
  });
}

export async function changeBox(
  api: Api,
  dId: string,
  box: { readonly name?: string; readonly locationId?: string },
): Promise<void> {
  await api.patch(`/api/devices?${new URLSearchParams({ dId })}`, { device: box });
}

/** Its lines are unwired and its records are kept. */
export async function removeBox(api: Api, dId: string): Promise<void> {
  await api.delete(`/api/device?${new URLSearchParams({ dId })}`);
}

function placeOf(data: Json): Place {
  return { id: text(data, "_id"), name: text(data, "name"), description: text(data, "description") };
}

function boxOf(data: Json): Box {
  return {
    id: text(data, "_id"),
    dId: text(data, "dId"),
    name: text(data, "name"),
    locationId: text(data, "locationId"),
    locationName: text(data, "locationName"),
    rooms: list(data, "actuators", (room) => text(room, "id")),
    createdTimeMs: number(data, "createdTime"),
  };
}
