import type { Database } from "better-sqlite3";
import { firstDayOf, lastDayOf, type Month, monthOf } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import type { Archives } from "./archive-statement.ts";
import type { LocalCalendar } from "./calendar.ts";

/** A month's records that are in the ledger. */
export interface MonthRecords {
  /** Numbers of those that may be archived, by user. */
  readonly records: number[];
  /** How many may not: of no known time, the last of a wired line, or what a hole in the chain is tied to. */
  staying: number;
  /** Whether an idempotency key still answers for one of them. */
  keyed: boolean;
}

interface Row {
  readonly recordId: number;
  readonly timeMs: number;
  readonly unsettled: number;
  readonly keyed: number;
}

/** The records of months before `before`, or of one month alone, by local month. In the caller's transaction. */
export function recordsByMonth(
  db: Database,
  calendar: LocalCalendar,
  archives: Archives,
  months: { readonly before: Month } | { readonly only: Month },
): ReadonlyMap<Month, MonthRecords> {
  const [fromMs, untilMs] = stretch(calendar, months);
  const bound = tiedRecords(db);
  const rows = db.prepare<[Id, number, number], Row>(
    `SELECT r.record_id AS recordId, effective_ms AS timeMs,
            (provisional = 1 AND effective_ms = created_ms) OR ended_boot IS NOT NULL AS unsettled,
            EXISTS (SELECT 1 FROM idempotency i WHERE i.record_id = r.record_id) AS keyed
       FROM record r INDEXED BY record_by_time WHERE user_id = ? AND effective_ms >= ? AND effective_ms < ?`,
  );
  const found = new Map<Month, MonthRecords>();
  for (const userId of usersWithRecords(db)) {
    for (const { recordId, timeMs, unsettled, keyed } of rows.iterate(userId, fromMs, untilMs)) {
      const month = monthOf(calendar.dayOf(timeMs));
      const wanted = "only" in months ? month === months.only : month < months.before;
      if (!wanted || archives.runOf(recordId) !== undefined) continue;
      const held = found.get(month) ?? { records: [], staying: 0, keyed: false };
      found.set(month, held);
      if (unsettled === 1 || bound.has(recordId)) held.staying += 1;
      else held.records.push(recordId);
      if (keyed === 1) held.keyed = true;
    }
  }
  return found;
}

/** Everybody who has a record, removed users too. */
export function usersWithRecords(db: Database): readonly Id[] {
  return db.prepare<[], Id>("SELECT DISTINCT user_id FROM record ORDER BY user_id").pluck().all();
}

/** Where a month's records lie, in Unix milliseconds, with some of its neighbours'. */
export function stretch(
  calendar: LocalCalendar,
  months: { readonly before: Month } | { readonly only: Month },
): readonly [number, number] {
  if ("only" in months) {
    const { fromMs, untilMs } = calendar.stretchOf(firstDayOf(months.only), lastDayOf(months.only));
    return [fromMs, untilMs];
  }
  const first = firstDayOf(months.before);
  return [Number.MIN_SAFE_INTEGER, calendar.stretchOf(first, first).insideFromMs];
}

/** Records that something refers to which stays: a line's last one, and the one behind a hole in the chain. */
function tiedRecords(db: Database): ReadonlySet<number> {
  const tied = db
    .prepare<[], number>(
      `SELECT record_id FROM line_state WHERE record_id IS NOT NULL
       UNION SELECT lost_to + 1 FROM correction WHERE kind = 'lost' AND lost_to IS NOT NULL
       UNION SELECT record_id FROM correction WHERE record_id IS NOT NULL AND correction_id IN
         (SELECT lost_to + 1 FROM correction WHERE kind = 'lost')`,
    )
    .pluck();
  return new Set(tied.all());
}
