import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { FlancoError } from "../../domain/error.ts";
import { syncPath, writeDurably } from "../../durable-file.ts";
import { openForReading } from "./open.ts";

/** A ledger's identity: 128 random bits, made with the ledger (schema.ts) and the same in each of its backups. */
export const LEDGER_ID = /^[0-9a-f]{32}$/;

export function readLedgerId(db: Database): string {
  const id = db.prepare<[], string>("SELECT value FROM setting WHERE name = 'ledger_id'").pluck().get();
  if (id !== undefined && LEDGER_ID.test(id)) return id;
  throw new FlancoError("damaged", "The ledger's identity cannot be read.", {
    hint: "Restore a backup with flanco restore.",
  });
}

/** The folder of one ledger's backups, in a directory where other ledgers may have theirs. */
export function folderOf(directory: string, ledgerId: string): string {
  return join(directory, ledgerId);
}

/** Reads something of a ledger that no other call has open. Throws as `openForReading` does. */
export function readLedger<T>(file: string, run: (db: Database) => T): T {
  const db = openForReading(file);
  try {
    return run(db);
  } finally {
    db.close();
  }
}

/** Undefined where a ledger is missing or cannot be read. */
export function readable<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof FlancoError || error instanceof DatabaseConstructor.SqliteError) return undefined;
    throw error;
  }
}

/**
 * Whose ledger this is, also where its file cannot be read: then a file beside it says so. Undefined where neither does.
 *
 * Each start writes that file where it differs, and a restore of another ledger removes it first: after a power cut it is
 * right or missing.
 */
export function identityOf(ledger: string): string | undefined {
  const id = readable(() => readLedger(ledger, readLedgerId));
  return id ?? notedIn(idFile(ledger));
}

/** Never throws: a note that a full disk refuses is written by a later start. */
export function noteIdentity(ledger: string, id: string): void {
  if (notedIn(idFile(ledger)) === id) return;
  try {
    writeDurably(idFile(ledger), `${id}\n`);
  } catch {
    // It is needed only where the ledger itself cannot be read.
  }
}

export function forgetIdentity(ledger: string): void {
  rmSync(idFile(ledger), { force: true });
  syncPath(dirname(ledger));
}

function idFile(ledger: string): string {
  return `${ledger}.id`;
}

function notedIn(file: string): string | undefined {
  const id = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return LEDGER_ID.test(id) ? id : undefined;
}
