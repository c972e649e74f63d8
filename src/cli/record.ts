import { addSale, refundRecord, voidRecord } from "../contract/record.ts";
import { valorFromMicros } from "../domain/amount.ts";
import { ledgerKey } from "../domain/imported.ts";
import type { ExportedRecord } from "../domain/record.ts";
import { separated } from "../domain/text.ts";
import { accountOf } from "../http/account.ts";
import { becomeOwner } from "../ledger/engine/data-directory.ts";
import { identitiesOf } from "../ledger/engine/identity.ts";
import { noLedger } from "../ledger/engine/open.ts";
import { openReader, type StoreReader } from "../ledger/engine/reader.ts";
import { type ClinicEntry, type ClinicRecord, CSV_COLUMNS } from "./clinic-file.ts";
import {
  ACCOUNT,
  type CommandTable,
  command,
  flag,
  needed,
  optional,
  toCount,
  toMoment,
  toNumber,
} from "./command.ts";
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

const ADD_HELP = `
Without --valor it has the price that the room had then. In a month that is closed it arrives late:
the next settlement lists it.

Examples:
  flanco record add --device 7234 --room 101 --time 2026-11-21T18:40 --reason 'power cut'
  flanco record add --device 7234 --room 101 --time 2h --valor 4.50 --reason 'lost edge' --gap 3`;

const REASON = needed("--reason <text>", "why, for later readers of the ledger");

/** `flanco export`, an account for another system, `flanco void`, and `flanco record`: sales by hand and refunds. */
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
      reason: REASON,
      account: ACCOUNT,
    },
    "flanco void 4711 --reason 'relay tested'",
    async ({ record, reason, account }, call) => {
      await call.ask(voidRecord, { body: { void: { number: record, reason } } }, account);
      call.terminal.out(`The record ${record} is void and counts no more.`);
    },
  ),
  {
    name: "record",
    about: "sales by hand, and refunds",
    help: "flanco record refund 4711 --valor 2.50 --reason 'left early'",
    rows: [
      command(
        "add",
        "add a sale that neither a relay nor a program has recorded",
        {
          device: needed("--device <dId>", "the device's dId"),
          room: needed("--room <actuator>", "the actuator's id, which is the room's number"),
          time: needed("--time <when>", "a date and time, or 90m, 24h, 7d ago", toMoment),
          valor: optional("--valor <price>", "its price", toNumber),
          reason: REASON,
          gap: optional("--gap <gap>", "number of the gap that it was lost in", toCount),
          account: ACCOUNT,
        },
        ADD_HELP,
        async ({ device: dId, account, ...sale }, call) => {
          const { data } = await call.ask(addSale, { body: { sale: { ...sale, dId } } }, account);
          call.terminal.out(`The sale ${data.number} of ${data.valor} is added, and counts.`);
        },
      ),
      command(
        "refund",
        "give a sale back, wholly or in part: an entry of this moment, by which sums become less",
        {
          record: needed("<record>", "number of the sale", toCount),
          valor: needed("--valor <amount>", "how much of it", toNumber),
          reason: REASON,
          account: ACCOUNT,
        },
        "flanco record refund 4711 --valor 2.50 --reason 'left early'",
        async ({ record, account, ...refund }, call) => {
          const body = { refund: { ...refund, number: record } };
          const { data } = await call.ask(refundRecord, { body }, account);
          call.terminal.out(
            `Of the sale ${record}, ${-data.valor} is refunded, by the record ${data.number}.`,
          );
        },
      ),
    ],
  },
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
  const keyOf = ({ importKey, number, hash }: Pick<ExportedRecord, "number" | "importKey" | "hash">) =>
    importKey ?? ledgerKey(ledgerId, number, hash);
  let after = 0;
  for (;;) {
    const records = reader.exportedRecords(userId, after, PIECE);
    for (const record of records) {
      const { locationName, deviceName, deviceId, provisional, reason, refunded } = record;
      yield {
        kind: "record",
        key: keyOf(record),
        locationName,
        deviceName,
        deviceId,
        habitacion: record.room,
        valor: valorFromMicros(record.valorMicros),
        createdTime: record.createdTimeMs,
        endedTime: record.endedTimeMs,
        provisional,
        voidReason: record.voided?.reason ?? null,
        refundOf: refunded && keyOf(refunded),
        reason,
      };
    }
    const last = records.at(-1);
    if (last === undefined) return;
    after = last.recordId;
  }
}
