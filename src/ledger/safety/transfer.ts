import type { Database } from "better-sqlite3";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import {
  type ComparedField,
  type DifferingRecord,
  type ImportedDevice,
  type ImportedLocation,
  type ImportedRecord,
  isSameToSpreadsheet,
  placeDevices,
} from "../../domain/imported.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import type { ExportedRecord } from "../../domain/record.ts";
import type { WriteContext } from "../engine/commands.ts";
import { recordByNumber } from "../engine/numbers.ts";
import { type deviceCommands, deviceReader } from "../nouns/device.ts";
import { locationReader } from "../nouns/location.ts";
import type { PaidTimes } from "../nouns/paid-time.ts";
import {
  RECORD_CORRECTIONS,
  type RecordRow,
  recordInserter,
  SELECT_RECORD,
  toRecord,
} from "../nouns/record.ts";

/** What is compared of a record that is imported. */
interface KnownRecord {
  readonly locationName: string;
  readonly deviceName: string;
  readonly room: string;
  readonly valorMicros: number;
  readonly createdMs: number;
  readonly effectiveMs: number;
  readonly isVoid: number;
  readonly number: number;
  readonly hash: string;
}

const SELECT_KNOWN = `SELECT location_name AS locationName, device_name AS deviceName, room, valor_micros AS valorMicros,
  created_ms AS createdMs, effective_ms AS effectiveMs, voided_by IS NOT NULL AS isVoid, number, lower(hex(hash)) AS hash FROM record`;

/** Records of one moment and price that are looked at: there is one relay to a room. */
const MAX_AT_ONCE = 1_000;

/** Whether a spreadsheet may have made one record of the other, by changing the names of its place. */
function isChanged(here: KnownRecord, there: ImportedRecord): boolean {
  const names = ["locationName", "deviceName", "room"] as const;
  return (
    names.every((name) => isSameToSpreadsheet(here[name], there[name])) &&
    names.some((name) => here[name] !== there[name])
  );
}

/** Gives of a record that is imported whether it is new to an account, or what of it is otherwise there. */
function importComparison(db: Database) {
  // An imported record has its key where an edge's has its line, with an index of its own (schema.ts).
  const byKey = db.prepare<[Id, string], KnownRecord>(
    `${SELECT_KNOWN} WHERE origin = 'imported' AND user_id = ? AND line = ?`,
  );
  const idOf = recordByNumber(db);
  const byId = db.prepare<[number | undefined], KnownRecord>(`${SELECT_KNOWN} WHERE record_id = ?`);
  const byContent = db.prepare<[Id, number, string, string, string, number, number], KnownRecord>(
    `${SELECT_KNOWN} WHERE user_id = ? AND effective_ms = ? AND location_name = ? AND device_name = ? AND room = ?
        AND valor_micros = ? ORDER BY record_id LIMIT 1 OFFSET ?`,
  );
  const atTime = db.prepare<[Id, number, number], KnownRecord>(
    `${SELECT_KNOWN} WHERE user_id = ? AND effective_ms = ? AND valor_micros = ? LIMIT ${MAX_AT_ONCE}`,
  );

  function find(userId: Id, record: ImportedRecord): KnownRecord | undefined {
    const { key, alias, createdTimeMs, locationName, deviceName, room, valorMicros } = record;
    const found = byKey.get(userId, key);
    if (found !== undefined || alias === undefined) return found;
    switch (alias.kind) {
      case "own": {
        const own = byId.get(idOf.get({ userId, number: alias.number }));
        return own?.hash.startsWith(alias.hash) === true ? own : undefined;
      }
      case "content":
        return (
          byContent.get(
            ...([userId, createdTimeMs, locationName, deviceName, room, valorMicros] as const),
            alias.before,
          ) ?? atTime.all(userId, createdTimeMs, valorMicros).find((other) => isChanged(other, record))
        );
    }
  }

  const compare = (userId: Id, record: ImportedRecord): "new" | readonly ComparedField[] => {
    const known = find(userId, record);
    if (known === undefined) return "new";
    const { createdTimeMs, voidReason } = record;
    const names = ["locationName", "deviceName", "room", "valorMicros"] as const;
    const differing: ComparedField[] = names.filter((name) => known[name] !== record[name]);
    // A wrong clock's time may have been corrected since the export.
    if (known.effectiveMs !== createdTimeMs && known.createdMs !== createdTimeMs) {
      differing.push("createdTimeMs");
    }
    if (voidReason !== null && known.isVoid === 0) differing.push("voidReason");
    return differing;
  };
  return { find, compare };
}

export function transferReader(db: Database) {
  const { compare } = importComparison(db);
  const after = db.prepare<
    [Id, number, number],
    RecordRow & { readonly importKey: string | null; readonly hash: string }
  >(
    `SELECT ${SELECT_RECORD}, iif(r.origin = 'imported', r.line, NULL) AS importKey, lower(hex(r.hash)) AS hash
       FROM record r ${RECORD_CORRECTIONS} WHERE user_id = ? AND r.record_id > ? ORDER BY r.record_id LIMIT ?`,
  );
  const idOf = recordByNumber(db);
  const sale = db.prepare<[number | undefined], Pick<ExportedRecord, "number" | "importKey" | "hash">>(
    "SELECT number, iif(origin = 'imported', line, NULL) AS importKey, lower(hex(hash)) AS hash FROM record WHERE record_id = ?",
  );
  const saleOf = (userId: Id, number: number | null) =>
    number === null ? null : (sale.get(idOf.get({ userId, number })) ?? null);
  return {
    exportedRecords: (userId, afterId, limit) =>
      after.all(userId, afterId, limit).map(({ importKey, hash, ...row }) => {
        const refunded = saleOf(userId, row.refundOf);
        return { ...toRecord(row), importKey, hash, refunded };
      }),
    importedCount(userId, records) {
      const found = records.map((record) => compare(userId, record));
      const differing = found.flatMap((fields, place) =>
        fields === "new" || fields.length === 0 ? [] : [{ place, fields }],
      );
      return { added: found.filter((standing) => standing === "new").length, differing };
    },
  } satisfies Partial<LedgerReader>;
}

type RefundedSale = NonNullable<ImportedRecord["refundOf"]>;

/** @param commands by which an import makes its locations and devices, and voids records */
export function transferCommands(
  db: Database,
  context: WriteContext,
  commands: Pick<ReturnType<typeof deviceCommands>, "addDevice"> &
    Pick<LedgerCommands, "addLocation" | "voidRecord"> &
    Pick<PaidTimes, "beginPosted">,
) {
  const { locations } = locationReader(db);
  const { devices } = deviceReader(db);
  const { addLocation, addDevice, voidRecord, beginPosted } = commands;
  const { find, compare } = importComparison(db);
  const add = recordInserter(db, context);
  const end = db.prepare<[number, number]>("UPDATE record SET ended_ms = ? WHERE record_id = ?");
  const taken = db.prepare<[Id]>("SELECT 1 FROM device WHERE device_id = ?");

  /** The number that a refund's sale has here; undefined where it is not here, or is less than the refund. */
  function saleOf(userId: Id, refund: ImportedRecord, sale: RefundedSale): number | undefined {
    const { alias: _own, valorMicros, ...same } = refund;
    const found = find(userId, { ...same, valorMicros, ...sale });
    const isRight = found !== undefined && valorMicros < 0 && valorMicros >= -found.valorMicros;
    return isRight ? found.number : undefined;
  }

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
      const ids = new Map<string, Id>();
      const placed = placeDevices(devices(userId), places.devices).map(({ imported, id, dId }) => {
        const placedId = id ?? ids.get(dId) ?? importDevice(userId, { ...imported, dId }, locationIds);
        ids.set(dId, placedId);
        return { imported, id: placedId, dId };
      });
      const counts = { locations: places.locations.length, devices: places.devices.length };
      context.audit.note("data_imported", userId, { source: places.source, ...counts }, by);
      return placed;
    },

    importRecords(userId, records, by = SERVICE_ACTOR) {
      let added = 0;
      const differing: DifferingRecord[] = [];
      for (const [place, imported] of records.entries()) {
        const found = compare(userId, imported);
        const { key, alias: _alias, endedTimeMs, provisional, voidReason, ...given } = imported;
        const { refundOf, reason, ...record } = given;
        const sale = refundOf && saleOf(userId, imported, refundOf);
        if (found !== "new" || sale === undefined) {
          const fields: readonly ComparedField[] = found === "new" ? ["refundOf"] : found;
          if (fields.length > 0) differing.push({ place, fields });
          continue;
        }
        const { recordId } = add({
          userId,
          record,
          origin: "imported",
          provisional,
          line: key,
          refundOf: sale,
          reason,
        });
        if (endedTimeMs !== null) end.run(endedTimeMs, recordId);
        if (voidReason !== null) voidRecord(recordId, voidReason, by);
        else beginPosted(userId, recordId, record);
        added += 1;
      }
      if (added > 0) context.tell({ kind: "locations", userId });
      return { added, differing };
    },
  } satisfies Partial<LedgerCommands>;
}
