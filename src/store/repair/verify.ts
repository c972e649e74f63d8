import type { Database } from "better-sqlite3";
import type { KeptHead } from "../../domain/backup.ts";
import type { Id } from "../../domain/id.ts";
import { LocalCalendar } from "../ledger/calendar.ts";
import { RECORD_COLUMNS } from "../ledger/chain.ts";
import { guarded, openForReading } from "../ledger/open.ts";
import { rollupZone } from "../ledger/rollup-zone.ts";
import { ChainWalk, type WalkedRecord } from "./chain-walk.ts";
import { type Finding, type FindingKind, Findings } from "./finding.ts";
import { RollupCheck } from "./rollup-check.ts";

export interface Verification {
  /** Records, voided ones too. */
  readonly records: number;
  /** Number of the last entry. */
  readonly entries: number;
  /** All of them, those that were acknowledged too; empty for a ledger that is right. */
  readonly findings: readonly Finding[];
  /** How many more there are than are listed. */
  readonly unlisted: number;
  /** What SQLite's own check of the whole file found wrong; empty when it is sound. */
  readonly damage: readonly string[];
}

const CHECK_CACHE_KIB = 16_000;
/** Records read at a time, and between two reports of progress. */
const PAGE = 2_000;

/** Findings for which a copy of the ledger is no good one. The others are told by the ledger itself. */
const GRAVE: ReadonlySet<FindingKind> = new Set(["missing", "inserted", "altered", "sum"]);

/**
 * Checks the file's structure in full, follows the chain of its entries, holds it against the heads of proved backups and
 * adds every rollup up again, as of one moment, beside a running service. Throws as `openForReading` does, and `damaged`
 * where the file cannot even be read.
 */
export function verifyLedger(
  file: string,
  onProgress: (done: number, total: number) => void,
  heads: readonly KeptHead[] = [],
): Verification {
  const db = openForReading(file);
  try {
    const verification = db.transaction(() => {
      const damage = damageIn(db);
      const check = () => checkEntries(db, heads, onProgress);
      return { damage, ...(damage.length === 0 ? check() : asFarAsPossible(check)) };
    });
    return guarded(file, () => verification());
  } finally {
    db.close();
  }
}

/** An entry of the chain, as its hash finds it. */
export interface FoundEntry {
  readonly position: number;
  readonly hash: string;
}

/** The entry with that hash, or with one that begins so: lower-case hexadecimal; undefined where the chain has none. */
export function findEntry(file: string, hash: string): FoundEntry | undefined {
  const db = openForReading(file);
  try {
    const find = db.prepare<{ hash: string }, FoundEntry>(
      `SELECT position, lower(hex(hash)) AS hash FROM (
         SELECT record_id AS position, hash FROM record UNION ALL SELECT correction_id, hash FROM correction
         UNION ALL SELECT position, hash FROM audit WHERE position IS NOT NULL)
        WHERE lower(substr(hex(hash), 1, length(@hash))) = @hash LIMIT 1`,
    );
    return guarded(file, () => find.get({ hash }));
  } finally {
    db.close();
  }
}

/** What SQLite's own check finds wrong with a file; empty for a sound one. Throws as `verifyLedger` does. */
export function findDamage(file: string): readonly string[] {
  const db = openForReading(file);
  try {
    return guarded(file, () => damageIn(db));
  } finally {
    db.close();
  }
}

function damageIn(db: Database): readonly string[] {
  // It looks up each row in each index: with a small cache it would read a large ledger many times over.
  db.pragma(`cache_size = -${CHECK_CACHE_KIB}`);
  const found = db.pragma("integrity_check") as { integrity_check: string }[];
  return found.map((row) => row.integrity_check).filter((text) => text !== "ok");
}

type Entries = Omit<Verification, "damage">;

/** In a damaged file a column may hold what it never could: then the damage is all that can be told. */
function asFarAsPossible(check: () => Entries): Entries {
  try {
    return check();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) {
      return { records: 0, entries: 0, findings: [], unlisted: 0 };
    }
    throw error;
  }
}

/** What keeps a ledger from being trusted, a text each; empty for one that is right, or whose findings were acknowledged. */
export function faultsOf(verification: Pick<Verification, "damage" | "findings">): readonly string[] {
  const grave = openFindings(verification).filter(({ kind }) => GRAVE.has(kind));
  return [...verification.damage, ...grave.map(({ what }) => what)];
}

/** The findings that a person must still see to. */
export function openFindings({ findings }: Pick<Verification, "findings">): readonly Finding[] {
  return findings.filter(({ acknowledged }) => !acknowledged);
}

/** A row as it is read: what the chain's canonical form of a record lists, in its order, and three more. */
type Row = [
  kind: string,
  position: number,
  userId: Id,
  locationName: string,
  deviceName: string,
  deviceId: string,
  room: string,
  valorMicros: number,
  createdTimeMs: number,
  origin: string,
  provisional: number,
  bootId: string | null,
  line: string | null,
  request: number | null,
  sequence: number | null,
  monotonicNs: number | null,
  timeMs: number,
  voidedBy: number | null,
  hash: string,
];
/** Columns that are no part of the canonical form. */
const DERIVED = ["effective_ms", "voided_by", "lower(hex(hash))"];

/** One pass over the records, for the chain and the sums alike. */
function checkEntries(
  db: Database,
  heads: readonly KeptHead[],
  onProgress: (done: number, total: number) => void,
): Entries {
  const total = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  // Pages of arrays are read in half the time of single rows, and such an array is the canonical form all but its text.
  const page = db
    .prepare<[number, number], Row>(
      `SELECT 'sale', ${[...Object.values(RECORD_COLUMNS), ...DERIVED].join(", ")}
         FROM record LEFT JOIN boot USING (boot) WHERE record_id > ? ORDER BY record_id LIMIT ?`,
    )
    .raw();
  const findings = new Findings(db);
  const walk = new ChainWalk(db, findings, heads);
  const rollups = new RollupCheck(new LocalCalendar(rollupZone(db)));
  let records = 0;
  let last = Number.MIN_SAFE_INTEGER;
  for (let rows = page.all(last, PAGE); rows.length > 0; rows = page.all(last, PAGE)) {
    for (const row of rows) {
      const record: WalkedRecord = {
        position: row[1],
        userId: row[2],
        locationName: row[3],
        deviceId: row[5],
        valorMicros: row[7],
        createdTimeMs: row[8],
        provisional: row[10],
        bootId: row[11],
        monotonicNs: row[15],
        timeMs: row[16],
        voidedBy: row[17],
        hash: row[18],
      };
      row.length -= DERIVED.length;
      walk.record(record, JSON.stringify(row));
      if (record.voidedBy === null) rollups.add(record);
      last = record.position;
    }
    records += rows.length;
    if (rows.length === PAGE) onProgress(records, total);
  }
  const entries = walk.finish();
  rollups.finish(db, findings);
  return { records, entries, findings: findings.found, unlisted: findings.unlisted };
}
