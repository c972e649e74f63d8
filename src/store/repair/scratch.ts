import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from "node:fs";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { copyDurably, removeDatabase } from "../backup/file-copy.ts";
import { foldDamagedLog, isLogDamaged } from "./log-file.ts";

/** https://www.sqlite.org/fileformat2.html: where the header of a database, and of a page, keeps what is needed here. */
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const CHANGE_COUNTER_AT = 24;
const PAGE_COUNT_AT = 28;
const FREELIST_AT = 32;
const FREELIST_BYTES = 8;
const VALID_FOR_AT = 92;
const INTERIOR_TABLE_PAGE = 0x05;
const INTERIOR_HEADER_BYTES = 12;
const CELL_COUNT_AT = 3;
const RIGHTMOST_AT = 8;
const LARGEST_PAGE_SIZE_CODE = 1;
const LARGEST_PAGE_BYTES = 65_536;

/**
 * Opens a copy of a damaged ledger so that what is left of it can be read, in three ways, the most faithful first: as
 * it is, a damaged log read to its end; with the start of the file and its schema taken from `model`, a sound ledger of
 * the same making; and without its log. Undefined when none of them can be opened. The copy is the caller's to remove.
 */
export function openScratch(damaged: string, model: string, scratch: string): Database | undefined {
  for (const way of ["as it is", "with the start of the model", "without the log"] as const) {
    removeDatabase(scratch);
    copyDurably(damaged, scratch);
    if (way !== "without the log") takeLog(damaged, scratch);
    if (way !== "as it is") takeStart(scratch, model);
    const db = openReadable(scratch);
    if (db !== undefined) return db;
  }
  return undefined;
}

/** SQLite would read a damaged log up to the damage only. */
function takeLog(damaged: string, scratch: string): void {
  if (isLogDamaged(damaged)) foldDamagedLog(damaged, scratch);
  else if (existsSync(`${damaged}-wal`)) copyDurably(`${damaged}-wal`, `${scratch}-wal`);
}

function openReadable(file: string): Database | undefined {
  let db: Database | undefined;
  try {
    db = new DatabaseConstructor(file, { fileMustExist: true });
    db.prepare("SELECT 1 FROM record WHERE record_id = 0").get();
    db.prepare("SELECT 1 FROM correction WHERE correction_id = 0").get();
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof DatabaseConstructor.SqliteError) return undefined;
    throw error;
  }
}

/** Writes the first page, and the pages of the schema, of the sound file over those of the damaged one. */
function takeStart(file: string, model: string): void {
  const source = openSync(model, "r");
  const target = openSync(file, "r+");
  try {
    const first = Buffer.alloc(LARGEST_PAGE_BYTES);
    readSync(source, first, 0, HEADER_BYTES, 0);
    const code = first.readUInt16BE(PAGE_SIZE_AT);
    const pageBytes = code === LARGEST_PAGE_SIZE_CODE ? LARGEST_PAGE_BYTES : code;
    const page = Buffer.alloc(pageBytes);
    for (const number of schemaPages(source, pageBytes)) {
      readSync(source, page, 0, pageBytes, (number - 1) * pageBytes);
      if (number === 1) describeFile(page, Math.floor(statSync(file).size / pageBytes));
      writeSync(target, page, 0, pageBytes, (number - 1) * pageBytes);
    }
  } finally {
    closeSync(target);
    closeSync(source);
  }
}

/** The header must tell the length of the damaged file, and no free pages: which they are is not known. */
function describeFile(page: Buffer, pages: number): void {
  page.writeUInt32BE(Math.max(1, pages), PAGE_COUNT_AT);
  page.fill(0, FREELIST_AT, FREELIST_AT + FREELIST_BYTES);
  page.copy(page, VALID_FOR_AT, CHANGE_COUNTER_AT, CHANGE_COUNTER_AT + 4);
}

/** Page 1 and, where the schema is longer than it, the pages below: a schema of this size is two levels at most. */
function schemaPages(source: number, pageBytes: number): number[] {
  const page = Buffer.alloc(pageBytes);
  readSync(source, page, 0, pageBytes, 0);
  const pages = [1];
  if (page[HEADER_BYTES] !== INTERIOR_TABLE_PAGE) return pages;
  const cells = page.readUInt16BE(HEADER_BYTES + CELL_COUNT_AT);
  for (let cell = 0; cell < cells; cell += 1) {
    const at = page.readUInt16BE(HEADER_BYTES + INTERIOR_HEADER_BYTES + 2 * cell);
    pages.push(page.readUInt32BE(at));
  }
  pages.push(page.readUInt32BE(HEADER_BYTES + RIGHTMOST_AT));
  return pages;
}
