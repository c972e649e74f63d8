import type { BodyOf } from "../contract/declaration.ts";
import { COMPARED_COLUMNS, importPlaces, importRecords } from "../contract/import.ts";
import { microsFromValor } from "../domain/amount.ts";
import { aliasOf, type ImportedRecord, placeDevices } from "../domain/imported.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { type Endpoint, serve } from "./router.ts";

/** Takes over places and records of another system. */
export function importEndpoints(
  reader: Pick<LedgerReader, "locations" | "devices" | "ledgerIds" | "importedCount">,
  writer: Pick<LedgerWriter, "importPlaces" | "importRecords">,
): readonly Endpoint[] {
  return [
    serve(importPlaces, async ({ userId, body: { dryRun, ...places }, by }) => {
      const locations = new Set(reader.locations(userId).map(({ name }) => name));
      const found = placeDevices(reader.devices(userId), places.devices);
      const placed = dryRun ? found : await writer.importPlaces(userId, places, by);
      const data = {
        locations: places.locations.filter(({ name }) => !locations.has(name)).length,
        devices: found.filter(({ id }) => id === null).length,
        placed: placed.map(({ imported, id, dId }) => ({ from: imported.id, id: id ?? imported.id, dId })),
      };
      return { data };
    }),
    serve(importRecords, async ({ userId, body: { dryRun, records }, by }) => {
      const ownIds = reader.ledgerIds();
      const imported = records.map((record) => toImported(record, ownIds));
      const { added, differing } = dryRun
        ? reader.importedCount(userId, imported)
        : await writer.importRecords(userId, imported, by);
      const rows = differing.map(({ place, fields }) => ({
        place,
        columns: fields.map((field) => COMPARED_COLUMNS[field]),
      }));
      return { data: { added, differing: rows } };
    }),
  ];
}

function toImported(
  record: BodyOf<typeof importRecords>["records"][number],
  ownIds: readonly string[],
): ImportedRecord {
  const { key, habitacion, valor, createdTime, endedTime, refundOf, ...same } = record;
  const known = (key: string) => {
    const alias = aliasOf(key, ownIds);
    return alias === undefined ? { key } : { key, alias };
  };
  return {
    ...same,
    ...known(key),
    refundOf: refundOf === null ? null : known(refundOf),
    room: habitacion,
    valorMicros: microsFromValor(valor),
    createdTimeMs: createdTime,
    endedTimeMs: endedTime,
  };
}
