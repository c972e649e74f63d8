import { chmodSync } from "node:fs";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import type { Month } from "../domain/day.ts";
import { FlancoError } from "../domain/error.ts";
import type { ArchiveStatement } from "./archive-statement.ts";
import { ArchiveSums } from "./archive-sum.ts";
import { LocalCalendar } from "./calendar.ts";
import { type CorrectionEntry, correctionText, hashOf, type SaleEntry, saleText } from "./chain.ts";
import { removeDatabase } from "./file-copy.ts";
import { syncPath } from "./sync.ts";

/** Marks a file as flanco's archive ("flna"): neither a ledger nor another program's. */
const APPLICATION_ID = 0x666c6e61;
const FORMAT = 1;
const OWNER_ONLY_FILE = 0o600;

const SCHEMA = `
  CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE user (user_id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL) STRICT, WITHOUT ROWID;
  -- Entries first to last follow one another in the chain; before: hash of the entry before the first.
  CREATE TABLE run (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, before BLOB NOT NULL) STRICT;
  CREATE TABLE record (
    record_id INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    location_name TEXT NOT NULL,
    device_name TEXT NOT NULL,
    device_id TEXT NOT NULL,
    room TEXT NOT NULL,
    micros INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    effective_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    origin TEXT NOT NULL,
    provisional INTEGER NOT NULL,
    voided_by INTEGER,
    boot_id TEXT,
    line TEXT,
    request INTEGER,
    sequence INTEGER,
    monotonic_ns INTEGER,
    hash BLOB NOT NULL
  ) STRICT;
  CREATE TABLE correction (
    correction_id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    record_id INTEGER NOT NULL,
    time_ms INTEGER,
    reason TEXT NOT NULL,
    noted_ms INTEGER NOT NULL,
    hash BLOB NOT NULL
  ) STRICT;
`;

/** Entries that follow one another, and the hash that the first was linked to. */
export interface WrittenRun {
  readonly first: number;
  readonly last: number;
  readonly before: Buffer;
}

/** What is written to an archive, from the ledger that `db` reads. Numbers of entries are in their order. */
export interface ArchiveSource {
  readonly db: Database;
  readonly month: Month;
  readonly timeZone: string;
  readonly records: readonly number[];
  readonly corrections: readonly number[];
  readonly runs: readonly WrittenRun[];
}

/** All that an archive's own entries say of it. */
export type ArchiveContent = Pick<
  ArchiveStatement,
  "month" | "timeZone" | "records" | "runs" | "days" | "rooms"
>;

type Value = string | number | Buffer | null;

const RECORD_COLUMNS = `record_id, user_id, location_name, device_name, device_id, room, micros, created_ms,
  effective_ms, ended_ms, origin, provisional, voided_by, boot_id, line, request, sequence, monotonic_ns, hash`;
const CORRECTION_COLUMNS = "correction_id, kind, record_id, time_ms, reason, noted_ms, hash";

/** Writes an archive and makes it durable. Equal entries make equal files. */
export function writeArchive(file: string, source: ArchiveSource): void {
  removeDatabase(file);
  const target = new DatabaseConstructor(file);
  try {
    target.pragma(`application_id = ${APPLICATION_ID}`);
    target.pragma(`user_version = ${FORMAT}`);
    // A file that is cut off is made anew.
    target.pragma("journal_mode = OFF");
    target.pragma("synchronous = OFF");
    target.transaction(() => fill(target, source))();
  } finally {
    target.close();
  }
  chmodSync(file, OWNER_ONLY_FILE);
  syncPath(file);
}

function fill(target: Database, { db, month, timeZone, records, corrections, runs }: ArchiveSource): void {
  target.exec(SCHEMA);
  const note = target.prepare<[string, string]>("INSERT INTO about VALUES (?, ?)");
  note.run("month", String(month));
  note.run("time_zone", timeZone);
  const addRun = target.prepare<[number, number, Buffer]>("INSERT INTO run VALUES (?, ?, ?)");
  for (const { first, last, before } of runs) addRun.run(first, last, before);
  const addRecord = target.prepare<Value[]>(`INSERT INTO record VALUES (${places(RECORD_COLUMNS)})`);
  const record = db
    .prepare<[number], Value[]>(
      `SELECT ${RECORD_COLUMNS} FROM record LEFT JOIN boot USING (boot) WHERE record_id = ?`,
    )
    .raw();
  const users = new Set<Value>();
  for (const position of records) {
    const row = record.get(position);
    if (row === undefined) throw wrong(`the record ${position} is not in the ledger`);
    addRecord.run(...row);
    users.add(row[1] ?? null);
  }
  const addCorrection = target.prepare<Value[]>(
    `INSERT INTO correction VALUES (${places(CORRECTION_COLUMNS)})`,
  );
  const correction = db
    .prepare<[number], Value[]>(`SELECT ${CORRECTION_COLUMNS} FROM correction WHERE correction_id = ?`)
    .raw();
  for (const position of corrections) {
    const row = correction.get(position);
    if (row === undefined) throw wrong(`the correction ${position} is not in the ledger`);
    addCorrection.run(...row);
  }
  const addUser = target.prepare<Value[]>("INSERT INTO user VALUES (?, ?, ?)");
  const user = db.prepare<[Value], Value[]>("SELECT user_id, name, email FROM user WHERE user_id = ?").raw();
  for (const userId of [...users].toSorted()) {
    const row = user.get(userId);
    // Users may be removed; their records stay.
    if (row !== undefined) addUser.run(...row);
  }
}

function places(columns: string): string {
  return columns.replaceAll(/\w+/g, "?");
}

type ArchivedRecord = SaleEntry & {
  readonly timeMs: number;
  readonly voidedBy: number | null;
  readonly hash: Buffer;
};
type ArchivedCorrection = CorrectionEntry & { readonly hash: Buffer };

/**
 * Reads an archive and adds up what it holds, with nothing but the file: each entry's hash must follow from the one
 * before, each record's time and voiding from its corrections. Throws `damaged`, naming what does not.
 */
export function readArchive(file: string): ArchiveContent {
  try {
    const db = new DatabaseConstructor(file, { readonly: true, fileMustExist: true });
    try {
      if (db.pragma("application_id", { simple: true }) !== APPLICATION_ID) throw wrong("it is no archive");
      if (db.pragma("user_version", { simple: true }) !== FORMAT) throw wrong("its format is another one");
      if (db.pragma("integrity_check", { simple: true }) !== "ok") throw wrong("its structure is damaged");
      return readContent(db);
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof DatabaseConstructor.SqliteError)
      throw wrong(`SQLite cannot read it (${error.code})`, error);
    throw error;
  }
}

function readContent(db: Database): ArchiveContent {
  const about = db.prepare<[string], string>("SELECT value FROM about WHERE name = ?").pluck();
  const timeZone = about.get("time_zone") ?? "";
  const calendar = new LocalCalendar(timeZone);
  const month = Number(about.get("month"));
  const corrections = db
    .prepare<[], ArchivedCorrection>(
      `SELECT correction_id AS position, kind, record_id AS recordId, time_ms AS timeMs, NULL AS lostFrom,
              NULL AS lostTo, NULL AS anchor, reason, noted_ms AS notedMs, hash FROM correction ORDER BY correction_id`,
    )
    .all();
  const entries = new EntryReader(db, corrections);
  const sums = new ArchiveSums();
  const runs: ArchiveContent["runs"] = [];
  let records = 0;
  const written = db.prepare<[], WrittenRun>("SELECT first, last, before FROM run ORDER BY first").all();
  for (const { first, last, before } of written) {
    let hash = before;
    let recordsOfRun = 0;
    for (let position = first; position <= last; position += 1) {
      const entry = entries.next(position);
      hash = hashOf(hash, entry.text);
      if (!hash.equals(entry.hash)) throw wrong(`its entry ${position} was altered`);
      if (entry.record === null) continue;
      recordsOfRun += 1;
      const day = calendar.dayOf(entry.record.timeMs);
      if (Math.floor(day / 100) !== month) throw wrong(`its record ${position} is of another month`);
      if (entry.record.voidedBy === null) sums.add(entry.record, day);
    }
    runs.push([first, last, recordsOfRun, hash.toString("hex")]);
    records += recordsOfRun;
  }
  entries.end();
  return { month, timeZone, records, runs, ...sums.result() };
}

/** An entry as its hash is of it; `record` where it is one. */
interface ReadEntry {
  readonly text: string;
  readonly hash: Buffer;
  readonly record: ArchivedRecord | null;
}

/** An archive's entries, in their order. */
class EntryReader {
  readonly #records: IterableIterator<ArchivedRecord>;
  readonly #corrections: readonly ArchivedCorrection[];
  readonly #times = new Map<number, number | null>();
  readonly #voids = new Map<number, number>();
  #record: ArchivedRecord | undefined;
  #at = 0;

  constructor(db: Database, corrections: readonly ArchivedCorrection[]) {
    this.#corrections = corrections;
    for (const { kind, recordId, position, timeMs } of corrections) {
      if (kind === "time") this.#times.set(recordId ?? 0, timeMs);
      else if (!this.#voids.has(recordId ?? 0)) this.#voids.set(recordId ?? 0, position);
    }
    this.#records = db
      .prepare<[], ArchivedRecord>(
        `SELECT record_id AS position, user_id AS userId, location_name AS locationName, device_name AS deviceName,
                device_id AS deviceId, room, micros, created_ms AS createdMs, effective_ms AS timeMs, origin, provisional,
                voided_by AS voidedBy, boot_id AS bootId, line, request, sequence, monotonic_ns AS monotonicNs, hash
           FROM record ORDER BY record_id`,
      )
      .iterate();
    this.#step();
  }

  next(position: number): ReadEntry {
    const record = this.#record;
    if (record?.position === position) {
      this.#step();
      const timeMs = this.#times.get(position) ?? record.createdMs;
      if (record.timeMs !== timeMs || record.voidedBy !== (this.#voids.get(position) ?? null)) {
        throw wrong(`its record ${position} counts otherwise than its corrections say`);
      }
      return { text: saleText(record), hash: record.hash, record };
    }
    const correction = this.#corrections[this.#at];
    if (correction?.position !== position) throw wrong(`its entry ${position} is missing`);
    this.#at += 1;
    return { text: correctionText(correction), hash: correction.hash, record: null };
  }

  /** Nothing may be left that no run tells of. */
  end(): void {
    if (this.#record !== undefined || this.#at < this.#corrections.length)
      throw wrong("it holds entries too many");
  }

  #step(): void {
    const next = this.#records.next();
    this.#record = next.done === true ? undefined : next.value;
  }
}

function wrong(what: string, cause?: unknown): FlancoError {
  return new FlancoError("damaged", `The archive does not hold what it should: ${what}.`, {
    hint: "Nothing was removed from the ledger. Run flanco verify.",
    cause,
  });
}
