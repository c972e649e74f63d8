import { loadDevices } from "../api/locations.ts";
import type { Device } from "../api/shapes.ts";
import type { LiveEvent } from "../live/events.ts";
import { type Loaded, useLoaded } from "../live/use-loaded.ts";
import { switchRoom } from "./rooms.ts";

/** The devices with their rooms, live. */
export function useDevices(): Loaded<readonly Device[]> {
  return useLoaded(loadDevices, "devices", ["locations"], afterEvent);
}

function afterEvent(devices: readonly Device[], event: LiveEvent): readonly Device[] {
  return event.kind === "actuator" ? switchRoom(devices, event.data) : devices;
}
