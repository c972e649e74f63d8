import type { Device } from "../../src/web/api/device.ts";
import type { Sale } from "../../src/web/api/sale.ts";

/** A sale of the lines in room 101 of device d1, still going on; `recordId` gives its time too. */
export function saleOf(recordId: number, changes: Partial<Sale> = {}): Sale {
  return {
    recordId,
    locationName: "Clínica",
    deviceName: "Pasillo A",
    deviceId: "d1",
    room: "101",
    valor: 3.5,
    createdTimeMs: recordId * 1_000,
    endedTimeMs: null,
    origin: "edge",
    isProvisional: false,
    voidReason: null,
    ...changes,
  };
}

/** Device d1 with the given rooms, on or off. */
export function deviceOf(rooms: Readonly<Record<string, boolean>>): Device {
  return {
    id: "d1",
    name: "Pasillo A",
    locationName: "Clínica",
    rooms: Object.entries(rooms).map(([id, on]) => ({ id, on })),
  };
}
