import { setImmediate as turn } from "node:timers/promises";
import type { Context } from "koa";
import type { QueryOf } from "../contract/declaration.ts";
import {
  type Gap as GapAnswer,
  listGaps,
  listRecords,
  type Record as RecordAnswer,
  sumRecords,
  voidRecord,
} from "../contract/record.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Gap } from "../domain/gap.ts";
import type { Id } from "../domain/id.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import { seesMoney } from "../domain/member.ts";
import type { Sold } from "../domain/overview.ts";
import {
  type FoundMoved,
  type FoundRecord,
  type FoundRecords,
  isBefore,
  type MovedSearch,
  type RecordFilter,
  type RecordPosition,
  type StoredRecord,
} from "../domain/record.ts";
import type { SalesReads } from "../domain/sales.ts";
import { toSoldAnswer } from "./overview.ts";
import { type Endpoint, requireClient, serve } from "./router.ts";
import type { ShownNumbers } from "./shown-number.ts";

const DEFAULT_PAGE = 50;

/**
 * Bounds for sums of one room, which walk its records: the page
 * asks again at every sale, without waiting for the last answer.
 */
const SUMS = { what: "sums", inAll: 3, waitingOfMember: 8 };

/** How numbers of records are shown to accounts. */
export type ShownAs = Pick<ShownNumbers, "show" | "find">;

export function recordEndpoints(
  sales: WalkedReads & Pick<SalesReads, "sumRecords" | "gaps">,
  numbers: ShownAs,
): readonly Endpoint[] {
  return [
    serve(
      sumRecords,
      async ({ userId, query, context }) => {
        return { data: toSoldAnswer(await sumOf(sales, userId, toRecordFilter(query), context)) };
      },
      new JobSlots(SUMS),
    ),
    serve(listRecords, async ({ userId, query }) => {
      const { records, next } = await sales.findRecords(userId, {
        filter: toRecordFilter(query),
        before: query.before === undefined ? null : positionOf(query.before, numbers),
        limit: query.limit ?? DEFAULT_PAGE,
      });
      return {
        data: records.map((record) => toRecordAnswer(record, numbers)),
        next: cursorOf(next, numbers),
      };
    }),
    serve(listGaps, async ({ userId, signedIn, query }) => {
      const limit = query.limit ?? DEFAULT_PAGE;
      const before = query.before === undefined ? null : numbers.find(query.before);
      const gaps = await sales.gaps(userId, { before, limit });
      const data = gaps.map((gap) => toGapAnswer(gap, numbers, seesMoney(signedIn.role)));
      return { data, next: data.length < limit ? null : (data.at(-1)?.gapId ?? null) };
    }),
  ];
}

export function voidEndpoint(writer: Pick<LedgerWriter, "voidRecord">, numbers: ShownAs): Endpoint {
  return serve(voidRecord, async ({ userId, body, by }) => {
    const { recordId, reason } = body.void;
    await writer.voidRecord(numbers.find(recordId), reason, by, userId);
  });
}

/** A position as a text for clients, which they send back unchanged. */
function cursorOf(position: RecordPosition | null, numbers: ShownAs): string | null {
  return position === null ? null : `${position.timeMs}-${numbers.show(position.recordId)}`;
}

function positionOf(cursor: string, numbers: ShownAs): RecordPosition {
  const [timeMs = 0, recordId = 0] = cursor.split("-").map(Number);
  return { timeMs, recordId: numbers.find(recordId) };
}

export function toRecordFilter(query: Omit<QueryOf<typeof listRecords>, "before" | "limit">): RecordFilter {
  const { from = null, to = null, location = null, device = null, room = null, roomPart = null } = query;
  return { from, to, location, deviceId: device, room, roomPart };
}

/**
 * The sum of the records, from the rollups; with a filter by
 * room, which rollups do not have, by a walk over the records.
 */
async function sumOf(
  sales: WalkedReads & Pick<SalesReads, "sumRecords">,
  userId: Id,
  filter: RecordFilter,
  context: Context,
): Promise<Sold> {
  const { room, roomPart, ...place } = filter;
  if (room === null && roomPart === null) return sales.sumRecords(userId, place);
  let [count, totalMicros] = [0, 0n];
  for await (const records of walkRecords(sales, userId, filter)) {
    requireClient(context);
    for (const { voided, valorMicros } of records) {
      if (voided !== null) continue;
      count += 1;
      totalMicros += BigInt(valorMicros);
    }
  }
  return { count, totalMicros };
}

export function toRecordAnswer(record: StoredRecord, numbers: ShownAs): RecordAnswer {
  const { locationName, deviceName, deviceId, origin, provisional, voided } = record;
  return {
    recordId: numbers.show(record.recordId),
    locationName,
    deviceName,
    deviceId,
    habitacion: record.room,
    valor: valorFromMicros(record.valorMicros),
    createdTime: record.createdTimeMs,
    endedTime: record.endedTimeMs,
    origin,
    provisional,
    voided,
  };
}

/** Without money, how much was lost is left out: each second lost edge is a sale. */
export function toGapAnswer(
  { fromTimeMs, toTimeMs, missed, missedRises, ...gap }: Gap,
  numbers: ShownAs,
  withMoney: boolean,
): GapAnswer {
  const lost = withMoney ? { missed, missedRises } : { missed: null, missedRises: null };
  return { ...gap, ...lost, gapId: numbers.show(gap.gapId), fromTime: fromTimeMs, toTime: toTimeMs };
}

/** Records of one piece: to read and write them out takes about a millisecond. */
const PIECE = 100;

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
