import { statSync, truncateSync } from "node:fs";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { FlancoError } from "../../domain/error.ts";
import { isDamage } from "./disk-room.ts";

/**
 * Locks a data directory for this process, and gives the function that releases it. The
 * lock is SQLite's own on a file beside the ledger: the kernel drops it with the process,
 * however that ends, so there is nothing stale to clean up. Throws `conflict` when
 * another process has locked the directory, `unavailable` when the file cannot be used.
 */
export function takeLock(file: string): () => void {
  try {
    return lock(file);
  } catch (error) {
    if (!isDamage(error) || statSync(file).size === 0) throw refusal(file, error);
    // The file holds nothing of ours, and no process has locked it: SQLite locks it before it reads it.
    truncateSync(file);
    return takeLock(file);
  }
}

function lock(file: string): () => void {
  let db: Database | undefined;
  try {
    const held = new DatabaseConstructor(file, { timeout: 0 });
    db = held;
    // SQLite begins a journal with the lock, for which a full disk has no room; nothing is ever written here.
    held.pragma("journal_mode = MEMORY");
    held.exec("BEGIN EXCLUSIVE");
    return () => void held.close();
  } catch (error) {
    db?.close();
    throw error;
  }
}

function refusal(file: string, cause: unknown): FlancoError {
  // SQLite itself could not be loaded.
  if (cause instanceof FlancoError) return cause;
  const code = cause instanceof DatabaseConstructor.SqliteError ? cause.code : "no file";
  if (code === "SQLITE_BUSY") {
    return new FlancoError("conflict", "Another flanco is using this data directory.", {
      hint: "A service that starts may take minutes for a long ledger: its page shows how far it is, then try again. Otherwise stop it first, or choose another directory with FLANCO_DATA_DIR.",
    });
  }
  return new FlancoError("unavailable", `The lock file ${file} cannot be used (${code}).`, {
    hint: "Check that the disk is mounted and that the service's user may write to the data directory.",
    cause,
  });
}
