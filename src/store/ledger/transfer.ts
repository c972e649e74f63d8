import type { Database } from "better-sqlite3";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import type { ImportedDevice, ImportedLocation } from "../../domain/record.ts";
import { type deviceCommands, deviceReader } from "./device.ts";
import { locationReader } from "./location.ts";
import { RECORD_CORRECTIONS, type RecordRow, recordInserter, SELECT_RECORD, toRecord } from "./record.ts";
import type { WriteContext } from "./write-context.ts";

/** An imported record has its key where an edge's has its line, with an index of its own (schema.ts). */
const KNOWN = "SELECT 1 FROM record WHERE origin = 'imported' AND user_id = ? AND line = ?";

export function transferReader(db: Database) {
  const known = db.prepare<[Id, string]>(KNOWN);
  const after = db.prepare<[Id, number, number], RecordRow & { readonly importKey: string | null }>(
    `SELECT ${SELECT_RECORD}, iif(r.origin = 'imported', r.line, NULL) AS importKey FROM record r ${RECORD_CORRECTIONS}
      WHERE user_id = ? AND r.record_id > ? ORDER BY r.record_id LIMIT ?`,
  );
  return {
    exportedRecords: (userId, afterId, limit) =>
      after.all(userId, afterId, limit).map(({ importKey, ...row }) => ({ ...toRecord(row), importKey })),
    importedCount: (userId, keys) => keys.filter((key) => known.get(userId, key) !== undefined).length,
  } satisfies Partial<LedgerReader>;
}

/** @param commands by which an import makes its locations and devices, and voids records */
export function transferCommands(
  db: Database,
  context: WriteContext,
  commands: Pick<ReturnType<typeof deviceCommands>, "addDevice"> &
    Pick<LedgerCommands, "addLocation" | "voidRecord">,
) {
  const { locations } = locationReader(db);
  const { devices } = deviceReader(db);
  const { addLocation, addDevice, voidRecord } = commands;
  const known = db.prepare<[Id, string]>(KNOWN);
  const add = recordInserter(db, context);
  const end = db.prepare<[number, number]>("UPDATE record SET ended_ms = ? WHERE record_id = ?");
  const taken = db.prepare<[Id]>("SELECT 1 FROM device WHERE device_id = ?");

  /** Adds the locations that are not there yet, and gives the id of each of the account's, by its name. */
  function importLocations(userId: Id, imported: readonly ImportedLocation[]): ReadonlyMap<string, Id> {
    const ids = new Map(locations(userId).map(({ id, name }) => [name, id]));
    for (const location of imported) {
      if (!ids.has(location.name)) ids.set(location.name, addLocation(userId, location));
    }
    return ids;
  }

  function importDevice(
    userId: Id,
    { id, rooms, ...device }: ImportedDevice,
    locationIds: ReadonlyMap<string, Id>,
  ): Id {
    const locationId = locationIds.get(device.locationName);
    if (locationId === undefined) {
      throw new FlancoError("not_found", `There is no location "${device.locationName}".`);
    }
    const actuators = rooms.map((room) => ({ id: room, value: false }));
    const kept = taken.get(id) === undefined ? { id } : {};
    return addDevice(userId, { ...device, locationId, actuators }, kept);
  }

  return {
    importPlaces(userId, places, by = SERVICE_ACTOR) {
      const locationIds = importLocations(userId, places.locations);
      const ids = new Map(devices(userId).map(({ id, dId }) => [dId, id]));
      for (const device of places.devices) {
        if (!ids.has(device.dId)) ids.set(device.dId, importDevice(userId, device, locationIds));
      }
      const counts = { locations: places.locations.length, devices: places.devices.length };
      context.audit.note("data_imported", userId, { source: places.source, ...counts }, by);
      return Object.fromEntries(places.devices.map(({ id, dId }) => [id, ids.get(dId) ?? id]));
    },

    importRecords(userId, records, by = SERVICE_ACTOR) {
      let added = 0;
      for (const { key, endedTimeMs, provisional, voidReason, ...record } of records) {
        if (known.get(userId, key) !== undefined) continue;
        const recordId = add({
          userId,
          record,
          origin: "imported",
          provisional,
          source: null,
          importKey: key,
        });
        if (endedTimeMs !== null) end.run(endedTimeMs, recordId);
        if (voidReason !== null) voidRecord(recordId, voidReason, by);
        added += 1;
      }
      if (added > 0) context.tell({ kind: "locations", userId });
      return added;
    },
  } satisfies Partial<LedgerCommands>;
}
