import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../../domain/amount.ts";
import { type Actor, type AuditKind, SERVICE_ACTOR } from "../../domain/audit.ts";
import { NS_PER_MS } from "../../domain/clock.ts";
import { FlancoError, invalidField } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import { type GivenToRecord, justMade, type RecordActs, unknownRecord } from "../../domain/record.ts";
import type { WriteContext } from "../engine/commands.ts";
import { placeFinder } from "./device.ts";
import type { PaidTimes } from "./paid-time.ts";
import { tariffThen } from "./price.ts";
import {
  onceByKey,
  RECORD_CORRECTIONS,
  type RecordInput,
  type RecordRow,
  recordInserter,
  SELECT_RECORD,
  toRecord,
} from "./record.ts";

/** The most refunds of one sale in an answer, the newest ones. */
const MAX_LISTED = 100;

/** Of a record that a person entered, the audit entry that names the person is the next of the chain. */
const SELECT_ACT = `SELECT ${SELECT_RECORD},
  (SELECT coalesce(a.who, a.origin) FROM audit a WHERE a.position = r.record_id + 1 AND a.kind IN ('sale_added', 'record_refunded')) AS who
  FROM record r ${RECORD_CORRECTIONS}`;

type ActRow = RecordRow & { readonly who: string | null };

export function byHandReader(db: Database) {
  const one = db.prepare<[number], ActRow>(`${SELECT_ACT} WHERE r.record_id = ?`);
  const refunds = db.prepare<[Id, number], ActRow>(
    `${SELECT_ACT} WHERE r.user_id = ? AND r.refund_of = ? ORDER BY r.record_id DESC LIMIT ${MAX_LISTED}`,
  );
  const toAct = ({ who, ...row }: ActRow) => ({ record: toRecord(row), who });
  // One transaction: a record and its refunds are of the same commit.
  const read = db.transaction((userId: Id, recordId: number): RecordActs => {
    const [act] = one.all(recordId).map(toAct);
    if (act === undefined) throw unknownRecord();
    return { ...act, refunds: refunds.all(userId, act.record.number).map(toAct) };
  });
  return { recordActs: read } satisfies Partial<LedgerReader>;
}

/** What a person enters: sales that neither a relay nor a program has recorded, and refunds. */
export function byHandCommands(db: Database, context: WriteContext, paid: Pick<PaidTimes, "beginPosted">) {
  const add = recordInserter(db, context);
  const once = onceByKey(db, context);
  const tariffOf = tariffThen(db, context.calendar);
  const placeOf = placeFinder(db);
  const lineOfGap = db
    .prepare<[Id, number | null], string>("SELECT line FROM gap WHERE user_id = ? AND number = ?")
    .pluck();
  const { recordActs } = byHandReader(db);

  /** The one way in which a record of a person enters the ledger: its audit entry follows at once. */
  function enter(
    input: RecordInput,
    kind: AuditKind,
    details: Readonly<Record<string, string | number>>,
    by: Actor,
  ): GivenToRecord {
    const { userId, record, origin, provisional, refundOf = null, reason = null } = input;
    context.audit.requireFew(userId, by);
    const given = add(input);
    context.audit.note(kind, userId, { number: given.number, ...details }, by);
    const stored = justMade(record, { ...given, origin, provisional, refundOf, reason });
    context.tell({ kind: "record", userId, record: stored });
    return given;
  }

  return {
    addSale: (userId, { dId, room, timeMs, reason, gap, ...asked }, idempotency, by = SERVICE_ACTOR) =>
      once(userId, idempotency, () => {
        const { actuatorId, ...place } = placeOf(userId, { dId, room });
        const nowMs = context.nowMs();
        if (timeMs > nowMs) {
          const hint = `By the gateway's clock it is ${new Date(nowMs).toISOString()}.`;
          throw invalidField("time", "range", "must not be in the future", hint);
        }
        const line = gap === null ? null : lineOfGap.get(userId, gap);
        if (line === undefined) throw new FlancoError("not_found", `There is no gap ${gap}.`);
        const valorMicros = asked.valorMicros ?? tariffOf({ ...place, actuatorId }, timeMs).valorMicros;
        if (valorMicros === null) {
          throw invalidField("valor", "required", "is required: the room never had a price");
        }
        const record = { ...place, room, valorMicros, createdTimeMs: timeMs };
        const details = { room, valor: valorFromMicros(valorMicros), reason, ...(gap !== null && { gap }) };
        const ofGap = { line, sequence: gap };
        const input = { userId, record, origin: "by_hand", provisional: false, reason, ...ofGap } as const;
        const added = enter(input, "sale_added", details, by);
        paid.beginPosted(userId, added.recordId, record);
        return added;
      }),

    refundRecord: (userId, recordId, { valorMicros, reason }, idempotency, by = SERVICE_ACTOR) =>
      once(userId, idempotency, () => {
        const { record: sale } = recordActs(userId, recordId);
        const { number, locationName, deviceName, deviceId, room } = sale;
        if (sale.refundOf !== null)
          throw new FlancoError("conflict", `The record ${number} is a refund itself.`);
        if (sale.voided !== null)
          throw new FlancoError("conflict", `The record ${number} is void: it counts in no sum.`);
        const leftMicros = sale.valorMicros - sale.refundedMicros;
        if (valorMicros > leftMicros) {
          const left = valorFromMicros(Math.max(0, leftMicros));
          throw new FlancoError("conflict", `Of the record ${number}, ${left} is left to refund.`, {
            hint: left > 0 ? `Refund ${left} at most.` : "It has nothing that could be given back.",
          });
        }
        const names = { locationName, deviceName, deviceId, room };
        const record = { ...names, valorMicros: -valorMicros, createdTimeMs: context.nowMs() };
        // The moment of the running boot, by which the refund's time is set once the clock is.
        const now = context.boots.now();
        const moment = now && { ...now, monotonicNs: Math.round(now.monotonicMs * NS_PER_MS) };
        const input = { userId, record, refundOf: number, reason, ...moment } as const;
        const made = { ...input, origin: "refund", provisional: now?.timeMs === null } as const;
        const details = { sale: number, valor: valorFromMicros(valorMicros), reason };
        return enter(made, "record_refunded", details, by);
      }),
  } satisfies Partial<LedgerCommands>;
}
