import type { OperationCode, OperationName, ParsedInput, WiringRow } from "../contract/operator.ts";
import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import type { Actor } from "../domain/audit.ts";
import type { CalmReader } from "../domain/heavy-read.ts";
import type { Id } from "../domain/id.ts";
import { aliasOf, type ImportedRecord, placeDevices } from "../domain/imported.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import type { NewUser } from "../domain/user.ts";
import type { Wiring } from "../domain/wiring.ts";
import type { ShownNumbers } from "./shown-number.ts";

interface ImportDependencies {
  readonly reader: CalmReader;
  readonly writer: Pick<LedgerWriter, "importPlaces" | "importRecords">;
  readonly numbers: ShownNumbers;
  readonly accountOf: (user: string | undefined) => Id;
  readonly addAccount: (user: NewUser, by: Actor) => Promise<unknown>;
  readonly setWiring: (rows: readonly WiringRow[], email: string | undefined, by: Actor) => Promise<void>;
}

/** The operations of imports. */
export function importOperations(dependencies: ImportDependencies) {
  const { reader, writer, numbers, accountOf, addAccount, setWiring } = dependencies;
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
    importWiring: ({ user, rows }, by) => setWiring(rows, user, by),
    addWiring: async ({ user, dryRun, rows }, by) => {
      const there = reader.wirings();
      const userId = accountOf(user);
      const added: WiringRow[] = [];
      const kept: string[] = [];
      for (const row of rows) {
        const isRoom = (wiring: (typeof there)[number]) =>
          wiring.userId === userId && wiring.dId === row.device && wiring.actuatorId === row.actuator;
        const found = there.find(({ line }) => line === row.line) ?? there.find(isRoom);
        if (found === undefined) added.push(row);
        else kept.push(...differenceOf(toRow(found), row));
      }
      if (added.length > 0 && !dryRun) await setWiring(added, user, by);
      return { added: added.length, kept };
    },
  } satisfies Partial<{ [N in OperationName]: OperationCode<N> }>;
}

/** A wiring in the form of a wiring file. */
export function toRow({ line, dId, actuatorId, valorMicros, activeLow, bias, debounceMs, rearmMs }: Wiring) {
  return {
    line,
    device: dId,
    actuator: actuatorId,
    valor: valorFromMicros(valorMicros),
    active_low: activeLow,
    bias,
    debounce_ms: debounceMs,
    rearm_ms: rearmMs,
  };
}

/** In words, what a wired line has otherwise here; none where it is the same. */
function differenceOf(here: ReturnType<typeof toRow>, row: WiringRow): readonly string[] {
  const differing = (Object.keys(here) as (keyof typeof here)[]).filter((name) => here[name] !== row[name]);
  if (differing.length === 0) return [];
  const values = (of: typeof here | WiringRow) => differing.map((name) => `${name} ${of[name]}`).join(", ");
  return [`${row.line}: ${values(here)} here; ${values(row)} in the file`];
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
