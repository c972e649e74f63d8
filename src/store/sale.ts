import type { Database } from "better-sqlite3";
import type { Id } from "../domain/id.ts";
import type { NewRecord, RecordOrigin } from "../domain/record.ts";
import type { WriteContext } from "./command.ts";

/** Where an edge's record comes from, as the ledger keeps it. */
export interface RecordSource {
  readonly boot: number;
  readonly bootId: string;
  readonly line: string;
  readonly request: number;
  readonly sequence: number;
  readonly monotonicNs: number;
}

/** What a record is stored with. `source` is null for a posted one. */
export interface Sale {
  readonly userId: Id;
  readonly record: NewRecord;
  readonly origin: RecordOrigin;
  /** Whether the clock was not trusted when it was made. */
  readonly provisional: boolean;
  readonly source: RecordSource | null;
}

type Stored = string | number | Buffer | null;

/** Gives the one way in which a record enters the ledger: linked into the chain and added up. */
export function saleInserter(db: Database, context: Pick<WriteContext, "chain" | "rollups">) {
  const insert = db.prepare<Stored[]>(
    `INSERT INTO record (record_id, user_id, location_name, device_name, device_id, room, micros, created_ms,
                         effective_ms, origin, provisional, boot, line, request, sequence, monotonic_ns, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ userId, record, origin, provisional, source }: Sale): number => {
    const { locationName, deviceName, deviceId, room, valorMicros: micros, createdTimeMs } = record;
    const { line = null, request = null, sequence = null, monotonicNs = null } = source ?? {};
    const entry = context.chain.appendSale({
      userId,
      locationName,
      deviceName,
      deviceId,
      room,
      micros,
      createdMs: createdTimeMs,
      origin,
      provisional: provisional ? 1 : 0,
      bootId: source?.bootId ?? null,
      line,
      request,
      sequence,
      monotonicNs,
    });
    insert.run(
      entry.position,
      userId,
      locationName,
      deviceName,
      deviceId,
      room,
      micros,
      createdTimeMs,
      createdTimeMs,
      origin,
      provisional ? 1 : 0,
      source?.boot ?? null,
      line,
      request,
      sequence,
      monotonicNs,
      entry.hash,
    );
    context.rollups.note({ userId, locationName, deviceId, micros, timeMs: createdTimeMs });
    return entry.position;
  };
}
