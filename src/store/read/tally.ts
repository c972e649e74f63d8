import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../../domain/amount.ts";
import { readCommits, readHead } from "../ledger/chain.ts";

/** What a ledger holds, short enough to compare two of them. */
export interface Tally {
  /** Number of the newest entry. */
  readonly position: number;
  /** Its hash, hexadecimal. */
  readonly head: string;
  /** Commits that made it. */
  readonly commits: number;
  /** Records, voided ones too. */
  readonly records: number;
  /** Sum of the records that count, in millionths, as a decimal text. */
  readonly totalMicros: string;
}

/**
 * Counts and adds the records up, in the caller's transaction. Units and millionths apart, because the sum of a lifetime and
 * of all users may leave 64 bits, and a backup must be proved all the same.
 */
export function tallyOf(db: Database): Tally {
  const { position, hash } = readHead(db);
  const {
    records = 0n,
    units,
    micros,
  } = db
    .prepare<[], { records: bigint; units: bigint | null; micros: bigint | null }>(
      `SELECT count(*) AS records, sum(valor_micros / ${MICROS_PER_UNIT}) FILTER (WHERE voided_by IS NULL) AS units,
                sum(valor_micros % ${MICROS_PER_UNIT}) FILTER (WHERE voided_by IS NULL) AS micros FROM record`,
    )
    .safeIntegers()
    .get() ?? {};
  const total = (units ?? 0n) * BigInt(MICROS_PER_UNIT) + (micros ?? 0n);
  return {
    ...{ position, head: hash, commits: readCommits(db) },
    ...{ records: Number(records), totalMicros: String(total) },
  };
}

/** The hash of one entry, hexadecimal; undefined where the ledger holds none of that number. */
export function entryHash(db: Database, position: number): string | undefined {
  return db
    .prepare<{ position: number }, string>(
      `SELECT lower(hex(hash)) FROM record WHERE record_id = @position
       UNION ALL SELECT lower(hex(hash)) FROM correction WHERE correction_id = @position
       UNION ALL SELECT lower(hex(hash)) FROM audit WHERE position = @position`,
    )
    .pluck()
    .get({ position });
}

/** Names of the ledger's locations, those of its sales too, at most ten. */
export function locationsOf(db: Database): readonly string[] {
  const names = db.prepare<[], string>(
    "SELECT name FROM location UNION SELECT DISTINCT location_name FROM rollup_month ORDER BY 1 LIMIT 10",
  );
  return names.pluck().all();
}
