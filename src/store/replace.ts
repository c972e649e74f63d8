import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { copyDurably } from "./file-copy.ts";
import { syncPath } from "./sync.ts";

/**
 * How one ledger takes another's place, so that after a power cut at any moment one whole ledger is there: the
 * replaced one is kept under another name first, then the new one is given the name `flanco.db.restored`. From that
 * moment on it is the ledger, and `finishReplacing` brings it to its place, at the next start at the latest.
 */
function committedName(ledger: string): string {
  return `${ledger}.restored`;
}

/** Whether a ledger was decided on and is not in its place yet. */
export function isReplacing(ledger: string): boolean {
  return existsSync(committedName(ledger));
}

/** Where the new one is made. What an interrupted run leaves there is removed by the next. */
export function replacementDraft(ledger: string): string {
  return `${ledger}.restore-draft`;
}

/** Brings a ledger that was decided on to its place. Call with the directory locked, before the ledger is opened. */
export function finishReplacing(ledger: string): void {
  const committed = committedName(ledger);
  if (!existsSync(committed)) return;
  // The old log would be taken for the new file's.
  for (const suffix of ["-wal", "-shm"]) rmSync(ledger + suffix, { force: true });
  syncPath(dirname(ledger));
  renameSync(committed, ledger);
  syncPath(dirname(ledger));
}

/** Puts the draft, which must be durable and whole, in the ledger's place. */
export function replaceLedger(ledger: string): void {
  renameSync(replacementDraft(ledger), committedName(ledger));
  syncPath(dirname(ledger));
  finishReplacing(ledger);
}

/**
 * Keeps the ledger as it is, log and all, under a name of its own beside it, and gives that name; undefined where
 * there is none. One that is kept already (by a run that was cut off) is not kept twice.
 */
export function keepAside(ledger: string, kind: "replaced" | "damaged", nowMs: number): string | undefined {
  if (!existsSync(ledger)) return undefined;
  const { ino, dev } = statSync(ledger);
  const directory = dirname(ledger);
  const prefix = `${basename(ledger)}.${kind}-`;
  const kept = readdirSync(directory)
    .filter((name) => name.startsWith(prefix) && !name.endsWith("-wal") && !name.endsWith("-shm"))
    .map((name) => join(directory, name))
    .find((name) => statSync(name).ino === ino && statSync(name).dev === dev);
  const aside = kept ?? freeName(join(directory, prefix), nowMs);
  for (const suffix of ["-wal", "-shm"]) {
    if (existsSync(ledger + suffix)) copyDurably(ledger + suffix, aside + suffix);
  }
  if (kept === undefined) linkSync(ledger, aside);
  syncPath(directory);
  return aside;
}

/** Writes what is in the log into the file itself, so that the one file is all of it. A file that is damaged is left as it is. */
export function foldLog(ledger: string): void {
  try {
    const db = new DatabaseConstructor(ledger, { fileMustExist: true });
    try {
      db.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseConstructor.SqliteError)) throw error;
  }
}

function freeName(prefix: string, nowMs: number): string {
  const SECOND_MS = 1_000;
  for (let timeMs = nowMs; ; timeMs += SECOND_MS) {
    const name = prefix + new Date(timeMs).toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
    if (!existsSync(name)) return name;
  }
}
