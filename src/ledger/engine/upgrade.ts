import { existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { FlancoError, messageOf } from "../../domain/error.ts";
import { syncPath } from "../../platform/durable-file.ts";
import type { OnSteps } from "../../platform/work.ts";
import { copyDurably, removeDatabase, requireRoom } from "../safety/file-copy.ts";
import { LedgerConnection } from "./connection.ts";
import type { Migration } from "./schema.ts";

/** Steps of the progress: four for the copy, two each for its migrations, the comparison and the check. */
const STEPS = 10;
/** Records that are compared between two reports of progress. */
const COMPARED_AT_ONCE = 100_000;
/** Room for the copy, and for what a migration writes to its log. */
const COPIES = 2;

/**
 * Brings an older ledger to this program's schema, on a copy. The copy must hold every sale as
 * it was; then it takes the ledger's place by a rename. The replaced file stays beside it, with
 * its schema's number in its name; files of earlier upgrades are removed, because it holds what
 * they held. Throws `unavailable` where anything fails, and then the ledger is as it was.
 *
 * `db` must be the only connection to the file. It is closed.
 */
export function upgradeLedger(
  db: Database,
  file: string,
  onProgress: OnSteps,
  migrations: readonly Migration[],
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

/** Applies the missing migrations, a transaction each. */
export function migrate(db: Database, onProgress: OnSteps, migrations: readonly Migration[]): void {
  const current = Number(db.pragma("user_version", { simple: true }));
  migrations.slice(current).forEach(({ sql, convert }, index) => {
    db.transaction(() => {
      db.exec(sql);
      convert?.(db, onProgress);
      db.pragma(`user_version = ${current + index + 1}`);
    }).immediate();
  });
}

/** Migrates the copy, and throws where it does not hold together. */
function migrateCopy(draft: string, original: Database, run: (copy: Database) => void): void {
  using copy = new LedgerConnection(draft, { fileMustExist: true });
  // One file: a log would have to be copied into it.
  copy.pragma("journal_mode = DELETE");
  copy.pragma("synchronous = FULL");
  // Otherwise a row with a dangling reference could not be
  // copied from table to table. New ones are found below.
  copy.pragma("foreign_keys = OFF");
  run(copy);
  const damage = copy.pragma("quick_check", { simple: true });
  if (damage !== "ok" || straysIn(copy) > straysIn(original))
    throw new Error("the copy does not hold together");
}

/**
 * How many references there are to missing rows. A ledger that was rebuilt after damage may have some,
 * because corrections of lost records are entries of the chain and must stay. An upgrade must add none.
 */
function straysIn(db: Database): number {
  return (db.pragma("foreign_key_check") as unknown[]).length;
}

/**
 * Whether every sale counts in the copy as it did: the same number, room, time and valor. Both are read
 * once, in their order: sums per room would have to be sorted, on a disk that may be slow and full.
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
          AND (o.user_id, o.number, o.location_name, o.device_id, o.room, o.effective_ms, o.valor_micros, o.voided_by IS NULL)
              IS NOT (n.user_id, n.number, n.location_name, n.device_id, n.room, n.effective_ms, n.valor_micros, n.voided_by IS NULL)
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

/** Brings the log into the file, which is then the whole ledger by itself. */
function bringLogIn(db: Database, file: string): void {
  db.pragma("wal_checkpoint(TRUNCATE)");
  const log = `${file}-wal`;
  if (existsSync(log) && statSync(log).size > 0) throw readByAnother();
}

/** Closes the file without a log beside it, which would be taken for the copy's. */
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
