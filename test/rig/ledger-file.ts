import DatabaseConstructor, { type Database } from "better-sqlite3";

/** Opens a ledger's file for writing, whatever it holds, and closes it afterwards; makes it where it is missing. */
export function inFile<T>(file: string, run: (db: Database) => T): T {
  return using(new DatabaseConstructor(file), run);
}

/** Runs statements on a ledger's file that are no part of the program. */
export function change(file: string, sql: string): void {
  inFile(file, (db) => {
    db.pragma("foreign_keys = OFF");
    db.exec(sql);
  });
}

/** Reads a ledger's file, beside the program that writes it. */
export function query<Row>(file: string, sql: string, ...parameters: readonly string[]): Row[] {
  const db = new DatabaseConstructor(file, { readonly: true, fileMustExist: true });
  return using(db, () => db.prepare<string[], Row>(sql).all(...parameters));
}

function using<T>(db: Database, run: (db: Database) => T): T {
  try {
    return run(db);
  } finally {
    db.close();
  }
}
