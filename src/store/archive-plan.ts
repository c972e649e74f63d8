import type { Database } from "better-sqlite3";
import { type ArchivableMonth, confirmedDay, firstKeptMonth, type RetentionPlan } from "../domain/archive.ts";
import type { ProvenBackup } from "../domain/backup.ts";
import { type Day, type Month, monthOf } from "../domain/day.ts";
import { recordsByMonth } from "./archive-set.ts";
import { readArchives } from "./archive-statement.ts";
import { LocalCalendar } from "./calendar.ts";
import { openForReading } from "./open.ts";
import { chainHash } from "./tally.ts";
import { rollupZone } from "./verify.ts";

/** More than the days that confirm a clock. */
const LAST_SALE_DAYS = 3;

export interface RetentionRequest {
  readonly ledger: string;
  /** Months that stay, this one included; 0: all of them. */
  readonly keepMonths: number;
  /** Wall time in Unix milliseconds, and whether it is trusted. */
  readonly nowMs: number;
  readonly clockTrusted: boolean;
  /** The proven backups that there are. */
  readonly backups: readonly ProvenBackup[];
}

/** The newest backup that holds what the ledger holds. */
export interface Covering {
  readonly position: number;
  readonly month: Month;
}

/** What retention would do with a ledger that may be written to meanwhile. Throws as `openForReading` does. */
export function planRetention(request: RetentionRequest): RetentionPlan {
  const db = openForReading(request.ledger);
  try {
    return db.transaction(() => planIn(db, request).plan)();
  } finally {
    db.close();
  }
}

/** The same, in the caller's transaction, and by which backup. */
export function planIn(
  db: Database,
  request: RetentionRequest,
): { readonly plan: RetentionPlan; readonly covering: Covering | undefined } {
  const { keepMonths, nowMs, clockTrusted } = request;
  const none = (waits: string) => ({ plan: { keptFrom: null, waits, months: [] }, covering: undefined });
  if (keepMonths === 0) return none("keep_months is 0: everything is kept.");
  if (!clockTrusted)
    return none("The clock is not trusted: nothing is archived until the network has set it.");
  const calendar = new LocalCalendar(rollupZone(db));
  const trusted = request.backups.filter((backup) => backup.clockTrusted);
  const today = calendar.dayOf(nowMs);
  const day = confirmedDay(
    today,
    trusted.map(({ madeMs }) => calendar.dayOf(madeMs)),
    lastSaleDays(db, today),
  );
  if (day === undefined) {
    return none("The clock is to be confirmed first: by sales, and by proven backups, of three days each.");
  }
  const keptFrom = firstKeptMonth(day, keepMonths);
  const covering = coveringBackup(db, trusted, calendar);
  const found = recordsByMonth(db, calendar, readArchives(db), { before: keptFrom });
  const months = [...found]
    .toSorted(([one], [other]) => one - other)
    .map(([month, { records, staying, keyed }]): ArchivableMonth => {
      const last = records.reduce((newest, position) => Math.max(newest, position), 0);
      return { month, records: records.length, staying, waits: waitsFor(month, last, keyed, covering) };
    })
    .filter(({ records }) => records > 0);
  return { plan: { keptFrom, waits: null, months }, covering };
}

/** Why a month whose newest entry is `last` cannot be archived yet; null when it can. */
export function waitsFor(
  month: Month,
  last: number,
  keyed: boolean,
  covering: Covering | undefined,
): string | null {
  if (keyed) return "records were posted with an Idempotency-Key in the last 7 days";
  if (covering === undefined) return "there is no proven backup of this ledger";
  if (covering.month <= month || covering.position < last) return "no proven backup holds all of it";
  return null;
}

function lastSaleDays(db: Database, today: Day): readonly Day[] {
  return db
    .prepare<[Day, number], Day>(
      "SELECT DISTINCT day FROM rollup_day WHERE count > 0 AND day <= ? ORDER BY day DESC LIMIT ?",
    )
    .pluck()
    .all(today, LAST_SALE_DAYS);
}

/** A backup whose newest entry is none of this ledger's is of another history. */
function coveringBackup(
  db: Database,
  trusted: readonly ProvenBackup[],
  calendar: LocalCalendar,
): Covering | undefined {
  const newest = trusted
    .toSorted((one, other) => other.position - one.position)
    .find(({ position, head }) => chainHash(db, position) === head);
  return newest && { position: newest.position, month: monthOf(calendar.dayOf(newest.madeMs)) };
}
