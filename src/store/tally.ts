import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import { daysOf, readArchives } from "./archive-statement.ts";
import { readHead } from "./chain.ts";

/** What a ledger holds, short enough to compare two of them. */
export interface Tally {
  /** Number of the newest entry. */
  readonly position: number;
  /** Its hash, hexadecimal. */
  readonly head: string;
  /** Records, voided and archived ones too. */
  readonly records: number;
  /** Sum of the records that count, archived ones too, in millionths, as a decimal text. */
  readonly sumMicros: string;
}

/** Counts and adds the records up, in the caller's transaction. */
export function tallyOf(db: Database): Tally {
  const { position, hash } = readHead(db);
  const between = db
    .prepare<[number, number], { records: bigint; units: bigint | null; micros: bigint | null }>(
      `SELECT count(*) AS records, sum(micros / ${MICROS_PER_UNIT}) FILTER (WHERE voided_by IS NULL) AS units,
              sum(micros % ${MICROS_PER_UNIT}) FILTER (WHERE voided_by IS NULL) AS micros
         FROM record WHERE record_id BETWEEN ? AND ?`,
    )
    .safeIntegers();
  const held = (first: number, last: number) => {
    const { records = 0n, units, micros } = between.get(first, last) ?? {};
    return { records: Number(records), micros: (units ?? 0n) * BigInt(MICROS_PER_UNIT) + (micros ?? 0n) };
  };
  let { records, micros: sum } = held(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const archives = readArchives(db);
  for (const { statement } of archives.list) {
    records += statement.records;
    for (const { sum: day } of daysOf(statement)) {
      sum += BigInt(day.units) * BigInt(MICROS_PER_UNIT) + BigInt(day.micros);
    }
  }
  // Those that are archived and not removed yet count with their archive.
  for (const { first, last } of archives.runs) {
    const waiting = held(first, last);
    records -= waiting.records;
    sum -= waiting.micros;
  }
  return { position, head: hash.toString("hex"), records, sumMicros: String(sum) };
}

/**
 * The hash that the chain has at this number, hexadecimal, also of an entry that was archived; undefined where nobody
 * can tell: of those that were archived together the last one's is known.
 */
export function chainHash(db: Database, position: number): string | undefined {
  const run = readArchives(db).runOf(position);
  return run?.last === position ? run.hash.toString("hex") : entryHash(db, position);
}

/** The hash of one entry, hexadecimal; undefined where the ledger holds none of that number. */
export function entryHash(db: Database, position: number): string | undefined {
  return db
    .prepare<[number, number], Buffer>(
      `SELECT hash FROM record WHERE record_id = ? UNION ALL SELECT hash FROM correction WHERE correction_id = ?`,
    )
    .pluck()
    .get(position, position)
    ?.toString("hex");
}
