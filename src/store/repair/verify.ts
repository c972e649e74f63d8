import type { Database } from "better-sqlite3";
import { LocalCalendar } from "../ledger/calendar.ts";
import { RECORD_COLUMNS, selectList } from "../ledger/chain.ts";
import { guarded, openForReading } from "../ledger/open.ts";
import { rollupZone } from "../ledger/rollup-zone.ts";
import { type BrokenChain, ChainWalk, type WalkedRecord } from "./chain-walk.ts";
import { RollupCheck, type RollupDifference } from "./rollup-check.ts";

export interface Verification {
  /** Records, voided ones too. */
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

/** One pass over the records, for the chain and the sums alike. */
function checkEntries(
  db: Database,
  calendar: LocalCalendar,
  onProgress: (done: number, total: number) => void,
): Omit<Verification, "damage"> {
  const total = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  // Read in pages: half again as fast as row by row.
  const page = db.prepare<[number, number], WalkedRecord>(
    `SELECT ${selectList(RECORD_COLUMNS)}, effective_ms AS timeMs, voided_by AS voidedBy, lower(hex(hash)) AS hash
       FROM record LEFT JOIN boot USING (boot) WHERE record_id > ? ORDER BY record_id LIMIT ?`,
  );
  const walk = new ChainWalk(db);
  const rollups = new RollupCheck(calendar);
  let records = 0;
  let last = Number.MIN_SAFE_INTEGER;
  for (let rows = page.all(last, PAGE); rows.length > 0; rows = page.all(last, PAGE)) {
    for (const row of rows) {
      walk.record(row);
      last = row.position;
      if (row.voidedBy === null) rollups.add(row);
    }
    records += rows.length;
    if (rows.length === PAGE) onProgress(records, total);
  }
  return { records, ...walk.finish(), differences: rollups.differences(db, MAX_DIFFERENCES) };
}
