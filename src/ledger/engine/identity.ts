import { hash, randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { FlancoError, orNothing } from "../../domain/error.ts";
import { syncPath, writeDurably } from "../../platform/durable-file.ts";
import { openForReading, START_REBUILDS } from "./open.ts";

/** A ledger's identity: it names the folder of its backups and stands in reports, so it is no secret. */
export const LEDGER_ID = /^[0-9a-f]{32}$/;
const ID_DIGITS = 32;
const LEDGER_KEY = /^[0-9a-f]{64}(:[0-9a-f]{32})*$/;
const MOVE_BYTES = 16;

/**
 * The ledger's key: 256 random bits that are made with the ledger (schema.ts) and are the same in each
 * of its backups, and 128 more for each gateway that it was moved to. Everything else is derived from
 * it by a hash, so that the identity, which is public, discloses nothing of it. Throws `damaged`.
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
 * The key of a ledger that is put on another gateway. The ledger that it comes from may go on: with another
 * key each has its own backups and tail, also on a disk that is carried from one gateway to the other.
 */
export function movedKey(key: string): string {
  return `${key}:${randomBytes(MOVE_BYTES).toString("hex")}`;
}

/** Whether a ledger with the key `key` is the one with the key `before`, or was moved here from it. */
export function hasHeldKey(key: string, before: string): boolean {
  return key === before || key.startsWith(`${before}:`);
}

/** The identity of a ledger, then those that it had on earlier gateways, the latest first. */
export function idsOf(key: string): readonly string[] {
  const parts = key.split(":");
  return parts.map((_, index) => idOf(parts.slice(0, parts.length - index).join(":")));
}

function idOf(key: string): string {
  return hash("sha256", `identity of ${key}`).slice(0, ID_DIGITS);
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
 * The ledger's key, from the ledger or, where that cannot be
 * read, from the note beside it. Undefined where neither has it.
 *
 * Each start writes the note where it differs, and a restore of another
 * ledger removes it first: after a power cut it is right or missing.
 */
export function keyOfLedger(ledger: string): string | undefined {
  return tryLedger(ledger, readLedgerKey) ?? notedIn(idFile(ledger));
}

/** The ledger's identity, likewise. */
export function identityOf(ledger: string): string | undefined {
  return identitiesOf(ledger)[0];
}

/** The ledger's identity and its earlier ones, likewise; none where they cannot be known. */
export function identitiesOf(ledger: string): readonly string[] {
  const key = keyOfLedger(ledger);
  return key === undefined ? [] : idsOf(key);
}

/**
 * Where a restored ledger began. Backups and commits from before
 * it, other than those that it began from, are another history.
 */
export interface LedgerOrigin {
  /** The commits that it began with. */
  readonly commits: number;
  /** The hash of the newest entry of the backup that it began from. */
  readonly head: string;
}

/** Writes the note beside the ledger. Never throws: where the disk is full, a later start writes it. */
export function noteIdentity(ledger: string, key: string, beginning?: LedgerOrigin): void {
  const file = idFile(ledger);
  if (beginning === undefined && notedIn(file) === key) return;
  try {
    writeDurably(
      file,
      `${key}\n${beginning === undefined ? "" : `${beginning.commits} ${beginning.head}\n`}`,
    );
  } catch {
    // The note is needed only where the ledger itself cannot be read.
  }
}

/** Where the ledger began when it was last restored; undefined where it never was. */
export function beginningOf(ledger: string): LedgerOrigin | undefined {
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

/** None where the note is missing or cannot be read, which must not keep the service from its start. */
function linesOf(file: string): readonly string[] {
  return (
    orNothing(() => readFileSync(file, "utf8"))
      ?.trim()
      .split("\n") ?? []
  );
}
