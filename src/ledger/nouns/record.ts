import type { Database } from "better-sqlite3";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader, PostedRecord } from "../../domain/ledger.ts";
import type { Doubt } from "../../domain/paid-time.ts";
import {
  type GivenToRecord,
  type Idempotency,
  type NewRecord,
  RECORD_COLUMNS,
  RECORD_FIELDS,
  type RecordEntry,
  type StoredRecord,
  unknownRecord,
} from "../../domain/record.ts";
import { selectList } from "../engine/chain.ts";
import type { WriteContext } from "../engine/commands.ts";
import { recordByNumber } from "../engine/numbers.ts";
import type { PaidTimes } from "./paid-time.ts";

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

/** What was given back of a record `r`. */
export const REFUNDED = `(SELECT coalesce(-sum(f.valor_micros), 0) FROM record f INDEXED BY record_refund
  WHERE f.user_id = r.user_id AND f.refund_of = r.number AND f.voided_by IS NULL)`;
const ofPaidTime = (column: string) => `(SELECT ${column} FROM paid_time q WHERE q.record_id = r.record_id)`;

/** A record `r` with its corrections: `v` voids it, `t` gave it its time. */
export const SELECT_RECORD = `r.record_id AS recordId, ${selectList(SHOWN, "r.")}, effective_ms AS createdTimeMs,
            ended_ms AS endedTimeMs, provisional = 1 AND t.correction_id IS NULL AS provisional,
            v.noted_ms AS voidedMs, v.reason AS voidReason, ${REFUNDED} AS refundedMicros,
            ${ofPaidTime("paid_ms")} AS paidMs, ${ofPaidTime("doubt")} AS doubt`;
export const RECORD_CORRECTIONS = `LEFT JOIN correction v ON v.correction_id = voided_by
       LEFT JOIN correction t ON t.correction_id = (SELECT max(correction_id) FROM correction c
                                                     WHERE c.record_id = r.record_id AND c.kind = 'time')`;

/** The name that the room of a record `r` has today: the room may have been renamed since. */
export const ROOM_TODAY = `coalesce((SELECT actuator_id FROM earlier_name e
  WHERE e.device_id = r.device_id AND e.name = r.room AND e.until_id >= r.record_id ORDER BY until_id LIMIT 1), r.room)`;

export interface RecordRow extends Omit<StoredRecord, "provisional" | "voided" | "paid"> {
  readonly provisional: number;
  readonly voidedMs: number | null;
  readonly voidReason: string | null;
  readonly paidMs: number | null;
  readonly doubt: Doubt | null;
}

/** Records `r` that no correction has given their time. The first two terms choose the index. */
export const UNSETTLED = `provisional = 1 AND effective_ms = created_ms
  AND NOT EXISTS (SELECT 1 FROM correction c WHERE c.record_id = r.record_id AND c.kind = 'time')`;

/** What only some records have. */
const NOTHING = {
  bootId: null,
  line: null,
  request: null,
  sequence: null,
  monotonicNs: null,
  refundOf: null,
  reason: null,
};

/**
 * What a record is stored with. An edge's record has a whole source, a refund its moment alone, an imported record its
 * key as the line, and a sale by hand for a gap the gap's line, with the gap's number as `sequence`.
 */
export interface RecordInput
  extends Pick<RecordEntry, "userId" | "origin">,
    Partial<Pick<RecordEntry, keyof typeof NOTHING>> {
  readonly record: NewRecord;
  /** Whether the clock was not trusted when it was made. */
  readonly provisional: boolean;
  /** The ledger's number of the boot. */
  readonly boot?: number;
}

/** The one way in which a record enters the ledger, numbered and linked into the chain. Gives it as it is stored. */
export function recordInserter(db: Database, { chain, calendar }: Pick<WriteContext, "chain" | "calendar">) {
  const stored = RECORD_FIELDS.filter((field) => field !== "bootId");
  const columns = [...stored.map((field) => RECORD_COLUMNS[field]), "effective_ms", "day", "boot", "hash"];
  const insert = db.prepare<(string | number | null)[]>(
    `INSERT INTO record (${columns.join(", ")}) VALUES (${columns.map((column) => (column === "hash" ? "unhex(?)" : "?")).join(", ")})`,
  );
  return ({ record, provisional, boot, ...known }: RecordInput): GivenToRecord => {
    const entry: RecordEntry = {
      ...NOTHING,
      ...record,
      ...known,
      position: chain.next,
      provisional: Number(provisional),
      number: chain.numbers.take("record", known.userId),
    };
    const hash = chain.appendRecord(entry);
    const { createdTimeMs: timeMs } = record;
    const derived = [timeMs, calendar.dayOf(timeMs), boot ?? null, hash];
    insert.run(...stored.map((field) => entry[field]), ...derived);
    return { recordId: entry.position, number: entry.number, valorMicros: entry.valorMicros };
  };
}

export function recordReader(db: Database) {
  const unsettledBoots = db.prepare<[], { bootId: string; zeroMs: number | null }>(
    `SELECT boot_id AS bootId, zero_ms AS zeroMs FROM boot
      WHERE EXISTS (SELECT 1 FROM paid_time p INDEXED BY paid_time_open JOIN record r USING (record_id)
                     WHERE doubt = 'open' AND r.boot = boot.boot)
        AND (zero_ms IS NOT NULL OR boot < (SELECT max(boot) FROM boot))
         OR zero_ms IS NOT NULL
        AND (EXISTS (SELECT 1 FROM record r INDEXED BY record_provisional WHERE r.boot = boot.boot AND ${UNSETTLED})
             OR EXISTS (SELECT 1 FROM record WHERE ended_boot = boot.boot)
             OR EXISTS (SELECT 1 FROM gap WHERE gap.boot = boot.boot)) ORDER BY boot`,
  );
  const byNumber = recordByNumber(db);
  const posted = db.prepare<[Id, string]>("SELECT 1 FROM idempotency WHERE user_id = ? AND key = ?");
  return {
    unsettledBoots: () => unsettledBoots.all(),
    recordOf(userId, number) {
      const recordId = byNumber.get({ userId, number });
      if (recordId === undefined) throw unknownRecord();
      return recordId;
    },
    isPosted: (userId, key) => posted.get(userId, key) !== undefined,
  } satisfies Partial<LedgerReader>;
}

/** Gives what adds a record once for each key of an account: a repeated call gives the record that is there. */
export function onceByKey(db: Database, context: WriteContext) {
  const known = db.prepare<[Id, string], KnownPost>(
    `SELECT body_hash AS bodyHash, i.record_id AS recordId, number, valor_micros AS valorMicros
       FROM idempotency i LEFT JOIN record r USING (record_id) WHERE i.user_id = ? AND key = ?`,
  );
  const remember = db.prepare<[Id, string, string, number, number, number | null, number]>(
    `INSERT INTO idempotency (user_id, key, body_hash, record_id, created_ms, boot, begun_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return (userId: Id, idempotency: Idempotency | null, add: () => GivenToRecord): PostedRecord => {
    if (idempotency !== null) {
      const earlier = known.get(userId, idempotency.key);
      if (earlier !== undefined) return repeated(earlier, idempotency);
    }
    const given = add();
    if (idempotency !== null) {
      const { key, bodyHash } = idempotency;
      const nowMs = context.nowMs();
      const { boot, begunMs } = context.boots.stamp(nowMs);
      remember.run(userId, key, bodyHash, given.recordId, nowMs, boot, begunMs);
    }
    return { ...given, repeated: false };
  };
}

export function recordCommands(db: Database, context: WriteContext, paid: Pick<PaidTimes, "beginPosted">) {
  const add = recordInserter(db, context);
  const once = onceByKey(db, context);
  return {
    /** Tells no change: the main thread makes it from the record that it sent, which spares a copy. */
    addRecord: (userId, record, idempotency) =>
      once(userId, idempotency, () => {
        const given = add({ userId, record, origin: "posted", provisional: false });
        paid.beginPosted(userId, given.recordId, record);
        return given;
      }),
  } satisfies Partial<LedgerCommands>;
}

export function toRecord({
  provisional,
  voidedMs,
  voidReason,
  paidMs,
  doubt,
  ...row
}: RecordRow): StoredRecord {
  const voided = voidedMs === null || voidReason === null ? null : { timeMs: voidedMs, reason: voidReason };
  const untilMs = row.createdTimeMs + (paidMs ?? 0);
  const paid = paidMs === null ? null : { untilMs, isDoubtful: doubt !== "none" };
  return { ...row, provisional: provisional === 1, voided, paid };
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
