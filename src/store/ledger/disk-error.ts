import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { systemCode } from "../../domain/error.ts";

/** As much as a commit's last page may have asked for. */
const PROBE_BYTES = 64 * 1024;

/** The disk has no room: nothing was written, and the same write may succeed later. */
export function isFull(error: unknown): boolean {
  const code = sqliteCode(error);
  // The index of the log could not grow: SQLite gives no other name to ENOSPC there.
  return code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE";
}

/**
 * The disk fails, or the file's content is not what was written. After a failed fsync the kernel marks pages as clean
 * that never reached the disk, so a second attempt would succeed without writing them. The process must end.
 */
export function isFailing(error: unknown): boolean {
  const code = sqliteCode(error) ?? "";
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code) && !isFull(error);
}

/**
 * SQLite reports a quota that is used up (EDQUOT) as SQLITE_IOERR_WRITE, as if the disk failed, though room may come back. So
 * after that error a small write of our own asks the disk, and EDQUOT becomes SQLITE_FULL. Every other error is given back.
 * `probe` gives the code that the small write fails with.
 */
export function namedByDisk(
  error: unknown,
  directory: string,
  probe: (directory: string) => string | undefined = refusalOf,
): unknown {
  if (sqliteCode(error) !== "SQLITE_IOERR_WRITE" || probe(directory) !== "EDQUOT") return error;
  return new DatabaseConstructor.SqliteError("The quota is used up.", "SQLITE_FULL");
}

/** The code that a small write to a directory fails with; undefined where it succeeds. */
function refusalOf(directory: string): string | undefined {
  const file = join(directory, "probe");
  try {
    const descriptor = openSync(file, "w");
    try {
      writeSync(descriptor, Buffer.alloc(PROBE_BYTES, 1));
    } finally {
      closeSync(descriptor);
    }
    return undefined;
  } catch (error) {
    return systemCode(error);
  } finally {
    removeQuietly(file);
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A file system that was made read-only keeps what is there; the next probe writes over it.
  }
}

/** SQLite's code of an error, or of what caused it; undefined when it has none. */
export function sqliteCode(error: unknown): string | undefined {
  if (error instanceof DatabaseConstructor.SqliteError) return error.code;
  return error instanceof Error && error.cause !== undefined ? sqliteCode(error.cause) : undefined;
}
