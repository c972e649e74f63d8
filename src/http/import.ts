import type { OperationCode, OperationName, ParsedInput } from "../contract/operator.ts";
import { microsFromValor } from "../domain/amount.ts";
import type { Actor } from "../domain/audit.ts";
import type { CalmReader } from "../domain/heavy-read.ts";
import type { Id } from "../domain/id.ts";
import { aliasOf, type ImportedRecord, placeDevices } from "../domain/imported.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import type { NewUser } from "../domain/user.ts";
import type { ShownNumbers } from "./shown-number.ts";

interface ImportDependencies {
  readonly reader: CalmReader;
  readonly writer: Pick<LedgerWriter, "importPlaces" | "importRecords">;
  readonly numbers: ShownNumbers;
  readonly accountOf: (user: string | undefined) => Id;
  readonly addAccount: (user: NewUser, by: Actor) => Promise<unknown>;
}

/** The operations of imports. */
export function importOperations(dependencies: ImportDependencies) {
  const { reader, writer, numbers, accountOf, addAccount } = dependencies;
  return {
    importUser: async (user, by) => {
      if (reader.credentials(user.email) === undefined) await addAccount(user, by);
    },
    importPlaces: async ({ user, dryRun, ...places }, by) => {
      const userId = accountOf(user);
      const locations = new Set(reader.locations(userId).map(({ name }) => name));
      const found = placeDevices(reader.devices(userId), places.devices);
      const placed = dryRun ? found : await writer.importPlaces(userId, places, by);
      return {
        locations: places.locations.filter(({ name }) => !locations.has(name)).length,
        devices: found.filter(({ id }) => id === null).length,
        placed: placed.map(({ imported, id, dId }) => ({ from: imported.id, id: id ?? imported.id, dId })),
      };
    },
    importRecords: async ({ user, dryRun, records }, by) => {
      const userId = accountOf(user);
      const ownIds = reader.ledgerIds();
      const imported = records.map((record) => toImported(record, ownIds, numbers));
      return dryRun
        ? reader.importedCount(userId, imported)
        : await writer.importRecords(userId, imported, by);
    },
  } satisfies Partial<{ [N in OperationName]: OperationCode<N> }>;
}

function toImported(
  record: ParsedInput<"importRecords">["records"][number],
  ownIds: readonly string[],
  numbers: ShownNumbers,
): ImportedRecord {
  const { habitacion, valor, createdTime, endedTime, ...same } = record;
  const alias = aliasOf(record.key, ownIds, (shown) => numbers.find(shown));
  return {
    ...same,
    ...(alias === undefined ? {} : { alias }),
    room: habitacion,
    valorMicros: microsFromValor(valor),
    createdTimeMs: createdTime,
    endedTimeMs: endedTime,
  };
}
