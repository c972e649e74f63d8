import { toRecordAnswer } from "../../src/http/record.ts";
import type { Device, StoredRecord } from "../../src/web/api/shapes.ts";
import { aStoredRecord } from "../domain/record-entry.ts";

/** A record of the lines in room 101 of device d1, still going on; `number` gives its time too. */
export function recordOf(number: number, changes: Partial<StoredRecord> = {}): StoredRecord {
  const record = { number, deviceId: "d1", valorMicros: 3_500_000, createdTimeMs: number * 1_000 };
  return { ...toRecordAnswer(aStoredRecord(record)), ...changes };
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
