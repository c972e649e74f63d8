import type { Database } from "better-sqlite3";
import { type Actor, SERVICE_ACTOR } from "../../domain/audit.ts";
import { type ReclockedBoot, type SalesSpan, wallTimeMs } from "../../domain/boot.ts";
import { MINUTE_MS, NANOSECONDS_PER_MILLISECOND, SECOND_MS } from "../../domain/clock.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { ClockCorrected } from "../../domain/ledger.ts";
import type { WriteContext } from "./commands.ts";
import { type CorrectedRecord, TARGET, timeMover } from "./correction.ts";

/** Records that are moved in one command: each takes a moment, and other writes wait meanwhile. */
const MAX_MOVED = 500;
const NS_PER_MS = Number(NANOSECONDS_PER_MILLISECOND);
/** A record `r` that is not where the boot's zero places it. What was recorded after the clock was set is there. */
const MISPLACED = `abs(effective_ms - (? + monotonic_ns / 1e6)) >= ${MINUTE_MS}`;

export function clockReader(db: Database) {
  const boots = db.prepare<[], { boot: number } & Omit<ReclockedBoot, "before" | "since">>(
    `SELECT boot, boot_id AS bootId, zero_ms AS zeroMs, set_zero_ms AS setZeroMs FROM boot
      WHERE set_zero_ms IS NOT NULL ORDER BY boot`,
  );
  const span = db.prepare<[number, number, Id | null, Id | null, number], SalesSpan>(
    `SELECT count(*) AS records, min(effective_ms) AS firstMs, max(effective_ms) AS lastMs
       FROM (SELECT effective_ms FROM record WHERE boot = ? AND ${MISPLACED} AND (? IS NULL OR user_id = ?) LIMIT ?)`,
  );
  const none: SalesSpan = { records: 0, firstMs: null, lastMs: null };
  return {
    /** Counts at most `most` sales of each kind and boot; all of them with -1. */
    reclocked: (userId: Id | null = null, most = -1): readonly ReclockedBoot[] =>
      boots.all().map(({ boot, ...times }) => ({
        ...times,
        before: span.get(boot, times.setZeroMs, userId, userId, most) ?? none,
        since: span.get(boot, times.zeroMs, userId, userId, most) ?? none,
      })),
  };
}

export function clockCorrectionCommands(db: Database, context: WriteContext) {
  const move = timeMover(db, context);
  const boot = db.prepare<
    [string],
    { boot: number; zeroMs: number; before: number; last: number; records: number }
  >(
    `SELECT b.boot, zero_ms AS zeroMs, coalesce(min(record_id), 1) - 1 AS before, coalesce(max(record_id), 0) AS last,
            count(record_id) AS records
       FROM boot b LEFT JOIN record r ON r.boot = b.boot WHERE boot_id = ? AND set_zero_ms IS NOT NULL GROUP BY b.boot`,
  );
  const misplaced = db.prepare<
    [number, number, number, number, number],
    CorrectedRecord & { monotonicNs: number }
  >(
    `SELECT ${TARGET}, monotonic_ns AS monotonicNs FROM record
      WHERE record_id > ? AND record_id <= ? AND boot = ? AND ${MISPLACED} ORDER BY record_id LIMIT ?`,
  );
  const count = db
    .prepare<[number, number], number>(`SELECT count(*) FROM record WHERE boot = ? AND ${MISPLACED}`)
    .pluck();
  // An end that the same clock gave is as far off as the record.
  const moveEnd = db.prepare<{ recordId: number; wasMs: number; timeMs: number }>(
    `UPDATE record SET ended_ms = ended_ms + @timeMs - @wasMs
      WHERE record_id = @recordId AND abs(ended_ms - @wasMs) < abs(ended_ms - @timeMs)`,
  );
  const close = db.prepare<[number, number]>(
    "UPDATE boot SET zero_ms = ?, set_zero_ms = NULL WHERE boot = ?",
  );

  return {
    correctClock(bootId: string, zeroMs: number, after: number, by: Actor = SERVICE_ACTOR): ClockCorrected {
      const of = boot.get(bootId);
      if (of === undefined) {
        throw new FlancoError(
          "not_found",
          "The clock of that boot was not set anew, or its sales were moved already.",
        );
      }
      if (after === 0) {
        const records = count.get(of.boot, zeroMs) ?? 0;
        const seconds = Math.round((zeroMs - of.zeroMs) / SECOND_MS);
        context.audit.note("clock_corrected", null, { bootId, zeroMs, records, seconds }, by);
      }
      const from = Math.max(after, of.before);
      const records = misplaced.all(from, of.last, of.boot, zeroMs, MAX_MOVED);
      for (const record of records) {
        const timeMs = wallTimeMs(zeroMs, record.monotonicNs / NS_PER_MS);
        moveEnd.run({ recordId: record.recordId, wasMs: record.timeMs, timeMs });
        move(record, timeMs, "the clock was set wrong");
      }
      const last = records.length < MAX_MOVED ? null : (records.at(-1)?.recordId ?? null);
      if (last === null) close.run(zeroMs, of.boot);
      return { moved: records.length, after: last };
    },
  };
}
