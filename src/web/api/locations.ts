import type { Api } from "./api.ts";
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
