import type { Device, StoredRecord } from "../../src/web/api/shapes.ts";

/** A record of the lines in room 101 of device d1, still going on; `number` gives its time too. */
export function recordOf(number: number, changes: Partial<StoredRecord> = {}): StoredRecord {
  return {
    number,
    locationName: "Clínica",
    deviceName: "Pasillo A",
    deviceId: "d1",
    habitacion: "101",
    valor: 3.5,
    createdTime: number * 1_000,
    endedTime: null,
    origin: "edge",
    provisional: false,
    voided: null,
    ...changes,
  };
}

/** Device d1 with the given rooms, on or off. */
export function deviceOf(rooms: Readonly<Record<string, boolean>>, changes: Partial<Device> = {}): Device {
  return {
    _id: "d1",
    userId: "u1",
    dId: "7234",
    name: "Pasillo A",
    selected: false,
    actuators: Object.entries(rooms).map(([id, value]) => ({ id, value })),
    locationId: "l1",
    locationName: "Clínica",
    createdTime: 0,
    __v: 0,
    ...changes,
  };
}
