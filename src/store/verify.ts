import type { Database } from "better-sqlite3";
import { daysOf, readArchives } from "./archive-statement.ts";
import { LocalCalendar } from "./calendar.ts";
import { type BrokenChain, ChainWalk, type WalkedSale } from "./chain-walk.ts";
import { guarded, openForReading } from "./open.ts";
import { RollupCheck, type RollupDifference } from "./rollup-check.ts";

export interface Verification {
  /** Records, voided and archived ones too. */
  readonly records: number;
  /** Records and corrections, as far as the chain holds. */
  readonly entries: number;
  /** The first entry that was altered, removed or inserted; null when the chain holds. */
  readonly broken: BrokenChain | null;
  readonly differences: readonly RollupDifference[];
  /** What SQLite's own check of the whole file found wrong; empty when it is sound. */
  readonly damage: readonly string[];
}

/** Differences told one by one; further ones would say the same. */
const MAX_DIFFERENCES = 100;
/** Records read at a time, and between two reports of progress. */
const PAGE = 2_000;

/**
 * Checks the file's structure in full, follows the chain of its entries and adds every rollup up again, as
 * of one moment, beside a running service. Throws as `openForReading` does, and `damaged` where the file
 * cannot even be read.
 */
export function verifyLedger(file: string, onProgress: (done: number, total: number) => void): Verification {
  const db = openForReading(file);
  try {
    const verification = db.transaction(() => {
      const found = db.pragma("integrity_check") as { integrity_check: string }[];
      const damage = found.map((row) => row.integrity_check).filter((text) => text !== "ok");
      const check = () => checkEntries(db, new LocalCalendar(rollupZone(db)), onProgress);
      return { damage, ...(damage.length === 0 ? check() : asFarAsPossible(check)) };
    });
    return guarded(file, () => verification());
  } finally {
    db.close();
  }
}

type Entries = Omit<Verification, "damage">;

/** In a damaged file a column may hold what it never could: then the damage is all that can be told. */
function asFarAsPossible(check: () => Entries): Entries {
  try {
    return check();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) {
      return { records: 0, entries: 0, broken: null, differences: [] };
    }
    throw error;
  }
}

/** Everything that is wrong, a text each; empty for a ledger that is right. */
export function faultsOf({ damage, broken, differences }: Verification): readonly string[] {
  return [
    ...damage,
    ...(broken === null ? [] : [`Entry ${broken.position} ${broken.what}.`]),
    ...differences.map(
      ({ table, period, locationName, deviceId, stored, computed }) =>
        `${table} ${period}, ${locationName}, device ${deviceId}: holds ${stored}; the records say ${computed}`,
    ),
  ];
}

/** The zone whose days the rollups are of, which may not be the one that is configured now. */
export function rollupZone(db: Database): string {
  const stored = db.prepare<[], string>("SELECT value FROM setting WHERE name = 'rollup_zone'").pluck().get();
  return stored?.split(" ")[0] ?? "UTC";
}

/** One pass over the records, for the chain and the sums alike. */
function checkEntries(
  db: Database,
  calendar: LocalCalendar,
  onProgress: (done: number, total: number) => void,
): Omit<Verification, "damage"> {
  const total = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  // Read in pages: half again as fast as row by row.
  const page = db.prepare<[number, number], WalkedSale>(
    `SELECT record_id AS position, user_id AS userId, location_name AS locationName, device_name AS deviceName,
            device_id AS deviceId, room, micros, created_ms AS createdMs, effective_ms AS timeMs, origin,
            provisional, voided_by AS voidedBy, boot_id AS bootId, line, request, sequence, monotonic_ns AS monotonicNs,
            lower(hex(hash)) AS hash
       FROM record LEFT JOIN boot USING (boot) WHERE record_id > ? ORDER BY record_id LIMIT ?`,
  );
  const archives = readArchives(db);
  const walk = new ChainWalk(db, archives);
  const rollups = new RollupCheck(calendar);
  let [records, read] = [0, 0];
  for (const { statement } of archives.list) {
    records += statement.records;
    for (const { day, sum } of daysOf(statement)) rollups.addArchived(day, sum);
  }
  let last = Number.MIN_SAFE_INTEGER;
  for (let rows = page.all(last, PAGE); rows.length > 0; rows = page.all(last, PAGE)) {
    for (const row of rows) {
      const archived = archives.runOf(row.position) !== undefined;
      walk.sale(row, archived);
      last = row.position;
      // It counts with its archive, as long as it is not removed.
      if (archived) continue;
      records += 1;
      if (row.voidedBy === null) rollups.add(row);
    }
    read += rows.length;
    if (rows.length === PAGE) onProgress(read, total);
  }
  return { records, ...walk.finish(), differences: rollups.differences(db, MAX_DIFFERENCES) };
}
