import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { readLedgerKey } from "../../src/ledger/engine/identity.ts";
import { openForWriting } from "../../src/ledger/engine/open.ts";
import { openReader, type StoreReader } from "../../src/ledger/engine/reader.ts";
import { TemporaryDirectory } from "./temporary-directory.ts";

let empty: { readonly content: Buffer; readonly keyAt: number } | undefined;

/**
 * Makes a ledger with a key of its own where there is none: a copy, in a tenth of the time that its schema takes. How the
 * program makes one is tested in test/ledger/engine/open.test.ts and wherever the program runs.
 */
export function makeLedger(file: string): void {
  if (!existsSync(dirname(file)) || [file, `${file}-wal`].some(existsSync)) return;
  empty ??= newLedger();
  const content = Buffer.from(empty.content);
  content.write(randomBytes(32).toString("hex"), empty.keyAt);
  writeFileSync(file, content);
}

function newLedger() {
  using directory = new TemporaryDirectory();
  const file = directory.file("flanco.db");
  const key = using(openForWriting(file), readLedgerKey);
  const content = readFileSync(file);
  return { content, keyAt: content.indexOf(key) };
}

/** Opens a ledger's file for writing, whatever it holds, and closes it afterwards; makes it where it is missing. */
export function inFile<T>(file: string, run: (db: Database) => T): T {
  return using(new DatabaseConstructor(file), run);
}

/** Reads a ledger's file as the program does. */
export function readIn<T>(file: string, read: (reader: StoreReader) => T): T {
  const reader = openReader(file, "UTC");
  try {
    return read(reader);
  } finally {
    reader.close();
  }
}

/** Runs statements on a ledger's file that are no part of the program. */
export function change(file: string, sql: string): void {
  inFile(file, (db) => {
    db.pragma("foreign_keys = OFF");
    db.exec(sql);
  });
}

/** How each statement that `run` makes of a ledger's file goes through a table. */
export function plansOf(file: string, table: string, run: (db: Database) => void): readonly string[] {
  const made: string[] = [];
  using(new DatabaseConstructor(file, { verbose: (sql) => void made.push(String(sql)) }), run);
  return made
    .filter((sql) => sql.includes(`FROM ${table}`))
    .flatMap((sql) => query<{ detail: string }>(file, `EXPLAIN QUERY PLAN ${sql}`))
    .flatMap(({ detail }) => (detail.includes(table) ? [detail] : []));
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
