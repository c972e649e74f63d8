import type { Database } from "better-sqlite3";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { PageRequest, PostedRecord } from "../domain/ledger.ts";
import type { Idempotency, NewRecord, StoredRecord } from "../domain/record.ts";
import type { WriteContext } from "./command.ts";

export function recordReader(db: Database) {
  const page = db.prepare<[Id, number, number], StoredRecord>(
    `SELECT record_id AS recordId, location_name AS locationName, device_name AS deviceName,
            device_id AS deviceId, room, micros AS valorMicros, created_ms AS createdTimeMs,
            ended_ms AS endedTimeMs, origin
       FROM record WHERE user_id = ? AND record_id < ? ORDER BY record_id DESC LIMIT ?`,
  );
  return {
    records: (userId: Id, request: PageRequest): readonly StoredRecord[] =>
      page.all(userId, request.before ?? Number.MAX_SAFE_INTEGER, request.limit),
  };
}

export function recordCommands(db: Database, context: WriteContext) {
  const insert = db.prepare<[Id, string, string, string, string, number, number]>(
    `INSERT INTO record (user_id, location_name, device_name, device_id, room, micros, created_ms, origin)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'posted')`,
  );
  const known = db.prepare<[Id, string], { bodyHash: string; recordId: number }>(
    "SELECT body_hash AS bodyHash, record_id AS recordId FROM idempotency WHERE user_id = ? AND key = ?",
  );
  const remember = db.prepare<[Id, string, string, number, number]>(
    "INSERT INTO idempotency (user_id, key, body_hash, record_id, created_ms) VALUES (?, ?, ?, ?, ?)",
  );
  return {
    /** Tells nothing: the writer's other half makes the change of what it sent, sparing both threads a copy. */
    addRecord(input: { userId: Id; record: NewRecord; idempotency: Idempotency | null }): PostedRecord {
      const { userId, record, idempotency } = input;
      if (idempotency !== null) {
        const earlier = known.get(userId, idempotency.key);
        if (earlier !== undefined) return repeated(earlier, idempotency);
      }
      const recordId = Number(
        insert.run(
          userId,
          record.locationName,
          record.deviceName,
          record.deviceId,
          record.room,
          record.valorMicros,
          record.createdTimeMs,
        ).lastInsertRowid,
      );
      if (idempotency !== null) {
        remember.run(userId, idempotency.key, idempotency.bodyHash, recordId, context.nowMs());
      }
      context.rollups.note({ userId, micros: record.valorMicros, ...record });
      return { recordId, repeated: false };
    },
  };
}

function repeated(earlier: { bodyHash: string; recordId: number }, idempotency: Idempotency): PostedRecord {
  if (earlier.bodyHash !== idempotency.bodyHash) {
    throw new FlancoError("unprocessable", "This Idempotency-Key was used for another record.", {
      hint: "Use a new key for a new record, and the same body when you post one again.",
    });
  }
  return { recordId: earlier.recordId, repeated: true };
}
