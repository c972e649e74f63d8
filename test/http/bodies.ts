import { NOON_MS } from "./appliance.ts";

/** A record as a device posts it, with what a test wants otherwise. */
export function aRecord(otherwise: Readonly<Record<string, unknown>> = {}) {
  return {
    locationName: "Clínica Norte",
    deviceName: "Pasillo A",
    deviceId: "7234",
    habitacion: "101",
    valor: 2.5,
    createdTime: NOON_MS - 1_000,
    ...otherwise,
  };
}

/** The body of a registration, with what a test wants otherwise. */
export function aDevice(otherwise: Readonly<Record<string, unknown>> = {}) {
  return {
    newDevice: {
      dId: "7234",
      name: "Pasillo A",
      locationId: "planta-1",
      locationName: "Clínica Norte",
      actuators: [
        { id: "101", value: false },
        { id: "102", value: true },
      ],
      ...otherwise,
    },
  };
}

/** So many different actuators. */
export function actuators(count: number): { id: string; value: boolean }[] {
  return Array.from({ length: count }, (_, index) => ({ id: String(index), value: false }));
}

/** The body of a new location, with what a test wants otherwise. */
export function aLocation(otherwise: Readonly<Record<string, unknown>> = {}) {
  return { location: { name: "Clínica Norte", description: "Dos plantas", ...otherwise } };
}

/** Whatever takes a body, which is JSON. */
export const JSON_BODIES = [
  ["post", "/api/login"],
  ["post", "/api/first-run"],
  ["post", "/api/device"],
  ["post", "/api/location"],
  ["post", "/api/data"],
  ["put", "/api/wiring"],
  ["patch", "/api/devices"],
  ["patch", "/api/locations"],
  ["post", "/api/lines/read"],
  ["post", "/api/lines/drive"],
] as const;
