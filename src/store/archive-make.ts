import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Database } from "better-sqlite3";
import { formatMonth } from "../domain/archive.ts";
import { type Month, monthOf } from "../domain/day.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import { type ArchiveContent, readArchive, type WrittenRun, writeArchive } from "./archive-file.ts";
import { planIn, type RetentionRequest, waitsFor } from "./archive-plan.ts";
import { recordsByMonth, stretch, usersWithRecords } from "./archive-set.ts";
import {
  type ArchiveStatement,
  type Archives,
  archiveName,
  daysOf,
  readArchives,
} from "./archive-statement.ts";
import { ArchiveSums } from "./archive-sum.ts";
import { LocalCalendar } from "./calendar.ts";
import { NO_HASH, readHead } from "./chain.ts";
import { isFull } from "./disk-error.ts";
import { hashFile, removeDatabase } from "./file-copy.ts";
import { openForReading } from "./open.ts";
import type { RollupEntry } from "./rollup.ts";
import { RollupCheck } from "./rollup-check.ts";
import { syncPath } from "./sync.ts";
import { rollupZone } from "./verify.ts";

const OWNER_ONLY = 0o700;
/** Longer than a record and its part of the tree take. */
const BYTES_PER_RECORD = 512;
const SPARE_BYTES = 16 * 1024 * 1024;
/** A statement names each run; a ledger whose months are mixed in small pieces is not what this is made for. */
const MAX_RUNS = 10_000;

export interface ArchiveRequest extends RetentionRequest {
  readonly month: Month;
  /** Where archives lie. */
  readonly directory: string;
}

/** An archive that was written and checked, and that the ledger knows nothing of yet. */
export interface PreparedArchive {
  readonly statement: ArchiveStatement;
  /** The ledger's newest entry when it was made: what was corrected since is not in it. */
  readonly head: number;
}

/**
 * Writes a month's records and their corrections to a file and checks it in full, from the file alone. Nothing of
 * the ledger is touched. Throws `conflict` where the month has to wait, `damaged` where the ledger or the file does
 * not hold, `unavailable` when there is no room; then no file is left.
 */
export function prepareArchive(request: ArchiveRequest): PreparedArchive {
  const { ledger, directory, month } = request;
  const draft = join(directory, "archive.draft");
  try {
    mkdirSync(directory, { recursive: true, mode: OWNER_ONLY });
    const db = openForReading(ledger);
    try {
      return db.transaction(() => prepareIn(db, request, draft))();
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof FlancoError) throw error;
    throw new FlancoError(
      "unavailable",
      `The archive of ${formatMonth(month)} cannot be written to ${directory}${isFull(error) ? ": the disk is full" : ""}.`,
      {
        hint: "Nothing was changed. Check that there is room, and that flanco's user may write there.",
        cause: error,
      },
    );
  } finally {
    removeDatabase(draft);
  }
}

function prepareIn(db: Database, request: ArchiveRequest, draft: string): PreparedArchive {
  const { month, directory } = request;
  const calendar = new LocalCalendar(rollupZone(db));
  const archives = readArchives(db);
  const { plan, covering } = planIn(db, request);
  if (plan.waits !== null) throw waiting(month, plan.waits);
  if (plan.keptFrom === null || month >= plan.keptFrom)
    throw waiting(month, "it is among the months that are kept");
  const held = recordsByMonth(db, calendar, archives, { only: month }).get(month);
  if (held === undefined || held.records.length === 0) throw waiting(month, "it has no record to archive");
  const records = held.records.toSorted((one, other) => one - other);
  const corrections = correctionsOf(db, new Set(records));
  const last = Math.max(records.at(-1) ?? 0, corrections.at(-1) ?? 0);
  const waits = waitsFor(month, last, held.keyed, covering);
  if (waits !== null) throw waiting(month, waits);
  const runs = runsIn(db, archives, [...records, ...corrections]);
  if (runs.length > MAX_RUNS)
    throw waiting(month, "its records are mixed with those of other months in too many places");
  requireRightSums(db, calendar, archives, month);
  requireRoom(request, records.length);
  const source = { db, month, timeZone: calendar.timeZone, records, corrections, runs };
  const expected = contentOf(source, calendar);
  writeArchive(draft, source);
  const sha256 = hashFile(draft);
  const file = place(draft, sha256, directory, month, archives);
  const path = join(directory, file);
  try {
    const content = readArchive(path);
    if (JSON.stringify(content) !== JSON.stringify(expected) || hashFile(path) !== sha256) {
      throw new FlancoError("damaged", `The archive ${file} does not hold what the ledger does.`, {
        hint: "Nothing was removed from the ledger. Run flanco verify: the ledger itself is likely to be damaged.",
      });
    }
    return { statement: { ...content, file, sha256 }, head: readHead(db).position };
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** What the archive must say, as the ledger's rows say it. */
function contentOf(
  source: {
    db: Database;
    month: Month;
    timeZone: string;
    records: readonly number[];
    runs: readonly WrittenRun[];
  },
  calendar: LocalCalendar,
): ArchiveContent {
  const { db, month, timeZone, records, runs } = source;
  const sale = db.prepare<[number], RollupEntry & { room: string; voidedBy: number | null }>(
    `SELECT user_id AS userId, location_name AS locationName, device_id AS deviceId, room, micros,
            effective_ms AS timeMs, voided_by AS voidedBy FROM record WHERE record_id = ?`,
  );
  const sums = new ArchiveSums();
  for (const position of records) {
    const row = sale.get(position);
    if (row !== undefined && row.voidedBy === null) sums.add(row, calendar.dayOf(row.timeMs));
  }
  const count = db
    .prepare<[number, number], number>("SELECT count(*) FROM record WHERE record_id BETWEEN ? AND ?")
    .pluck();
  const hashAt = hashReader(db);
  const told = runs.map(({ first, last }): ArchiveContent["runs"][number] => [
    first,
    last,
    count.get(first, last) ?? 0,
    hashAt(last)?.toString("hex") ?? "",
  ]);
  return { month, timeZone, records: records.length, runs: told, ...sums.result() };
}

function correctionsOf(db: Database, records: ReadonlySet<number>): number[] {
  const all = db.prepare<[], { position: number; recordId: number }>(
    `SELECT correction_id AS position, record_id AS recordId FROM correction
      WHERE record_id IS NOT NULL ORDER BY correction_id`,
  );
  const found: number[] = [];
  for (const { position, recordId } of all.iterate()) if (records.has(recordId)) found.push(position);
  return found;
}

function runsIn(db: Database, archives: Archives, positions: number[]): WrittenRun[] {
  const hashAt = hashReader(db);
  const runs: { first: number; last: number; before: Buffer }[] = [];
  for (const position of positions.toSorted((one, other) => one - other)) {
    const run = runs.at(-1);
    if (run?.last === position - 1) {
      run.last = position;
      continue;
    }
    const earlier = archives.runOf(position - 1);
    const before = position === 1 ? NO_HASH : (earlier?.hash ?? hashAt(position - 1));
    if (before === undefined) {
      throw new FlancoError("damaged", `The ledger's entry ${position - 1} is missing.`, {
        hint: "Nothing was changed. Run flanco verify.",
      });
    }
    runs.push({ first: position, last: position, before });
  }
  return runs;
}

function hashReader(db: Database): (position: number) => Buffer | undefined {
  const hash = db
    .prepare<[number, number], Buffer>(
      `SELECT hash FROM record WHERE record_id = ? UNION ALL SELECT hash FROM correction WHERE correction_id = ?`,
    )
    .pluck();
  return (position) => hash.get(position, position);
}

/** A month is only closed when its sums are what its records, and what was archived of it, come to. */
function requireRightSums(db: Database, calendar: LocalCalendar, archives: Archives, month: Month): void {
  const rows = db.prepare<[Id, number, number], RollupEntry & { recordId: number }>(
    `SELECT record_id AS recordId, user_id AS userId, location_name AS locationName, device_id AS deviceId, micros,
            effective_ms AS timeMs FROM record INDEXED BY record_by_time
      WHERE user_id = ? AND effective_ms >= ? AND effective_ms < ? AND voided_by IS NULL`,
  );
  const check = new RollupCheck(calendar);
  for (const userId of usersWithRecords(db)) {
    for (const row of rows.iterate(userId, ...stretch(calendar, { only: month }))) {
      const isOfMonth = monthOf(calendar.dayOf(row.timeMs)) === month;
      if (isOfMonth && archives.runOf(row.recordId) === undefined) check.add(row);
    }
  }
  for (const { statement } of archives.list) {
    for (const { day, sum } of daysOf(statement)) if (monthOf(day) === month) check.addArchived(day, sum);
  }
  if (check.differences(db, 1, month).length === 0) return;
  throw new FlancoError("damaged", `The sums of ${formatMonth(month)} are not what its records come to.`, {
    hint: "Nothing was changed. Run flanco verify.",
  });
}

function requireRoom({ ledger, directory, month }: ArchiveRequest, records: number): void {
  const needed = records * BYTES_PER_RECORD + SPARE_BYTES;
  for (const path of [directory, dirname(ledger)]) {
    const { bavail, bsize } = statfsSync(path);
    if (bavail * bsize >= needed) continue;
    throw new FlancoError("unavailable", `There is no room in ${path} to archive ${formatMonth(month)}.`, {
      hint: `Nothing was changed. It needs ${Math.ceil(needed / 1e6)} MB there.`,
    });
  }
}

/**
 * Gives the draft its name, and that name durability. The same file may be there of a run that was cut off; another
 * one, of another history of the ledger, is left alone.
 */
function place(draft: string, sha256: string, directory: string, month: Month, archives: Archives): string {
  const known = new Set(archives.list.map(({ statement }) => statement.file));
  for (let piece = 1; ; piece += 1) {
    const file = archiveName(month, piece);
    const path = join(directory, file);
    if (known.has(file)) continue;
    if (existsSync(path) && hashFile(path) !== sha256) continue;
    renameSync(draft, path);
    syncPath(directory);
    // The directory itself may be new.
    syncPath(dirname(directory));
    return file;
  }
}

function waiting(month: Month, why: string): FlancoError {
  return new FlancoError("conflict", `${formatMonth(month)} is not archived: ${why.replace(/\.$/, "")}.`, {
    hint: "Nothing was changed. flanco archive --dry-run shows what would be archived.",
  });
}
