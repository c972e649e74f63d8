import { setImmediate as turn } from "node:timers/promises";
import type { Context } from "koa";
import type { QueryOf } from "../contract/declaration.ts";
import {
  addSale,
  type Gap as GapAnswer,
  getPriceThen,
  getRecord,
  listGaps,
  listRecords,
  type Record as RecordAnswer,
  refundRecord,
  sumRecords,
  voidRecord,
} from "../contract/record.ts";
import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import type { Gap } from "../domain/gap.ts";
import type { Id } from "../domain/id.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { seesMoney } from "../domain/member.ts";
import type { Sales } from "../domain/overview.ts";
import {
  type ActedRecord,
  type FoundMoved,
  type FoundRecord,
  type FoundRecords,
  type GivenToRecord,
  isBefore,
  type MovedSearch,
  type RecordFilter,
  type RecordPosition,
  type StoredRecord,
  unknownRecord,
} from "../domain/record.ts";
import type { SalesReads } from "../domain/sales.ts";
import type { SignedInMember } from "./auth/session.ts";
import { idempotencyOf } from "./data.ts";
import { lineSight } from "./limit.ts";
import { toSoldAnswer } from "./overview.ts";
import { type Endpoint, requireClient, serve } from "./router.ts";

const DEFAULT_PAGE = 50;

/**
 * Bounds for sums of one room, which walk its records: the page
 * asks again at every sale, without waiting for the last answer.
 */
const SUMS = { what: "sums", inAll: 3, waitingOfMember: 8 };

export function recordEndpoints(
  sales: WalkedReads & Pick<SalesReads, "sumRecords" | "gaps" | "devices" | "wirings">,
): readonly Endpoint[] {
  return [
    serve(
      sumRecords,
      async ({ userId, within, query, context }) => {
        return { data: toSoldAnswer(await sumOf(sales, userId, toRecordFilter(query, within), context)) };
      },
      new JobSlots(SUMS),
    ),
    serve(listRecords, async ({ userId, within, query }) => {
      const { records, next } = await sales.findRecords(userId, {
        filter: toRecordFilter(query, within),
        before: query.before === undefined ? null : positionOf(query.before),
        limit: query.limit ?? DEFAULT_PAGE,
      });
      return { data: records.map(toRecordAnswer), next: cursorOf(next) };
    }),
    serve(listGaps, async ({ signedIn, query, context }) => {
      const limit = query.limit ?? DEFAULT_PAGE;
      const found: Gap[] = [];
      for await (const gaps of walkGaps(sales, signedIn, query.before)) {
        requireClient(context);
        found.push(...gaps);
        if (found.length > limit) break;
      }
      const seen = found.slice(0, limit);
      const next = found.length > limit ? (seen.at(-1)?.number ?? null) : null;
      return { data: seen.map((gap) => toGapAnswer(gap, seesMoney(signedIn.role))), next };
    }),
  ];
}

/** What people do to records, on the gateway that has them. */
export function enteredEndpoints(
  reader: Pick<LedgerReader, "recordOf" | "recordActs" | "priceAt">,
  writer: Pick<LedgerWriter, "voidRecord" | "addSale" | "refundRecord">,
): readonly Endpoint[] {
  const toEntered = ({ number, valorMicros }: GivenToRecord) => ({
    data: { number, valor: valorFromMicros(valorMicros) },
  });
  return [
    serve(voidRecord, async ({ userId, body, by }) => {
      const { number, reason } = body.void;
      await writer.voidRecord(reader.recordOf(userId, number), reason, by);
    }),
    serve(addSale, async ({ userId, body, by, context }) => {
      const { dId, room, time, valor, reason, gap = null } = body.sale;
      const valorMicros = valor === undefined ? null : microsFromValor(valor);
      const sale = { dId, room, timeMs: time, valorMicros, reason, gap };
      const key = idempotencyOf(context, ["sale", ...Object.values(sale)]);
      return toEntered(await writer.addSale(userId, sale, key, by));
    }),
    serve(refundRecord, async ({ userId, body, by, context }) => {
      const { number, valor, reason } = body.refund;
      const refund = { valorMicros: microsFromValor(valor), reason };
      const key = idempotencyOf(context, ["refund", number, ...Object.values(refund)]);
      return toEntered(await writer.refundRecord(userId, reader.recordOf(userId, number), refund, key, by));
    }),
    serve(getRecord, ({ userId, within, query: { number } }) => {
      const { record, who, refunds } = reader.recordActs(userId, reader.recordOf(userId, number));
      if (within?.includes(record.locationName) === false) throw unknownRecord();
      const toActed = ({ record, who }: ActedRecord) => ({ record: toRecordAnswer(record), who });
      return { data: { ...toActed({ record, who }), refunds: refunds.map(toActed) } };
    }),
    serve(getPriceThen, ({ userId, query: { time, ...room } }) => {
      const valorMicros = reader.priceAt(userId, room, time);
      return { data: { valor: valorMicros === null ? null : valorFromMicros(valorMicros) } };
    }),
  ];
}

/** A position as a text for clients, which they send back unchanged. */
function cursorOf(position: RecordPosition | null): string | null {
  return position === null ? null : `${position.timeMs}-${position.number}`;
}

function positionOf(cursor: string): RecordPosition {
  const [timeMs = 0, number = 0] = cursor.split("-").map(Number);
  return { timeMs, number };
}

export function toRecordFilter(
  query: Omit<QueryOf<typeof listRecords>, "before" | "limit">,
  within: RecordFilter["within"],
): RecordFilter {
  const { from = null, to = null, location = null, device = null, room = null, roomPart = null } = query;
  const { number, state } = query;
  return { from, to, location, deviceId: device, room, roomPart, number, state, within };
}

/**
 * The sum of the records, from the rollups; with a filter by what
 * rollups do not have, such as a room, by a walk over the records.
 */
async function sumOf(
  sales: WalkedReads & Pick<SalesReads, "sumRecords">,
  userId: Id,
  filter: RecordFilter,
  context: Context,
): Promise<Sales> {
  const { room, roomPart, number, state, ...place } = filter;
  const isRolledUp = room === null && roomPart === null && number === undefined && state === undefined;
  if (isRolledUp) return sales.sumRecords(userId, place);
  let [count, totalMicros] = [0, 0n];
  for await (const records of walkRecords(sales, userId, filter)) {
    requireClient(context);
    for (const { voided, refundOf, valorMicros } of records) {
      if (voided !== null) continue;
      if (refundOf === null) count += 1;
      totalMicros += BigInt(valorMicros);
    }
  }
  return { count, totalMicros };
}

export function toRecordAnswer({
  recordId: _recordId,
  movedBy: _movedBy,
  room,
  valorMicros,
  refundedMicros,
  createdTimeMs,
  endedTimeMs,
  paid,
  ...same
}: StoredRecord & Partial<FoundRecord>): RecordAnswer {
  return {
    ...same,
    habitacion: room,
    valor: valorFromMicros(valorMicros),
    refunded: valorFromMicros(refundedMicros),
    createdTime: createdTimeMs,
    endedTime: endedTimeMs,
    paid: paid && { until: paid.untilMs, doubtful: paid.isDoubtful },
  };
}

/** Gaps of one piece. */
const GAPS_AT_ONCE = 500;

/** Walks the gaps of the lines that a member may see, newest first: those below the number `before`, if it is given. */
export async function* walkGaps(
  sales: Pick<SalesReads, "gaps" | "devices" | "wirings">,
  member: SignedInMember,
  before?: number,
): AsyncGenerator<readonly Gap[]> {
  const isSeen = await lineSight(sales, member);
  for (let next: number | null = before ?? null; ; ) {
    const gaps: readonly Gap[] = await sales.gaps(member.userId, { before: next, limit: GAPS_AT_ONCE });
    yield gaps.filter(({ line }) => isSeen(line));
    if (gaps.length < GAPS_AT_ONCE) return;
    next = gaps.at(-1)?.number ?? null;
    await turn();
  }
}

/** Without money, how much was lost is left out: each second lost edge is a sale. */
export function toGapAnswer(
  { fromTimeMs, toTimeMs, missed, missedRises, added, ...gap }: Gap,
  withMoney: boolean,
): GapAnswer {
  const lost = withMoney ? { missed, missedRises, added } : { missed: null, missedRises: null, added: null };
  return { ...gap, ...lost, fromTime: fromTimeMs, toTime: toTimeMs };
}

/** Records of one piece: to read and write them out takes about a millisecond. */
const PIECE = 50;

export type WalkedReads = Pick<SalesReads, "findRecords" | "findMoved" | "mark">;

/**
 * Walks every matching record at the beginning of the walk, each once, newest first, in pages. Each
 * page is a read of its own: other requests run in between, and a slow reader keeps no old state of
 * the file alive. Records that are added meanwhile are left out. A record that is moved meanwhile,
 * because the clock was set, may jump over the walk's position in either direction; it comes last,
 * unless it was given at its old position. A record that is voided after it was given stays counted.
 */
export async function* walkRecords(
  sales: WalkedReads,
  userId: Id,
  filter: RecordFilter,
): AsyncGenerator<readonly FoundRecord[]> {
  const start = await sales.mark();
  /** Records that were given without a trusted time. Only these can move. */
  const doubtful = new Set<number>();
  let before: RecordPosition | null = null;
  do {
    const { records, next }: FoundRecords = await sales.findRecords(userId, { filter, before, limit: PIECE });
    yield records.filter(({ recordId, movedBy, provisional }) => {
      if (provisional) doubtful.add(recordId);
      return isBefore(start, recordId) && (movedBy === null || isBefore(start, movedBy));
    });
    before = next;
    await turn();
  } while (before !== null);
  let after: number | null = null;
  do {
    const search: MovedSearch = { filter, since: start, after, limit: PIECE };
    const { records, next }: FoundMoved = await sales.findMoved(userId, search);
    yield records.filter(({ recordId }) => !doubtful.has(recordId));
    after = next;
    if (after !== null) await turn();
  } while (after !== null);
}
