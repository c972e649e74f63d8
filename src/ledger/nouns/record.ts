import type { Database } from "better-sqlite3";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader, PostedRecord } from "../../domain/ledger.ts";
import {
  type GivenToRecord,
  type Idempotency,
  type NewRecord,
  RECORD_COLUMNS,
  RECORD_FIELDS,
  type RecordEntry,
  type RecordOrigin,
  type StoredRecord,
} from "../../domain/record.ts";
import { selectList } from "../engine/chain.ts";
import type { WriteContext } from "../engine/commands.ts";
import { recordByNumber } from "../engine/numbers.ts";

const {
  position,
  userId,
  createdTimeMs,
  provisional,
  bootId,
  line,
  request,
  sequence,
  monotonicNs,
  ...SHOWN
} = RECORD_COLUMNS;

/** A record `r` with its corrections: `v` voids it, `t` gave it its time. */
export const SELECT_RECORD = `r.record_id AS recordId, ${selectList(SHOWN)}, effective_ms AS createdTimeMs,
            ended_ms AS endedTimeMs, provisional = 1 AND t.correction_id IS NULL AS provisional,
            v.noted_ms AS voidedMs, v.reason AS voidReason`;
export const RECORD_CORRECTIONS = `LEFT JOIN correction v ON v.correction_id = voided_by
       LEFT JOIN correction t ON t.correction_id = (SELECT max(correction_id) FROM correction c
                                                     WHERE c.record_id = r.record_id AND c.kind = 'time')`;

/** The name that the room of a record `r` has today: the room may have been renamed since. */
export const ROOM_TODAY = `coalesce((SELECT actuator_id FROM earlier_name e
  WHERE e.device_id = r.device_id AND e.name = r.room AND e.until_id >= r.record_id ORDER BY until_id LIMIT 1), r.room)`;

export interface RecordRow extends Omit<StoredRecord, "provisional" | "voided"> {
  readonly provisional: number;
  readonly voidedMs: number | null;
  readonly voidReason: string | null;
}

/** Records `r` that no correction has given their time. The first two terms choose the index. */
export const UNSETTLED = `provisional = 1 AND effective_ms = created_ms
  AND NOT EXISTS (SELECT 1 FROM correction c WHERE c.record_id = r.record_id AND c.kind = 'time')`;

/** Where an edge's record comes from, as the ledger keeps it. */
export interface RecordSource {
  readonly boot: number;
  readonly bootId: string;
  readonly line: string;
  readonly request: number;
  readonly sequence: number;
  readonly monotonicNs: number;
}

/** What a record is stored with. */
export interface RecordInput {
  readonly userId: Id;
  readonly record: NewRecord;
  readonly origin: RecordOrigin;
  /** Whether the clock was not trusted when it was made. */
  readonly provisional: boolean;
  /** Null for a record that was posted or imported. */
  readonly source: RecordSource | null;
  /** The key of an imported record. It is stored in the column of the line. */
  readonly importKey?: string;
}

/** The one way in which a record enters the ledger, numbered and linked into the chain. Gives it as it is stored. */
export function recordInserter(db: Database, { chain, calendar }: Pick<WriteContext, "chain" | "calendar">) {
  const stored = RECORD_FIELDS.filter((field) => field !== "bootId");
  const columns = [...stored.map((field) => RECORD_COLUMNS[field]), "effective_ms", "day", "boot", "hash"];
  const insert = db.prepare<(string | number | null)[]>(
    `INSERT INTO record (${columns.join(", ")}) VALUES (${columns.map((column) => (column === "hash" ? "unhex(?)" : "?")).join(", ")})`,
  );
  return ({ userId, record, origin, provisional, source, importKey }: RecordInput): GivenToRecord => {
    const entry: RecordEntry = {
      ...record,
      position: chain.next,
      userId,
      origin,
      provisional: provisional ? 1 : 0,
      bootId: source?.bootId ?? null,
      line: importKey ?? source?.line ?? null,
      request: source?.request ?? null,
      sequence: source?.sequence ?? null,
      monotonicNs: source?.monotonicNs ?? null,
      number: chain.numbers.take("record", userId),
    };
    const hash = chain.appendRecord(entry);
    const { createdTimeMs: timeMs } = record;
    const derived = [timeMs, calendar.dayOf(timeMs), source?.boot ?? null, hash];
    insert.run(...stored.map((field) => entry[field]), ...derived);
    return { recordId: entry.position, number: entry.number };
  };
}

export function recordReader(db: Database) {
  const unsettledBoots = db.prepare<[], { bootId: string; zeroMs: number }>(
    `SELECT boot_id AS bootId, zero_ms AS zeroMs FROM boot
      WHERE zero_ms IS NOT NULL
        AND (EXISTS (SELECT 1 FROM record r INDEXED BY record_provisional WHERE r.boot = boot.boot AND ${UNSETTLED})
             OR EXISTS (SELECT 1 FROM record WHERE ended_boot = boot.boot)
             OR EXISTS (SELECT 1 FROM gap WHERE gap.boot = boot.boot))`,
  );
  const byNumber = recordByNumber(db);
  const posted = db.prepare<[Id, string]>("SELECT 1 FROM idempotency WHERE user_id = ? AND key = ?");
  return {
    unsettledBoots: () => unsettledBoots.all(),
    recordOf(userId, number) {
      const recordId = byNumber.get({ userId, number });
      if (recordId !== undefined) return recordId;
      throw new FlancoError("not_found", "There is no record of that number.", {
        hint: "The records' numbers are on the page and in GET /api/record.",
      });
    },
    isPosted: (userId, key) => posted.get(userId, key) !== undefined,
  } satisfies Partial<LedgerReader>;
}

export function recordCommands(db: Database, context: WriteContext) {
  const add = recordInserter(db, context);
  const known = db.prepare<[Id, string], KnownPost>(
    `SELECT body_hash AS bodyHash, record_id AS recordId, (SELECT number FROM record r WHERE r.record_id = i.record_id) AS number
       FROM idempotency i WHERE user_id = ? AND key = ?`,
  );
  const remember = db.prepare<[Id, string, string, number, number, number | null, number]>(
    `INSERT INTO idempotency (user_id, key, body_hash, record_id, created_ms, boot, begun_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    /** Tells no change: the main thread makes it from the record that it sent, which spares a copy. */
    addRecord(userId, record, idempotency) {
      if (idempotency !== null) {
        const earlier = known.get(userId, idempotency.key);
        if (earlier !== undefined) return repeated(earlier, idempotency);
      }
      const posted = { userId, record, origin: "posted", provisional: false, source: null } as const;
      const given = add(posted);
      if (idempotency !== null) {
        const { key, bodyHash } = idempotency;
        const nowMs = context.nowMs();
        const { boot, begunMs } = context.boots.stamp(nowMs);
        remember.run(userId, key, bodyHash, given.recordId, nowMs, boot, begunMs);
      }
      return { ...given, repeated: false };
    },
  } satisfies Partial<LedgerCommands>;
}

export function toRecord({ provisional, voidedMs, voidReason, ...row }: RecordRow): StoredRecord {
  const voided = voidedMs === null || voidReason === null ? null : { timeMs: voidedMs, reason: voidReason };
  return { ...row, provisional: provisional === 1, voided };
}

type KnownPost = Omit<PostedRecord, "repeated"> & Pick<Idempotency, "bodyHash">;

function repeated({ bodyHash, ...earlier }: KnownPost, idempotency: Idempotency): PostedRecord {
  if (bodyHash !== idempotency.bodyHash) {
    throw new FlancoError("unprocessable", "This Idempotency-Key was used for another record.", {
      hint: "Use a new key for a new record, and the same body when you post one again.",
    });
  }
  return { ...earlier, repeated: true };
}
