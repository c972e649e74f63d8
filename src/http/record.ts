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
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { seesMoney } from "../domain/member.ts";
import type { Sales } from "../domain/overview.ts";
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

const DEFAULT_PAGE = 50;

/**
 * Bounds for sums of one room, which walk its records: the page
 * asks again at every sale, without waiting for the last answer.
 */
const SUMS = { what: "sums", inAll: 3, waitingOfMember: 8 };

export function recordEndpoints(
  sales: WalkedReads & Pick<SalesReads, "sumRecords" | "gaps">,
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
        before: query.before === undefined ? null : positionOf(query.before),
        limit: query.limit ?? DEFAULT_PAGE,
      });
      return { data: records.map(toRecordAnswer), next: cursorOf(next) };
    }),
    serve(listGaps, async ({ userId, signedIn, query }) => {
      const limit = query.limit ?? DEFAULT_PAGE;
      const gaps = await sales.gaps(userId, { before: query.before ?? null, limit });
      const data = gaps.map((gap) => toGapAnswer(gap, seesMoney(signedIn.role)));
      return { data, next: data.length < limit ? null : (data.at(-1)?.number ?? null) };
    }),
  ];
}

export function voidEndpoint(
  reader: Pick<LedgerReader, "recordOf">,
  writer: Pick<LedgerWriter, "voidRecord">,
): Endpoint {
  return serve(voidRecord, async ({ userId, body, by }) => {
    const { number, reason } = body.void;
    await writer.voidRecord(reader.recordOf(userId, number), reason, by);
  });
}

/** A position as a text for clients, which they send back unchanged. */
function cursorOf(position: RecordPosition | null): string | null {
  return position === null ? null : `${position.timeMs}-${position.number}`;
}

function positionOf(cursor: string): RecordPosition {
  const [timeMs = 0, number = 0] = cursor.split("-").map(Number);
  return { timeMs, number };
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
): Promise<Sales> {
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

export function toRecordAnswer({
  recordId: _recordId,
  movedBy: _movedBy,
  room,
  valorMicros,
  createdTimeMs,
  endedTimeMs,
  ...same
}: StoredRecord & Partial<FoundRecord>): RecordAnswer {
  return {
    ...same,
    habitacion: room,
    valor: valorFromMicros(valorMicros),
    createdTime: createdTimeMs,
    endedTime: endedTimeMs,
  };
}

/** Without money, how much was lost is left out: each second lost edge is a sale. */
export function toGapAnswer(
  { fromTimeMs, toTimeMs, missed, missedRises, ...gap }: Gap,
  withMoney: boolean,
): GapAnswer {
  const lost = withMoney ? { missed, missedRises } : { missed: null, missedRises: null };
  return { ...gap, ...lost, fromTime: fromTimeMs, toTime: toTimeMs };
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
