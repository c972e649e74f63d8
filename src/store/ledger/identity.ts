import { hash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { FlancoError } from "../../domain/error.ts";
import { syncPath, writeDurably } from "../../durable-file.ts";
import { openForReading, START_REBUILDS } from "./open.ts";

/** A ledger's identity. Stands in the names of its backups' folders and in reports: everybody may know it. */
export const LEDGER_ID = /^[0-9a-f]{32}$/;
const ID_DIGITS = 32;
const LEDGER_KEY = /^[0-9a-f]{64}(:[0-9a-f]{32})*$/;
const MOVE_BYTES = 16;

/**
 * The ledger's key: 256 random bits, made with the ledger (schema.ts) and the same in each of its backups, and 128 more for
 * each gateway that it was moved to. Everything else is derived from it by a hash, so
 * that the identity, which is public, discloses nothing of it. Throws `damaged`.
 */
export function readLedgerKey(db: Database): string {
  const key = db.prepare<[], string>("SELECT value FROM setting WHERE name = 'ledger_key'").pluck().get();
  if (key !== undefined && LEDGER_KEY.test(key)) return key;
  throw new FlancoError("damaged", "The ledger's identity cannot be read.", {
    hint: START_REBUILDS,
  });
}

export function setLedgerKey(db: Database, key: string): void {
  db.prepare<[string]>("UPDATE setting SET value = ? WHERE name = 'ledger_key'").run(key);
}

/**
 * The key of a ledger that is put on another gateway. The one that it comes from may go on: each has backups and a tail of
 * its own, also on a disk that is carried from one to the other.
 */
export function movedKey(key: string): string {
  return `${key}:${randomBytes(MOVE_BYTES).toString("hex")}`;
}

/** Whether a ledger is the one with that key, or was moved here from it. */
export function hasHeldKey(key: string, before: string): boolean {
  return key === before || key.startsWith(`${before}:`);
}

/** The identity of a ledger, then those that it had on the gateways before, the latest first. */
export function idsOf(key: string): readonly string[] {
  const parts = key.split(":");
  return parts.map((_, index) => idOf(parts.slice(0, parts.length - index).join(":")));
}

function idOf(key: string): string {
  return hash("sha256", `identity of ${key}`).slice(0, ID_DIGITS);
}

/** By which record numbers are shown to accounts as others (http/shown-number.ts). */
export function numberKeyOf(key: string): string {
  return hash("sha256", `numbers of ${key.split(":")[0]}`);
}

export function readLedgerId(db: Database): string {
  return idOf(readLedgerKey(db));
}

/** The folder of one ledger's backups, in a directory where other ledgers may have theirs. */
export function folderOf(directory: string, ledgerId: string): string {
  return join(directory, ledgerId);
}

/** Reads something of a ledger that no other call has open. Throws as `openForReading` does. */
export function readLedger<T>(file: string, run: (db: Database) => T): T {
  using db = openForReading(file);
  return run(db);
}

/** The same; undefined where the ledger is missing or cannot be read. */
export function tryLedger<T>(file: string, run: (db: Database) => T): T | undefined {
  try {
    return readLedger(file, run);
  } catch (error) {
    if (error instanceof FlancoError || error instanceof DatabaseConstructor.SqliteError) return undefined;
    throw error;
  }
}

/**
 * The ledger's key, also where its file cannot be read: then a file beside it has it. Undefined where neither does.
 *
 * Each start writes that file where it differs, and a restore of another ledger removes it first: after a power cut it is
 * right or missing.
 */
export function keyOfLedger(ledger: string): string | undefined {
  return tryLedger(ledger, readLedgerKey) ?? notedIn(idFile(ledger));
}

/** Whose ledger this is, likewise. */
export function identityOf(ledger: string): string | undefined {
  return identitiesOf(ledger)[0];
}

/** The same, and whose it was before; none where that cannot be known. */
export function identitiesOf(ledger: string): readonly string[] {
  const key = keyOfLedger(ledger);
  return key === undefined ? [] : idsOf(key);
}

/** Where a ledger began again: what came before in its backups and its tail is another history. */
export interface Beginning {
  /** The commits that it began with. */
  readonly commits: number;
  /** The newest entry then, which the backup has that it began from. */
  readonly head: string;
}

/** Never throws: a note that a full disk refuses is written by a later start. */
export function noteIdentity(ledger: string, key: string, beginning?: Beginning): void {
  const file = idFile(ledger);
  if (beginning === undefined && notedIn(file) === key) return;
  try {
    writeDurably(
      file,
      `${key}\n${beginning === undefined ? "" : `${beginning.commits} ${beginning.head}\n`}`,
    );
  } catch {
    // It is needed only where the ledger itself cannot be read.
  }
}

/** Where the ledger began again when it was restored last; undefined where it never was. */
export function beginningOf(ledger: string): Beginning | undefined {
  const [commits, head] = linesOf(idFile(ledger))[1]?.split(" ") ?? [];
  return head === undefined ? undefined : { commits: Number(commits), head };
}

export function forgetIdentity(ledger: string): void {
  rmSync(idFile(ledger), { force: true });
  syncPath(dirname(ledger));
}

function idFile(ledger: string): string {
  return `${ledger}.id`;
}

function notedIn(file: string): string | undefined {
  const [key = ""] = linesOf(file);
  return LEDGER_KEY.test(key) ? key : undefined;
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}
