import type { Api } from "./api.ts";
import { flag, type Json, list, text } from "./read.ts";

/** A room: one relay of a device. */
export interface Room {
  readonly id: string;
  readonly on: boolean;
}

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly locationName: string;
  readonly rooms: readonly Room[];
}

export const DEVICES_PATH = "/api/device";

export async function loadDevices(api: Pick<Api, "get">): Promise<readonly Device[]> {
  return list(await api.get(DEVICES_PATH), "data", deviceOf);
}

function deviceOf(data: Json): Device {
  return {
    id: text(data, "_id"),
    name: text(data, "name"),
    locationName: text(data, "locationName"),
    rooms: list(data, "actuators", (room) => ({ id: text(room, "id"), on: flag(room, "value") })),
  };
}
