import { createHash } from "node:crypto";
import { existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { FlancoError } from "../../domain/error.ts";
import { syncPath } from "../../durable-file.ts";
import { copyDurably } from "../backup/file-copy.ts";
import { requireRoom } from "../free-room.ts";
import { MIGRATIONS, type MigrationProgress, migrate } from "./schema.ts";

/** Of progress: the copy takes some three of these, its check and each look at the totals the others. */
const STEPS = 10;
const MONTH_MS = 30 * 24 * 3_600_000;
/** The copy, and what a migration writes to its log. */
const COPIES = 2;

/**
 * Brings an older ledger to this program's schema: on a copy, which must hold every room's monthly totals as
 * they were, and which then takes the file's place at once. The replaced file stays beside it, under its
 * schema's number. Whatever fails, the ledger is as it was; throws `unavailable` and says so.
 *
 * `db` is the only connection to the file; it is closed.
 */
export function upgradeLedger(
  db: Database,
  file: string,
  onProgress: MigrationProgress,
  migrations = MIGRATIONS,
): void {
  const from = Number(db.pragma("user_version", { simple: true }));
  const draft = `${file}.upgrade`;
  try {
    onProgress(0, STEPS);
    removeDraft(draft);
    requireRoom(dirname(file), COPIES * statSync(file).size, "bring the ledger up to date");
    const before = monthlyTotals(db);
    onProgress(1, STEPS);
    bringLogIn(db, file);
    // Page by page: rows that are read and written one by one take ten times the processor's time.
    copyDurably(file, draft, (done, total) => onProgress(1 + (3 * done) / total, STEPS));
    const migrating = (done: number, total: number) => onProgress(4 + (2 * done) / total, STEPS);
    migrating(0, 1);
    const after = migrateCopy(draft, db, (copy) => {
      migrate(copy, migrating, migrations);
      onProgress(6, STEPS);
    });
    if (after !== before) throw new Error("a room's monthly totals would have changed");
    syncPath(draft);
    leaveAlone(db, file);
    const kept = `${file}.schema-${from}`;
    rmSync(kept, { force: true });
    linkSync(file, kept);
    renameSync(draft, file);
    syncPath(dirname(file));
  } catch (error) {
    if (db.open) db.close();
    removeDraft(draft);
    if (error instanceof FlancoError) throw error;
    throw new FlancoError(
      "unavailable",
      `The ledger could not be brought from schema ${from} to ${migrations.length} (${reasonOf(error)}). It is unchanged.`,
      {
        hint: "Look at the disk, then start again, or install the version before.",
        cause: error,
      },
    );
  }
}

/** Migrates the copy and gives its totals. */
function migrateCopy(draft: string, original: Database, run: (copy: Database) => void): string {
  const copy = new DatabaseConstructor(draft, { fileMustExist: true });
  try {
    // One file: a log would have to be copied into it.
    copy.pragma("journal_mode = DELETE");
    copy.pragma("synchronous = FULL");
    // A row that refers to nothing could not be copied from table to table. What a migration tears is found below.
    copy.pragma("foreign_keys = OFF");
    run(copy);
    const damage = copy.pragma("quick_check", { simple: true });
    if (damage !== "ok" || hasNewStrays(copy, original)) throw new Error("the copy does not hold together");
    return monthlyTotals(copy);
  } finally {
    copy.close();
  }
}

/** What `PRAGMA foreign_key_check` says of one reference to nothing. */
interface Stray {
  readonly table: string;
  /** Null in a table without row ids. */
  readonly rowid: number | null;
  readonly parent: string;
}

/**
 * Whether the copy has dangling references that the original does not have. A ledger that was rebuilt after damage may
 * have corrections of lost records; they are entries of the chain and must stay.
 */
function hasNewStrays(copy: Database, original: Database): boolean {
  const after = straysOf(copy);
  if (after.size === 0) return false;
  const before = straysOf(original);
  return [...after].some(([stray, count]) => count > (before.get(stray) ?? 0));
}

function straysOf(db: Database): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { table, rowid, parent } of db.pragma("foreign_key_check") as Stray[]) {
    const stray = JSON.stringify([table, rowid, parent]);
    counts.set(stray, (counts.get(stray) ?? 0) + 1);
  }
  return counts;
}

/**
 * Every room's records and sum per month (of thirty days: any division in time will do, and this one is cheap), as one
 * hash. A migration must leave it as it was, whatever it does to tables.
 */
function monthlyTotals(db: Database): string {
  const totals = db
    .prepare<[], unknown[]>(
      `SELECT user_id, location_name, device_id, room, effective_ms / ${MONTH_MS},
              count(*), sum(valor_micros / 1000000), sum(valor_micros % 1000000)
         FROM record WHERE voided_by IS NULL GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
    )
    .raw()
    .safeIntegers();
  const sum = createHash("sha256");
  for (const row of totals.iterate()) sum.update(`${row.map(String).join("\t")}\n`);
  return sum.digest("hex");
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

function removeDraft(draft: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(draft + suffix, { force: true });
}

function reasonOf(error: unknown): string {
  if (error instanceof DatabaseConstructor.SqliteError) return error.code;
  return error instanceof Error ? error.message : String(error);
}
