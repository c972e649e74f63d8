import DatabaseConstructor, { type Database } from "better-sqlite3";

/** A row of any table, by its columns' names. */
export type Row = Readonly<Record<string, unknown>>;

/** Takes a row over as it is, whatever columns the table has. */
export function insertRow(db: Database, table: string, row: Row, conflict: "" | "OR IGNORE" = ""): void {
  const columns = Object.keys(row);
  const names = columns.map((column) => `"${column}"`).join(", ");
  const places = columns.map(() => "?").join(", ");
  db.prepare(`INSERT ${conflict} INTO "${table}" (${names}) VALUES (${places})`).run(
    ...columns.map((column) => row[column] ?? null),
  );
}

/** A part of the damaged file that does not hold together. */
export class Unreadable extends Error {}

/** Reads from the damaged file; undefined where it cannot be read. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DatabaseConstructor.SqliteError || error instanceof Unreadable) return undefined;
    // A number that no program of ours has written, and a text that is none.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
