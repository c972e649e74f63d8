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

/** Where a ledger began again: what came before in its backups and its tail is another history. */
export interface Beginning {
  /** The commits that it began with. */
  readonly commits: number;
  /** The newest entry then, which the backup has that it began from. */
  readonly head: string;
}

/** Never throws: a note that a full disk refuses is written by a later start. */
export function noteIdentity(ledger: string, id: string, beginning?: Beginning): void {
  const file = idFile(ledger);
  if (beginning === undefined && notedIn(file) === id) return;
  try {
    writeDurably(file, `${id}\n${beginning === undefined ? "" : `${beginning.commits} ${beginning.head}\n`}`);
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
  const [id = ""] = linesOf(file);
  return LEDGER_ID.test(id) ? id : undefined;
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}
