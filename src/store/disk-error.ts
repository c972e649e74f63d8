import DatabaseConstructor from "better-sqlite3";

/** The disk has no room: nothing was written, and the same write may succeed later. */
export function isFull(error: unknown): boolean {
  const code = sqliteCode(error);
  // The index of the log could not grow: SQLite gives no other name to ENOSPC there.
  return code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE";
}

/**
 * The disk fails, or the file is not what was written to it. After a failed fsync the kernel marks pages
 * clean that never reached the disk, so that a second try would succeed and prove nothing: whoever meets
 * this must end its process.
 */
export function isFailing(error: unknown): boolean {
  const code = sqliteCode(error) ?? "";
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code) && !isFull(error);
}

/** SQLite's code of an error, or of what caused it; undefined when it has none. */
export function sqliteCode(error: unknown): string | undefined {
  if (error instanceof DatabaseConstructor.SqliteError) return error.code;
  return error instanceof Error && error.cause !== undefined ? sqliteCode(error.cause) : undefined;
}
