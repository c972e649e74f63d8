import type { Database } from "better-sqlite3";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { PostedRecord } from "../domain/ledger.ts";
import type { Idempotency, NewRecord, Provisional, StoredRecord } from "../domain/record.ts";
import type { WriteContext } from "./command.ts";
import { saleInserter } from "./sale.ts";

/** A record `r` with its corrections: `v` takes it back, `t` gave it its time. */
export const RECORD_COLUMNS = `r.record_id AS recordId, location_name AS locationName, device_name AS deviceName,
            device_id AS deviceId, room, micros AS valorMicros, effective_ms AS createdTimeMs,
            ended_ms AS endedTimeMs, origin, provisional = 1 AND t.correction_id IS NULL AS provisional,
            v.noted_ms AS voidedMs, v.reason AS voidReason`;
export const RECORD_CORRECTIONS = `LEFT JOIN correction v ON v.correction_id = voided_by
       LEFT JOIN correction t ON t.record_id = r.record_id AND t.kind = 'time'`;

export interface RecordRow extends Omit<StoredRecord, "provisional" | "voided"> {
  readonly provisional: number;
  readonly voidedMs: number | null;
  readonly voidReason: string | null;
}

/** Records `r` that no correction has given their time. The first two terms choose the index. */
export const UNSETTLED = `provisional = 1 AND effective_ms = created_ms
  AND NOT EXISTS (SELECT 1 FROM correction c WHERE c.record_id = r.record_id AND c.kind = 'time')`;

export function recordReader(db: Database) {
  const provisional = db.prepare<[string, Id | null, Id | null], { waiting: number; count: number }>(
    `SELECT boot_id = ? AS waiting, count(*) AS count
       FROM record r INDEXED BY record_provisional JOIN boot USING (boot)
      WHERE ${UNSETTLED} AND (? IS NULL OR user_id = ?) GROUP BY waiting`,
  );
  return {
    provisional(bootId: string, userId: Id | null = null): Provisional {
      const counts = provisional.all(bootId, userId, userId);
      const of = (waiting: number) => counts.find((row) => row.waiting === waiting)?.count ?? 0;
      return { waiting: of(1), unplaced: of(0) };
    },
  };
}

export function recordCommands(db: Database, context: WriteContext) {
  const add = saleInserter(db, context);
  const known = db.prepare<[Id, string], { bodyHash: string; recordId: number }>(
    "SELECT body_hash AS bodyHash, record_id AS recordId FROM idempotency WHERE user_id = ? AND key = ?",
  );
  const remember = db.prepare<[Id, string, string, number, number, number | null, number]>(
    `INSERT INTO idempotency (user_id, key, body_hash, record_id, created_ms, boot, begun_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    /** Tells nothing: the writer's other half makes the change of what it sent, sparing both threads a copy. */
    addRecord(input: { userId: Id; record: NewRecord; idempotency: Idempotency | null }): PostedRecord {
      const { userId, record, idempotency } = input;
      if (idempotency !== null) {
        const earlier = known.get(userId, idempotency.key);
        if (earlier !== undefined) return repeated(earlier, idempotency);
      }
      const recordId = add({ userId, record, origin: "posted", provisional: false, source: null });
      if (idempotency !== null) {
        const { key, bodyHash } = idempotency;
        const nowMs = context.nowMs();
        const { boot, begunMs } = context.boots.nowStored() ?? { boot: null, begunMs: nowMs };
        remember.run(userId, key, bodyHash, recordId, nowMs, boot, begunMs);
      }
      return { recordId, repeated: false };
    },
  };
}

export function toRecord({ provisional, voidedMs, voidReason, ...row }: RecordRow): StoredRecord {
  const voided = voidedMs === null || voidReason === null ? null : { timeMs: voidedMs, reason: voidReason };
  return { ...row, provisional: provisional === 1, voided };
}

function repeated(earlier: { bodyHash: string; recordId: number }, idempotency: Idempotency): PostedRecord {
  if (earlier.bodyHash !== idempotency.bodyHash) {
    throw new FlancoError("unprocessable", "This Idempotency-Key was used for another record.", {
      hint: "Use a new key for a new record, and the same body when you post one again.",
    });
  }
  return { recordId: earlier.recordId, repeated: true };
}
