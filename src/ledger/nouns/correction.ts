import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../../domain/amount.ts";
import { type Actor, SERVICE_ACTOR } from "../../domain/audit.ts";
import { type MisplacedSales, type ReclockedBoot, wallTimeMs } from "../../domain/boot.ts";
import type { CorrectionEntry } from "../../domain/chain-entry.ts";
import { NS_PER_MS, SECOND_MS } from "../../domain/clock.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import { unknownRecord } from "../../domain/record.ts";
import type { WriteContext } from "../engine/commands.ts";
import { misplacedBy } from "./boot.ts";
import { type PaidTimes, paidTimes } from "./paid-time.ts";
import { UNSETTLED } from "./record.ts";
import type { RollupEntry } from "./rollup.ts";

/** Records that are moved in one command: each takes a moment, and other writes wait meanwhile. */
const MAX_MOVED = 500;

/** A record that a correction is about. */
interface CorrectedRecord extends RollupEntry {
  readonly number: number;
  readonly timeMs: number;
  readonly voidedBy: number | null;
}

/** The same for a record of an edge. */
type TimedRecord = CorrectedRecord & { readonly monotonicNs: number };

const TARGET = `record_id AS recordId, user_id AS userId, location_name AS locationName, device_id AS deviceId,
                valor_micros AS valorMicros, effective_ms AS timeMs, day, voided_by AS voidedBy, refund_of IS NULL AS sales, number`;

/** A correction with its hash. SQLite gives an empty text for no anchor. */
export type CorrectionRow = CorrectionEntry & { readonly hash: string };
export const SELECT_CORRECTION = `SELECT correction_id AS position, kind, record_id AS recordId, time_ms AS timeMs,
  lost_from AS lostFrom, lost_to AS lostTo, lower(hex(anchor)) AS anchor, reason, noted_ms AS notedMs,
  lower(hex(hash)) AS hash FROM correction`;

export function toCorrection(row: CorrectionRow): CorrectionRow {
  return { ...row, anchor: row.anchor === "" ? null : row.anchor };
}

export function correctionCommands(db: Database, context: WriteContext) {
  const paid = paidTimes(db, context, voidRecord);
  const target = db.prepare<[number], CorrectedRecord>(`SELECT ${TARGET} FROM record WHERE record_id = ?`);
  const provisional = db.prepare<[string, number], TimedRecord>(
    `SELECT ${TARGET}, monotonic_ns AS monotonicNs
       FROM record r INDEXED BY record_provisional JOIN boot USING (boot)
      WHERE ${UNSETTLED} AND boot_id = ? ORDER BY record_id LIMIT ?`,
  );
  // Ends, gaps and levels are no entries of the chain: they are moved where they stand.
  const moveEnds = db.prepare<[number, string, number]>(
    `UPDATE record SET ended_ms = max(0, CAST(round(? + ended_ns / 1e6) AS INTEGER)), ended_boot = NULL, ended_ns = NULL
      WHERE record_id IN (SELECT record_id FROM record JOIN boot b ON b.boot = ended_boot WHERE boot_id = ? LIMIT ?)`,
  );
  const moveGaps = db.prepare<[number, number, string, number]>(
    `UPDATE gap SET to_ms = max(0, CAST(round(? + to_ns / 1e6) AS INTEGER)),
                    from_ms = iif(from_ns IS NULL, from_ms, max(0, CAST(round(? + from_ns / 1e6) AS INTEGER))),
                    boot = NULL, from_ns = NULL, to_ns = NULL
      WHERE gap_id IN (SELECT gap_id FROM gap JOIN boot USING (boot) WHERE boot_id = ? LIMIT ?)`,
  );
  const moveLevels = db.prepare<[number, string]>(
    `UPDATE line_state SET changed_ms = max(0, CAST(round(? + changed_ns / 1e6) AS INTEGER)), changed_provisional = 0
      WHERE changed_provisional = 1 AND changed_boot = (SELECT boot FROM boot WHERE boot_id = ?)`,
  );
  const refundsOf = db.prepare<[Id, number], CorrectedRecord>(
    `SELECT ${TARGET} FROM record INDEXED BY record_refund
      WHERE user_id = ? AND refund_of = ? AND voided_by IS NULL ORDER BY record_id`,
  );
  const markVoid = db.prepare<[number, number]>("UPDATE record SET voided_by = ? WHERE record_id = ?");
  const insert = db.prepare<[number, string, number, number | null, string, number, string]>(
    `INSERT INTO correction (correction_id, kind, record_id, time_ms, reason, noted_ms, hash)
     VALUES (?, ?, ?, ?, ?, ?, unhex(?))`,
  );
  const setTime = db.prepare<[number, number, number]>(
    "UPDATE record SET effective_ms = ?, day = ? WHERE record_id = ?",
  );
  const boot = db.prepare<
    [string],
    { boot: number; zeroMs: number; before: number; last: number; records: number }
  >(
    `SELECT b.boot, zero_ms AS zeroMs, coalesce(min(record_id), 1) - 1 AS before, coalesce(max(record_id), 0) AS last,
            count(record_id) AS records
       FROM boot b LEFT JOIN record r ON r.boot = b.boot WHERE boot_id = ? AND set_zero_ms IS NOT NULL GROUP BY b.boot`,
  );
  const misplaced = db.prepare<[number, number, number, number, number], TimedRecord>(
    `SELECT ${TARGET}, monotonic_ns AS monotonicNs FROM record
      WHERE record_id > ? AND record_id <= ? AND boot = ? AND ${misplacedBy("?")} ORDER BY record_id LIMIT ?`,
  );
  const counts = db.prepare<[number, number], { userId: Id; records: number }>(
    `SELECT user_id AS userId, count(*) AS records FROM record WHERE boot = ? AND ${misplacedBy("?")} GROUP BY user_id`,
  );
  // The end was stamped by the same clock, so it moves by as much as the record.
  const moveEnd = db.prepare<{ recordId: number; wasMs: number; timeMs: number }>(
    `UPDATE record SET ended_ms = ended_ms + @timeMs - @wasMs
      WHERE record_id = @recordId AND abs(ended_ms - @wasMs) < abs(ended_ms - @timeMs)`,
  );
  const close = db.prepare<[number, number]>(
    "UPDATE boot SET zero_ms = ?, set_zero_ms = NULL WHERE boot = ?",
  );

  /** The one way in which a correction of a record enters the ledger. Gives its number. */
  function correct(kind: "void" | "time", recordId: number, timeMs: number | null, reason: string): number {
    const notedMs = context.nowMs();
    const lost = { lostFrom: null, lostTo: null, anchor: null };
    const entry = { kind, recordId, timeMs, reason, notedMs, ...lost };
    const { position, hash } = context.chain.appendCorrection(entry);
    insert.run(position, kind, recordId, timeMs, reason, notedMs, hash);
    return position;
  }

  /** The one way in which a record gets another time. */
  function move(record: CorrectedRecord, timeMs: number, reason: string): void {
    const { recordId, userId, voidedBy, number } = record;
    const day = context.calendar.dayOf(timeMs);
    correct("time", recordId, timeMs, reason);
    setTime.run(timeMs, day, recordId);
    if (voidedBy === null) {
      context.rollups.move(record, -1);
      context.rollups.move({ ...record, day }, 1);
    }
    context.tell({ kind: "time", userId, number, locationName: record.locationName, timeMs });
    paid.tellMoved(recordId);
  }

  /** The one way in which a record is voided. */
  function voidOne(record: CorrectedRecord, reason: string, by: Actor): void {
    const { recordId, userId, number } = record;
    markVoid.run(correct("void", recordId, null, reason), recordId);
    context.rollups.move(record, -1);
    const valor = valorFromMicros(record.valorMicros);
    context.audit.note("record_voided", userId, { number, valor, reason }, by);
    const voided = { timeMs: context.nowMs(), reason };
    context.tell({ kind: "void", userId, number, locationName: record.locationName, voided });
    paid.free(recordId);
  }

  function voidRecord(recordId: number, reason: string, by = SERVICE_ACTOR): void {
    const record = target.get(recordId);
    if (record === undefined) throw unknownRecord();
    if (record.voidedBy !== null) throw new FlancoError("conflict", "The record is void already.");
    voidOne(record, reason, by);
    // The sale is as if it had not been, and so is what was given back of it.
    for (const refund of refundsOf.all(record.userId, record.number)) voidOne(refund, reason, by);
  }

  return {
    paid,
    voidRecord,

    settleTimes(bootId, zeroMs) {
      const decided = paid.settle(bootId, MAX_MOVED);
      if (zeroMs === null) return { moved: 0, more: decided === MAX_MOVED };
      const records = provisional.all(bootId, MAX_MOVED);
      for (const record of records) move(record, timeOf(record, zeroMs), "the clock is trusted now");
      const ends = moveEnds.run(zeroMs, bootId, MAX_MOVED).changes;
      const gaps = moveGaps.run(zeroMs, zeroMs, bootId, MAX_MOVED).changes;
      moveLevels.run(zeroMs, bootId);
      return { moved: records.length, more: Math.max(records.length, ends, gaps, decided) === MAX_MOVED };
    },

    correctClock(bootId, zeroMs, after, by = SERVICE_ACTOR) {
      const of = boot.get(bootId);
      if (of === undefined) {
        const message = "The clock of that boot was not set anew, or its sales were moved already.";
        throw new FlancoError("not_found", message);
      }
      if (after === 0) {
        const seconds = Math.round((zeroMs - of.zeroMs) / SECOND_MS);
        const moved = counts.all(of.boot, zeroMs);
        // An entry for each account: none may count the sales of others.
        for (const { userId, records } of moved.length > 0 ? moved : [{ userId: null, records: 0 }])
          context.audit.note("clock_corrected", userId, { bootId, zeroMs, records, seconds }, by);
      }
      const from = Math.max(after, of.before);
      const records = misplaced.all(from, of.last, of.boot, zeroMs, MAX_MOVED);
      for (const record of records) {
        const timeMs = timeOf(record, zeroMs);
        moveEnd.run({ recordId: record.recordId, wasMs: record.timeMs, timeMs });
        move(record, timeMs, "the clock was set wrong");
      }
      const last = records.length < MAX_MOVED ? null : (records.at(-1)?.recordId ?? null);
      if (last === null) close.run(zeroMs, of.boot);
      return { moved: records.length, after: last };
    },
  } satisfies Partial<LedgerCommands> & { readonly paid: PaidTimes };
}

/** The wall time of a record by the zero of its boot. */
function timeOf({ monotonicNs }: TimedRecord, zeroMs: number): number {
  return wallTimeMs(zeroMs, monotonicNs / NS_PER_MS);
}

export function clockReader(db: Database) {
  const boots = db.prepare<[], { boot: number } & Omit<ReclockedBoot, "before" | "since">>(
    `SELECT boot, boot_id AS bootId, zero_ms AS zeroMs, set_zero_ms AS setZeroMs FROM boot
      WHERE set_zero_ms IS NOT NULL ORDER BY boot`,
  );
  const span = db.prepare<{ boot: number; zeroMs: number; userId: Id | null; most: number }, MisplacedSales>(
    `SELECT count(*) AS records, min(effective_ms) AS firstMs, max(effective_ms) AS lastMs,
            CAST(round(coalesce(iif(max(by_ms) > -min(by_ms), max(by_ms), min(by_ms)), 0)) AS INTEGER) AS byMs
       FROM (SELECT effective_ms, @zeroMs + monotonic_ns / 1e6 - effective_ms AS by_ms FROM record
              WHERE boot = @boot AND ${misplacedBy("@zeroMs")} AND (@userId IS NULL OR user_id = @userId) LIMIT @most)`,
  );
  const none: MisplacedSales = { records: 0, firstMs: null, lastMs: null, byMs: 0 };
  return {
    /** Counts at most `most` sales of each kind and boot; all of them with -1. */
    reclocked: (userId: Id | null = null, most = -1) =>
      boots.all().map(({ boot, ...times }) => ({
        ...times,
        before: span.get({ boot, zeroMs: times.setZeroMs, userId, most }) ?? none,
        since: span.get({ boot, zeroMs: times.zeroMs, userId, most }) ?? none,
      })),
  } satisfies Partial<LedgerReader>;
}
