import { existsSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import DatabaseConstructor, { type Database, type Options } from "better-sqlite3";
import { FlancoError } from "../../domain/error.ts";
import { syncPath } from "../../platform/durable-file.ts";
import type { OnSteps } from "../../platform/work.ts";
import { removeDatabase } from "../safety/file-copy.ts";
import { readHead } from "./chain.ts";
import { LedgerConnection } from "./connection.ts";
import { isDamage, isFull } from "./disk-room.ts";
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from "./schema.ts";
import { migrate, upgradeLedger } from "./upgrade.ts";

/** Marks a SQLite file as flanco's ("flnd"), so that no other program's database is written to. */
const APPLICATION_ID = 0x666c6e64;
/** That of ledgers from before the first release, whose entries have no numbers by account under their hashes. */
const UNNUMBERED_ID = 0x666c6e63;
/** `PRAGMA synchronous` reads 2 for FULL. */
const SYNCHRONOUS_FULL = 2;
/** How long a connection waits for another one's lock: a reader's checkpoint, a backup's page. */
const BUSY_TIMEOUT_MS = 5_000;
/**
 * Kibibytes of pages that a connection keeps. SQLite is built here with 16 MB, but only a few sums
 * and the ends of indexes are read again and again, and a gateway has other uses for its memory.
 */
const CACHE_KIB = 2_000;
/**
 * A commit of one sale changes a few bytes in each of two pages, and each page goes whole
 * into the log: small ones spare the card. A record takes a quarter of such a page.
 */
const PAGE_BYTES = 1_024;
/** Frames in the log before a checkpoint: 4 MiB. */
export const CHECKPOINT_PAGES = 4_000;

/**
 * The hint for a damaged ledger. A restore by hand would lack the commits
 * that only the tail has; where a start cannot rebuild the file, it says so.
 */
export const START_REBUILDS =
  "Nothing was changed. Start the service: it sets the file aside and rebuilds it from the newest backup and the tail.";

/** Tables that grow with the records: a start has no time to check them. */
const GROWING = new Set(["record", "correction", "idempotency", "rollup_day", "rollup_month", "number_mark"]);

/**
 * Opens the ledger for writing, and brings it to this program's schema. A missing ledger is
 * made beside its place and renamed, so that a file of that name is always a whole ledger,
 * also after a power cut. `migrations` is replaced in tests. Throws `damaged` when the file
 * is no ledger (it is left as it is), and `too_new` when a later program wrote it.
 */
export function openForWriting(
  file: string,
  onProgress: OnSteps = () => {},
  migrations = MIGRATIONS,
): Database {
  if (!existsSync(file)) create(file, migrations);
  const db = openChecked(file, migrations);
  if (requireKnownSchema(db, migrations) === migrations.length) return db;
  upgradeLedger(db, file, onProgress, migrations);
  return openChecked(file, migrations);
}

function openChecked(file: string, migrations: readonly Migration[]): Database {
  return openGuarded(file, {}, (db) => {
    configure(db);
    checkStructure(db, file);
    requireKnownSchema(db, migrations);
  });
}

/**
 * Opens the ledger for reading only, while another connection may write. Throws
 * `damaged` when the file is no ledger, `too_new` when a later program wrote it,
 * `unavailable` when an older program did, and `not_found` when it is missing.
 */
export function openForReading(file: string): LedgerConnection {
  return openExisting(file, (db) => {
    db.pragma("query_only = ON");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    const schema = requireKnownSchema(db);
    if (schema === SCHEMA_VERSION) return;
    const versions = `schema ${schema}; this program reads ${SCHEMA_VERSION}`;
    throw new FlancoError("unavailable", `The ledger ${file} is of an older flanco (${versions}).`, {
      hint: "Start the service once: it brings the ledger up to date.",
    });
  });
}

/** The schema version of a ledger, known or not; this program's where it cannot be read. */
export function schemaOf(file: string): number {
  let schema = SCHEMA_VERSION;
  try {
    openExisting(file, (db) => {
      schema = Number(db.pragma("user_version", { simple: true }));
    }).close();
  } catch (error) {
    if (!(error instanceof FlancoError)) throw error;
  }
  return schema;
}

/** Gives the file's schema version. Throws `too_new` for a later program's file. */
function requireKnownSchema(db: Database, migrations = MIGRATIONS): number {
  const current = Number(db.pragma("user_version", { simple: true }));
  if (current <= migrations.length) return current;
  const versions = `schema ${current}; this program knows ${migrations.length}`;
  throw new FlancoError("too_new", `The ledger was written by a newer flanco (${versions}).`, {
    hint: "Install that version again; nothing was changed.",
  });
}

function openExisting(file: string, prepare: (db: Database) => void): LedgerConnection {
  if (!existsSync(file)) throw noLedger(file);
  return openGuarded(file, { readonly: true }, prepare);
}

/** The error of a command in a directory without a ledger. */
export function noLedger(file: string): FlancoError {
  return new FlancoError("not_found", `There is no ledger ${file}.`, {
    hint: "Check the data directory (FLANCO_DATA_DIR); the service makes a ledger when it first starts.",
  });
}

/** Opens a ledger's file, and closes it where `prepare` throws. */
function openGuarded(file: string, options: Options, prepare: (db: Database) => void): LedgerConnection {
  refuseTruncated(file);
  const opened = { ...options, fileMustExist: true, timeout: BUSY_TIMEOUT_MS };
  const db = guarded(file, () => new LedgerConnection(file, opened));
  try {
    guarded(file, () => {
      refuseForeign(db, file);
      prepare(db);
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function create(file: string, migrations: readonly Migration[]): void {
  if (existsSync(`${file}-wal`)) {
    throw damaged(file, "its log is there, but the file itself is missing");
  }
  const draft = `${file}.new`;
  removeDatabase(draft);
  const db = new DatabaseConstructor(draft);
  db.pragma(`page_size = ${PAGE_BYTES}`);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  configure(db);
  migrate(db, () => {}, migrations);
  // Leaving WAL mode writes everything into the one file that is moved.
  db.pragma("journal_mode = DELETE");
  db.close();
  syncPath(draft);
  renameSync(draft, file);
  syncPath(dirname(file));
}

/**
 * WAL with a full sync at each commit: NORMAL, for which SQLite is built, loses the
 * last commits at a power cut. The writer thread syncs by itself (committer.ts).
 */
function configure(db: Database): void {
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.pragma("foreign_keys = ON");
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const mode = db.pragma("journal_mode", { simple: true });
  const synchronous = db.pragma("synchronous", { simple: true });
  if (mode !== "wal" || synchronous !== SYNCHRONOUS_FULL) {
    throw new FlancoError(
      "unavailable",
      `SQLite does not keep commits safe here (journal_mode=${mode}, synchronous=${synchronous}).`,
      { hint: "Put the data directory on a local disk with a file system that has locks and shared memory." },
    );
  }
}

/** An empty or cut file must never be taken for a new one. */
function refuseTruncated(file: string): void {
  const HEADER_BYTES = 100;
  if (statSync(file).size < HEADER_BYTES) throw damaged(file, "it is cut off");
}

function refuseForeign(db: Database, file: string): void {
  const id = db.pragma("application_id", { simple: true });
  if (id === UNNUMBERED_ID)
    throw new FlancoError("unavailable", `The ledger ${file} is from before flanco's first release.`, {
      hint: "Export its sales with the program that made it (flanco export), and import them into a new one (flanco import).",
    });
  if (id !== APPLICATION_ID)
    throw damaged(file, "it is another program's database, or its start was overwritten");
}

/**
 * Checks what can be checked within milliseconds at any size: the file holds every
 * page that its header counts, and the schema, every table that does not grow with
 * the records, and the newest entry can be read. SQLite's own errors pass.
 */
function checkStructure(db: Database, file: string): void {
  const pages = Number(db.pragma("page_count", { simple: true }));
  const pageBytes = Number(db.pragma("page_size", { simple: true }));
  const whole = bringLogIn(db);
  if (whole && statSync(file).size < pages * pageBytes) throw damaged(file, "it is shorter than it says");
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
  for (const table of tables.filter((name) => !GROWING.has(name))) {
    const found = db.pragma(`integrity_check("${table}")`, { simple: true });
    if (found !== "ok") throw damaged(file, `the table ${table} does not hold together (${found})`);
  }
  // Reads the pages that lead to the head, and throws where one is damaged. `flanco verify` says
  // whether it is the right entry: a whole file that was altered must not be rebuilt without a word.
  if (tables.includes("record")) readHead(db);
}

/** Gives false on a full disk: then commits stay in the log, and the file may lack pages that are in the log. */
function bringLogIn(db: Database): boolean {
  try {
    db.pragma("wal_checkpoint(TRUNCATE)");
    return true;
  } catch (error) {
    if (isFull(error)) return false;
    throw error;
  }
}

/**
 * Runs something on the ledger. Throws `damaged` where SQLite
 * cannot read the file, `unavailable` where it cannot reach it.
 */
export function guarded<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof DatabaseConstructor.SqliteError) {
      if (isDamage(error)) throw damaged(file, "SQLite cannot read it", error);
      throw new FlancoError("unavailable", `The ledger ${file} cannot be opened (${error.code}).`, {
        hint: isFull(error)
          ? "The disk is full: free at least 8 MB on it, but delete nothing of the ledger's own files."
          : "Check that the disk is mounted, that the kernel shows no error of it (dmesg), and that the service's user may write to the data directory.",
        cause: error,
      });
    }
    throw error;
  }
}

export function damaged(file: string, what: string, cause?: unknown): FlancoError {
  return new FlancoError("damaged", `The ledger ${file} is damaged: ${what}.`, {
    hint: START_REBUILDS,
    cause,
  });
}
