import { voidRecord } from "../contract/record.ts";
import { valorFromMicros } from "../domain/amount.ts";
import { ledgerKey } from "../domain/imported.ts";
import { separated } from "../domain/text.ts";
import { accountOf } from "../http/account.ts";
import { becomeOwner } from "../ledger/engine/data-directory.ts";
import { identitiesOf } from "../ledger/engine/identity.ts";
import { noLedger } from "../ledger/engine/open.ts";
import { openReader, type StoreReader } from "../ledger/engine/reader.ts";
import { type ClinicEntry, type ClinicRecord, CSV_COLUMNS } from "./clinic-file.ts";
import { ACCOUNT, type CommandTable, command, flag, needed, toCount } from "./command.ts";
import { toRow } from "./wiring.ts";

const HELP = `
What it writes is a JSON object a line: the account's locations, devices with their rooms, wired
lines, and records with their corrections. With --csv it is a table of the records alone. Both are
read by 'flanco import'. People and passwords are not in it: those move with a backup.

Examples:
  flanco export > clinic.jsonl
  flanco export --csv > records.csv`;

/** Records that are read at a time. */
const PIECE = 500;

/** `flanco export`, an account for another system, and `flanco void`. */
export const commands: CommandTable = [
  command(
    "export",
    "write an account's places, wiring and records to standard output",
    { account: ACCOUNT, csv: flag("--csv", "a table of the records") },
    HELP,
    async ({ account, csv }, call) => {
      const config = call.config();
      const { ledger } = becomeOwner(config.data_dir);
      const ledgerId = identitiesOf(ledger).at(-1);
      if (ledgerId === undefined) throw noLedger(ledger);
      using closing = new DisposableStack();
      const reader = openReader(ledger, config.time_zone);
      closing.defer(() => reader.close());
      const userId = accountOf(reader, account);
      const { terminal } = call;
      if (csv) await terminal.data(separated(CSV_COLUMNS, ","));
      for (const entry of csv ? recordsOf(reader, userId, ledgerId) : entriesOf(reader, userId, ledgerId)) {
        await terminal.data(csv ? separated(cellsOf(entry), ",") : JSON.stringify(entry));
      }
    },
  ),
  command(
    "void",
    "take a record back: it stays to be seen, with the reason, and counts in no sum any more",
    {
      record: needed("<record>", "number of the record", toCount),
      reason: needed("--reason <text>", "why, for later readers of the ledger"),
      account: ACCOUNT,
    },
    "flanco void 4711 --reason 'relay tested'",
    async ({ record, reason, account }, call) => {
      await call.ask(voidRecord, { body: { void: { number: record, reason } } }, account);
      call.terminal.out(`The record ${record} is void and counts no more.`);
    },
  ),
];

function cellsOf(entry: ClinicEntry) {
  const cells: Partial<ClinicRecord> = entry.kind === "record" ? entry : {};
  return CSV_COLUMNS.map((column) => String(cells[column] ?? ""));
}

function* entriesOf(reader: StoreReader, userId: string, ledgerId: string): Generator<ClinicEntry> {
  for (const { name, description } of reader.locations(userId)) yield { kind: "location", name, description };
  for (const { id, dId, name, locationName, actuators } of reader.devices(userId)) {
    yield { kind: "device", id, dId, name, locationName, rooms: actuators.map((room) => room.id) };
  }
  for (const wiring of reader.wirings(userId)) {
    yield { kind: "wiring", ...toRow({ ...wiring, valor: valorFromMicros(wiring.valorMicros) }) };
  }
  yield* recordsOf(reader, userId, ledgerId);
}

function* recordsOf(reader: StoreReader, userId: string, ledgerId: string): Generator<ClinicRecord> {
  let after = 0;
  for (;;) {
    const records = reader.exportedRecords(userId, after, PIECE);
    for (const {
      number,
      importKey,
      hash,
      room,
      valorMicros,
      createdTimeMs,
      endedTimeMs,
      voided,
      ...record
    } of records) {
      const { locationName, deviceName, deviceId, provisional } = record;
      yield {
        kind: "record",
        key: importKey ?? ledgerKey(ledgerId, number, hash),
        locationName,
        deviceName,
        deviceId,
        habitacion: room,
        valor: valorFromMicros(valorMicros),
        createdTime: createdTimeMs,
        endedTime: endedTimeMs,
        provisional,
        voidReason: voided?.reason ?? null,
      };
    }
    const last = records.at(-1);
    if (last === undefined) return;
    after = last.recordId;
  }
}
