import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type * as z from "zod";
import type { InputOf } from "../contract/declaration.ts";
import { importPlaces, importRecords, MAX_IMPORTED } from "../contract/import.ts";
import { BCRYPT, importAccount, listAllMembers } from "../contract/member.ts";
import { importWirings, listWirings } from "../contract/wiring.ts";
import { FlancoError } from "../domain/error.ts";
import type { ControlClient } from "./api-access.ts";
import {
  type ClinicEntry,
  idOfKey,
  MONGO_SHAPES,
  openSource,
  readClinicFile,
  readJsonLines,
} from "./clinic-file.ts";
import { ACCOUNT, type Call, type CommandTable, command, flag, needed, type Values } from "./command.ts";
import { iso } from "./terminal.ts";
import { toRow, toWiring, type WiringRow, wiredRows } from "./wiring.ts";

const HELP = `
The file is what 'flanco export' writes: JSON lines, or, where its name ends in .csv, a table of
records. A table of another program has the same columns; 'key' may be missing. A spreadsheet's
"CSV UTF-8" is taken with semicolons too, and then with 4,5 for 4.5. The whole file is checked before
anything is written. What a spreadsheet has made of a room, such as 03/01/26 of 3-1, is an error.

What is there already stays as it is. A record is there if its key is, also one of this very ledger,
or, without a key, if one of its place, room, price and time is. A record that is there with another
content, such as room 101 for 0101, is left out, and named with its row and columns (exit code 3). A wired line keeps its settings. A device is the
same by its id, or by its dId and location; another one of that dId is added as 'dId (location)'.

Examples:
  flanco import clinic.jsonl --dry-run
  flanco import records.csv --account ana@example.org`;

const FOUR_FILES =
  "The folder holds users.json, locations.json, devices.json and data.json: for each, mongoexport --uri mongodb://HOST/DATABASE --collection NAME --out NAME.json.";

const MONGO_HELP = `
The folder holds four files of JSON lines, as mongoexport writes them from the collections of the
system before flanco: users.json, locations.json, devices.json and data.json. Users keep their
password. Each record is imported once, however often this is run. The files are checked in full
before anything is written; lines are wired afterwards, with 'flanco wiring'. Each file is made by
mongoexport --uri mongodb://HOST/DATABASE --collection data --out old/data.json

Examples:
  flanco import-mongo old --dry-run
  flanco import-mongo old`;

/** Progress is shown from this many records on: fewer take less than a second. */
const SHOWN_FROM = 10_000;
const SHOWN_EVERY = 1_000;
/** The most records that were left out that are listed. */
const MAX_DIFFERING = 20;
const DRY_RUN = "check the files and say what would be imported; write nothing";

type NewRecord = InputOf<typeof importRecords>["body"]["records"][number];
type NewPlaces = { readonly [P in "locations" | "devices"]: InputOf<typeof importPlaces>["body"][P] };
type NewWiring = readonly Omit<WiringRow, "user">[];

const IMPORT = {
  file: needed("<file>", "the file"),
  account: ACCOUNT,
  wiring: flag("--no-wiring", "leave the wiring of the file out"),
  dryRun: flag("--dry-run", DRY_RUN),
};
const IMPORT_MONGO = {
  folder: needed("<folder>", "the folder with users.json, locations.json, devices.json and data.json"),
  dryRun: flag("--dry-run", DRY_RUN),
};

/** `flanco import` and `flanco import-mongo`: takes over locations, devices and records of another system. */
export const commands: CommandTable = [
  command(
    "import",
    "add places, wiring and records of a file that flanco export has written",
    IMPORT,
    HELP,
    importClinic,
  ),
  command(
    "import-mongo",
    "take over users, places and records of the system before flanco, from mongoexport's files",
    IMPORT_MONGO,
    MONGO_HELP,
    importMongo,
  ),
];

async function importClinic(
  { file, account, wiring: withWiring, dryRun }: Values<typeof IMPORT>,
  call: Call,
): Promise<void> {
  const source = openSource(file);
  let withoutKey = 0;
  const count = () => {
    withoutKey += 1;
  };
  const { places, wiring, records } = await placesOf(readClinicFile(source, count));
  if (withoutKey > 0) {
    call.terminal.err(
      `${withoutKey} rows have no key: such a row is there already if a record of its place, room, price and time is.`,
    );
  }
  const rows = withWiring ? wiring : [];
  await call.withApi(async (api) => {
    const target = new AccountImport(api, { account, dryRun });
    await target.addPlaces(basename(file), places);
    const step = progressOf(call, records);
    for await (const { value, line } of readClinicFile(source)) {
      if (value.kind !== "record") continue;
      await target.addRecord(withoutKind(value), `${file}:${line}`);
      step();
    }
    await target.finish();
    call.terminal.out(target.report());
    if (rows.length > 0) call.terminal.out(await target.addWiring(rows));
    target.requireAll();
  });
}

/** Reads a file's locations, devices and wiring, and checks its records on the way. */
async function placesOf(entries: AsyncIterable<{ readonly value: ClinicEntry }>) {
  const places = { locations: [], devices: [] } as { [P in keyof NewPlaces]: NewPlaces[P][number][] };
  const wiring: NewWiring[number][] = [];
  let records = 0;
  for await (const { value: entry } of entries) {
    if (entry.kind === "location") places.locations.push(withoutKind(entry));
    if (entry.kind === "device") places.devices.push(withoutKind(entry));
    if (entry.kind === "wiring") wiring.push(withoutKind(entry));
    if (entry.kind === "record") records += 1;
  }
  return { places, wiring, records };
}

function withoutKind<T extends { readonly kind: string }>({ kind, ...entry }: T): Omit<T, "kind"> {
  return entry;
}

async function importMongo({ folder, dryRun }: Values<typeof IMPORT_MONGO>, call: Call): Promise<void> {
  const accounts = await readAccounts(folder);
  const source = openSource(join(folder, "data.json"));
  const shape = MONGO_SHAPES.data.refine(({ userId }) => accounts.has(userId), UNKNOWN_USER);
  const data = () => readJsonLines(source, shape);
  let records = 0;
  for await (const _checked of data()) records += 1;
  const run = async (api: ControlClient) => {
    const imports = await importAccounts(api, accounts, basename(resolve(folder)), dryRun);
    const step = progressOf(call, records);
    for await (const { _id, userId, deviceId, ...record } of data()) {
      const device = accounts.get(userId)?.deviceIds.get(deviceId) ?? deviceId;
      await imports.get(userId)?.addRecord({ ...record, deviceId: device, key: `mongo/${_id}` }, "data.json");
      step();
    }
    for (const [oldId, target] of imports) {
      await target.finish();
      call.terminal.out(`${accounts.get(oldId)?.user.email}: ${target.report()}`);
    }
    for (const target of imports.values()) target.requireAll();
  };
  await call.withApi(run, { makesLedger: true });
}

/** Adds each account with its locations and devices, and gives the import into it by the account's old `_id`. */
async function importAccounts(
  api: ControlClient,
  accounts: ReadonlyMap<string, OldAccount>,
  source: string,
  dryRun: boolean,
): Promise<ReadonlyMap<string, AccountImport>> {
  const { data: users } = await api.ask(listAllMembers, {});
  const known = new Set(users.map(({ email }) => email.toLowerCase()));
  const imports = new Map<string, AccountImport>();
  for (const [oldId, { user, places }] of accounts) {
    const { name, email, password = "" } = user;
    const passwordHash = BCRYPT.test(password) ? password : null;
    if (!dryRun) await api.ask(importAccount, { body: { user: { name, email, passwordHash } } });
    const isNew = dryRun && !known.has(email.toLowerCase());
    const target = new AccountImport(api, { account: email, dryRun, isNew });
    await target.addPlaces(source, places);
    imports.set(oldId, target);
  }
  return imports;
}

/** Gives a function to call with each record, which shows the progress of a long import. */
function progressOf({ terminal }: Call, total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (total > SHOWN_FROM && (done % SHOWN_EVERY === 0 || done === total)) {
      terminal.progress("Importing", done, total);
    }
  };
}

interface OldAccount {
  readonly user: z.output<typeof MONGO_SHAPES.users>;
  readonly places: { readonly [P in keyof NewPlaces]: NewPlaces[P][number][] };
  /** A device's id by each text that may name it in a record: its `_id` and its dId. */
  readonly deviceIds: Map<string, string>;
}

/** The accounts of the old system by their `_id`, with their locations and devices. */
async function readAccounts(folder: string): Promise<ReadonlyMap<string, OldAccount>> {
  const missing = Object.keys(MONGO_SHAPES).filter((name) => !existsSync(join(folder, `${name}.json`)));
  if (missing.length > 0) {
    const files = missing.map((name) => `${name}.json`).join(", ");
    throw new FlancoError("invalid", `${folder}: ${files} is missing.`, { hint: FOUR_FILES });
  }
  const accounts = new Map<string, OldAccount>();
  for await (const user of readJsonLines(openSource(join(folder, "users.json")), MONGO_SHAPES.users)) {
    accounts.set(user._id, { user, places: { locations: [], devices: [] }, deviceIds: new Map() });
  }
  const isKnown = ({ userId }: { readonly userId: string }) => accounts.has(userId);
  const locations = MONGO_SHAPES.locations.refine(isKnown, UNKNOWN_USER);
  const devices = MONGO_SHAPES.devices.refine(isKnown, UNKNOWN_USER);
  for await (const location of readJsonLines(openSource(join(folder, "locations.json")), locations)) {
    const { userId, name, description } = location;
    accounts.get(userId)?.places.locations.push({ name, description });
  }
  for await (const device of readJsonLines(openSource(join(folder, "devices.json")), devices)) {
    const { _id, userId, dId, name, locationName, actuators } = device;
    const { places, deviceIds } = accounts.get(userId) ?? {};
    const id = idOfKey(_id);
    deviceIds?.set(dId, id).set(_id, id);
    places?.devices.push({ id, dId, name, locationName, rooms: actuators });
  }
  return accounts;
}

const UNKNOWN_USER = { path: ["userId"], message: "no user of users.json has this _id" };

/** A record, and where it stands in the file. */
interface PlacedRecord {
  readonly record: NewRecord;
  readonly place: string;
}

interface Target {
  /** E-mail of one of the account's members. */
  readonly account: string | undefined;
  readonly dryRun: boolean;
  /** The account is not there yet, nor will be: all is new. */
  readonly isNew?: boolean;
}

/** An import into one account, some records at a time. */
class AccountImport {
  readonly #api: ControlClient;
  readonly #target: Target;
  /** Ids here of devices, by those in the file. */
  #ids: ReadonlyMap<string, string> = new Map();
  /** dIds here of devices that have another one in the file. */
  #dIds: ReadonlyMap<string, string> = new Map();
  #waiting: PlacedRecord[] = [];
  #places = { locations: 0, devices: 0 };
  #added = 0;
  #known = 0;
  #differing = 0;
  /** The first of those. */
  readonly #shown: (PlacedRecord & { readonly columns: readonly string[] })[] = [];

  constructor(api: ControlClient, target: Target) {
    this.#api = api;
    this.#target = target;
  }

  /**
   * Adds locations and devices. Where a device's location was removed or
   * renamed there, it is added by the name that the device has for it.
   */
  async addPlaces(source: string, { locations: named, devices }: NewPlaces): Promise<void> {
    const { account, dryRun, isNew } = this.#target;
    const names = new Set(devices.map(({ locationName }) => locationName));
    for (const { name } of named) names.delete(name);
    const locations = [...named, ...[...names].map((name) => ({ name, description: "" }))];
    this.#places = { locations: locations.length, devices: devices.length };
    if (isNew === true) return;
    const body = { dryRun, source, locations, devices };
    const { data } = await this.#api.ask(importPlaces, { body }, account);
    const { placed, ...counts } = data;
    this.#places = counts;
    this.#ids = new Map(placed.map(({ from, id }) => [from, id]));
    const dIds = new Map(devices.map(({ id, dId }) => [id, dId]));
    const renamed = placed.map(({ from, dId }) => [dIds.get(from) ?? dId, dId] as const);
    this.#dIds = new Map(renamed.filter(([there, here]) => there !== here));
  }

  /** Wires lines that are not wired yet, and says what is wired otherwise. */
  async addWiring(rows: NewWiring): Promise<string> {
    const { account, dryRun } = this.#target;
    const placed = rows.map((row) => ({ ...row, device: this.#dIds.get(row.device) ?? row.device }));
    const all = await wiredRows(this.#api);
    const own = (await this.#api.ask(listWirings, {}, account)).data.map(toRow);
    const wirings: InputOf<typeof importWirings>["body"]["wirings"] = [];
    const kept: string[] = [];
    for (const row of placed) {
      const found =
        all.find(({ line }) => line === row.line) ??
        own.find(({ device, actuator }) => device === row.device && actuator === row.actuator);
      if (found === undefined) wirings.push({ ...toWiring(row), user: account });
      else kept.push(...differenceOf(found, row));
    }
    if (wirings.length > 0 && !dryRun) await this.#api.ask(importWirings, { body: { wirings } });
    const keeping = kept.length === 0 ? [] : ["These lines are wired, and keep what they have:", ...kept];
    return [`Lines ${dryRun ? "that would be wired" : "wired"}: ${wirings.length}.`, ...keeping].join("\n");
  }

  /** @param place of the line in the file that has to be corrected */
  async addRecord(record: NewRecord, place: string): Promise<void> {
    const { deviceId } = record;
    // A box that posts may name itself by its dId.
    const placed = this.#ids.get(deviceId) ?? this.#dIds.get(deviceId) ?? deviceId;
    this.#waiting.push({ record: { ...record, deviceId: placed }, place });
    if (this.#waiting.length === MAX_IMPORTED) await this.finish();
  }

  /** Writes the waiting records. */
  async finish(): Promise<void> {
    const { account, dryRun, isNew } = this.#target;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const records = waiting.map(({ record }) => record);
    const { added, differing } =
      isNew === true
        ? { added: records.length, differing: [] }
        : (await this.#api.ask(importRecords, { body: { dryRun, records } }, account)).data;
    this.#differing += differing.length;
    for (const { place, columns } of differing.slice(0, MAX_DIFFERING - this.#shown.length)) {
      const placed = waiting[place];
      if (placed !== undefined) this.#shown.push({ ...placed, columns });
    }
    this.#added += added;
    this.#known += records.length - added - differing.length;
  }

  report(): string {
    const { locations, devices } = this.#places;
    const verb = this.#target.dryRun ? "would be added" : "added";
    const counted = `${verb}: ${locations} locations, ${devices} devices, ${this.#added} records; there already: ${this.#known} records.`;
    const others = [...this.#dIds].map(
      ([there, here]) => `Device ${there} of the file is another one than ${there} here: it is ${here}.`,
    );
    return [counted, ...others].join("\n");
  }

  /** Throws `attention` where records were left out. */
  requireAll(): void {
    if (this.#differing === 0) return;
    const shown = this.#shown.map(({ place, columns, record }) => {
      const { key, habitacion, deviceName, valor, createdTime, voidReason } = record;
      const isVoid = voidReason == null ? "" : ", void";
      return `${place}: ${columns.join(", ")}: ${key}: room ${habitacion} of ${deviceName}, ${valor}, ${iso(createdTime)}${isVoid}`;
    });
    const message = `Left out, because this account has other content by their keys, or not the sale of a refund: ${this.#differing} records.`;
    throw new FlancoError("attention", [message, ...shown].join("\n"), {
      hint: "Compare them with the records here. One that is void in the file alone is voided here with flanco void; one that is another sale needs a key of its own; a refund comes after its sale and is not more than that.",
    });
  }
}

/** In words, what a wired line has otherwise here; none where it is the same. */
function differenceOf(here: Omit<WiringRow, "user">, row: Omit<WiringRow, "user">): readonly string[] {
  const names = [
    "line",
    "device",
    "actuator",
    "valor",
    "active_low",
    "bias",
    "debounce_ms",
    "rearm_ms",
  ] as const;
  const differing = names.filter((name) => here[name] !== row[name]);
  if (differing.length === 0) return [];
  const values = (of: typeof row) => differing.map((name) => `${name} ${of[name]}`).join(", ");
  return [`${row.line}: ${values(here)} here; ${values(row)} in the file`];
}
