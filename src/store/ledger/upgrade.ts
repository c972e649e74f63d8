import { existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { FlancoError, messageOf } from "../../domain/error.ts";
import type { OnSteps } from "../../domain/work.ts";
import { syncPath } from "../../durable-file.ts";
import { copyDurably, removeDatabase, requireRoom } from "../backup/file-copy.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./schema.ts";

/** Of progress: the copy takes four of these; its migrations, the comparison and the check take two each. */
const STEPS = 10;
/** Records. */
const COMPARED_AT_ONCE = 100_000;
/** The copy, and what a migration writes to its log. */
const COPIES = 2;

/**
 * Brings an older ledger to this program's schema: on a copy, which must hold every room's monthly totals as
 * they were, and which then takes the file's place at once. The replaced file stays beside it, under its
 * schema's number; those of earlier upgrades go, because it holds what they held. Whatever fails, the ledger is as it was;
 * throws `unavailable` and says so.
 *
 * `db` is the only connection to the file; it is closed.
 */
export function upgradeLedger(
  db: Database,
  file: string,
  onProgress: OnSteps,
  migrations = MIGRATIONS,
): void {
  const from = Number(db.pragma("user_version", { simple: true }));
  const draft = `${file}.upgrade`;
  try {
    onProgress(0, STEPS);
    removeDatabase(draft);
    requireRoom(dirname(file), COPIES * statSync(file).size, "bring the ledger up to date");
    bringLogIn(db, file);
    // Page by page: rows that are read and written one by one take ten times the processor's time.
    copyDurably(file, draft, (done, total) => onProgress((4 * done) / total, STEPS));
    const migrating = (done: number, total: number) => onProgress(4 + (2 * done) / total, STEPS);
    migrating(0, 1);
    migrateCopy(draft, db, (copy) => {
      migrate(copy, migrating, migrations);
      onProgress(6, STEPS);
      const comparing = (done: number, total: number) => onProgress(6 + (2 * done) / total, STEPS);
      if (!hasSameSales(copy, file, comparing)) throw new Error("a room's monthly totals would have changed");
    });
    syncPath(draft);
    leaveAlone(db, file);
    const kept = `${file}.schema-${from}`;
    rmSync(kept, { force: true });
    linkSync(file, kept);
    renameSync(draft, file);
    syncPath(dirname(file));
  } catch (error) {
    if (db.open) db.close();
    removeDatabase(draft);
    if (error instanceof FlancoError) throw error;
    const what = `brought from schema ${from} to ${migrations.length} (${reasonOf(error)})`;
    throw new FlancoError("unavailable", `The ledger could not be ${what}. It is unchanged.`, {
      hint: "Look at the disk, then start again, or install the version before.",
      cause: error,
    });
  }
  for (let older = 1; older < from; older += 1) rmSync(`${file}.schema-${older}`, { force: true });
}

/** Migrates the copy, and throws where it does not hold together. */
function migrateCopy(draft: string, original: Database, run: (copy: Database) => void): void {
  using copy = new Connection(draft, { fileMustExist: true });
  // One file: a log would have to be copied into it.
  copy.pragma("journal_mode = DELETE");
  copy.pragma("synchronous = FULL");
  // Otherwise a row with a dangling reference could not be copied from table to table. New ones are found below.
  copy.pragma("foreign_keys = OFF");
  run(copy);
  const damage = copy.pragma("quick_check", { simple: true });
  if (damage !== "ok" || straysIn(copy) > straysIn(original))
    throw new Error("the copy does not hold together");
}

/**
 * References to rows that are not there. A ledger that was rebuilt after damage may have some: corrections of lost records are
 * entries of the chain and must stay. An upgrade may add none.
 */
function straysIn(db: Database): number {
  return (db.pragma("foreign_key_check") as unknown[]).length;
}

/**
 * Whether every sale counts in the copy as it did: the same room, time and valor. Both are read once, in their order: sums
 * per room would have to be sorted, on a disk that may be slow and full.
 */
function hasSameSales(copy: Database, original: string, onProgress: OnSteps): boolean {
  copy.prepare("ATTACH ? AS original").run(original);
  const counted = copy.prepare<[], { before: number; after: number; newest: number }>(
    `SELECT (SELECT count(*) FROM original.record) AS before, (SELECT count(*) FROM main.record) AS after,
            coalesce((SELECT max(record_id) FROM original.record), 0) AS newest`,
  );
  const differs = copy
    .prepare<[number, number], number>(
      `SELECT 1 FROM original.record AS o LEFT JOIN main.record AS n USING (record_id)
        WHERE record_id BETWEEN ? AND ?
          AND (o.user_id, o.location_name, o.device_id, o.room, o.effective_ms, o.valor_micros, o.voided_by IS NULL)
              IS NOT (n.user_id, n.location_name, n.device_id, n.room, n.effective_ms, n.valor_micros, n.voided_by IS NULL)
        LIMIT 1`,
    )
    .pluck();
  const { before, after, newest } = counted.get() ?? { before: 0, after: 0, newest: 0 };
  if (before !== after) return false;
  for (let from = 1; from <= newest; from += COMPARED_AT_ONCE) {
    if (differs.get(from, from + COMPARED_AT_ONCE - 1) !== undefined) return false;
    onProgress(Math.min(newest, from + COMPARED_AT_ONCE), newest);
  }
  copy.exec("DETACH original");
  return true;
}

/** Afterwards the file by itself is the whole ledger. */
function bringLogIn(db: Database, file: string): void {
  db.pragma("wal_checkpoint(TRUNCATE)");
  const log = `${file}-wal`;
  if (existsSync(log) && statSync(log).size > 0) throw readByAnother();
}

/** Closes the file so that nothing of it is left in a log, which would be taken for the copy's. */
function leaveAlone(db: Database, file: string): void {
  bringLogIn(db, file);
  db.close();
  if (existsSync(`${file}-shm`)) throw readByAnother();
}

function readByAnother(): FlancoError {
  return new FlancoError("unavailable", "Another program reads the ledger while it should be upgraded.", {
    hint: "Let it end (flanco verify, a backup), then start again. The ledger is unchanged.",
  });
}

function reasonOf(error: unknown): string {
  return error instanceof DatabaseConstructor.SqliteError ? error.code : messageOf(error);
}
