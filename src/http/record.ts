import { setImmediate as turn } from "node:timers/promises";
import type { QueryOf } from "../contract/declaration.ts";
import { type Gap as GapAnswer, listGaps } from "../contract/gap.ts";
import { listRecords, type Record as RecordAnswer, sumRecords, voidRecord } from "../contract/record.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Gap } from "../domain/gap.ts";
import type { Id } from "../domain/id.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { HeavyReads, LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Sold } from "../domain/overview.ts";
import type { FoundRecord, RecordFilter, RecordPosition, StoredRecord } from "../domain/record.ts";
import { type Endpoint, serve } from "./router.ts";
import type { ShownNumbers } from "./shown-number.ts";

const DEFAULT_PAGE = 50;

/** Sums of one room are walks. The page asks anew at every sale and does not wait for the answer before. */
const SUMS = { what: "sums", inAll: 3, waitingOfUser: 8 };

type RecordReader = WalkedReader & Pick<LedgerReader, "gaps">;

export function recordEndpoints(
  reader: RecordReader,
  reads: Pick<HeavyReads, "sumRecords">,
  writer: Pick<LedgerWriter, "voidRecord">,
  numbers: ShownNumbers,
): readonly Endpoint[] {
  return [
    serve(
      sumRecords,
      async ({ userId, query }) => {
        const { count, totalMicros } = await sumOf(reader, reads, userId, toRecordFilter(query));
        return { data: { sales: count, revenue: valorFromMicros(totalMicros) } };
      },
      new JobSlots(SUMS),
    ),
    serve(voidRecord, async ({ userId, body, by }) => {
      const { recordId, reason } = body.void;
      await writer.voidRecord(numbers.find(recordId), reason, by, userId);
    }),
    serve(listRecords, ({ userId, query }) => {
      const { records, next } = reader.findRecords(userId, {
        filter: toRecordFilter(query),
        before: query.before === undefined ? null : positionOf(query.before, numbers),
        limit: query.limit ?? DEFAULT_PAGE,
      });
      return {
        data: records.map((record) => toRecordAnswer(record, numbers)),
        next: cursorOf(next, numbers),
      };
    }),
    serve(listGaps, ({ userId, query }) => {
      const limit = query.limit ?? DEFAULT_PAGE;
      const before = query.before === undefined ? null : numbers.find(query.before);
      const data = reader.gaps(userId, { before, limit }).map((gap) => toGapAnswer(gap, numbers));
      return { data, next: data.length < limit ? null : (data.at(-1)?.gapId ?? null) };
    }),
  ];
}

/** A position as clients hold it: a text that they give back as it is. */
function cursorOf(position: RecordPosition | null, numbers: ShownNumbers): string | null {
  return position === null ? null : `${position.timeMs}-${numbers.show(position.recordId)}`;
}

function positionOf(cursor: string, numbers: ShownNumbers): RecordPosition {
  const [timeMs = 0, recordId = 0] = cursor.split("-").map(Number);
  return { timeMs, recordId: numbers.find(recordId) };
}

/** A query's filters as the ledger takes them. */
export function toRecordFilter(query: Omit<QueryOf<typeof listRecords>, "before" | "limit">): RecordFilter {
  const { from = null, to = null, location = null, device = null, room = null, roomPart = null } = query;
  return { from, to, location, deviceId: device, room, roomPart };
}

/** From the rollups, which know no rooms; the records of a room are walked. */
async function sumOf(
  reader: WalkedReader,
  reads: Pick<HeavyReads, "sumRecords">,
  userId: Id,
  filter: RecordFilter,
): Promise<Sold> {
  const { room, roomPart, ...place } = filter;
  if (room === null && roomPart === null) return reads.sumRecords(userId, place);
  let [count, totalMicros] = [0, 0n];
  for await (const records of walkRecords(reader, userId, filter)) {
    for (const { voided, valorMicros } of records) {
      if (voided !== null) continue;
      count += 1;
      totalMicros += BigInt(valorMicros);
    }
  }
  return { count, totalMicros };
}

export function toRecordAnswer(record: StoredRecord, numbers: ShownNumbers): RecordAnswer {
  const { locationName, deviceName, deviceId, origin, provisional, voided } = record;
  return {
    recordId: numbers.show(record.recordId),
    ...{ locationName, deviceName, deviceId },
    habitacion: record.room,
    valor: valorFromMicros(record.valorMicros),
    createdTime: record.createdTimeMs,
    endedTime: record.endedTimeMs,
    ...{ origin, provisional, voided },
  };
}

export function toGapAnswer({ fromTimeMs, toTimeMs, ...gap }: Gap, numbers: ShownNumbers): GapAnswer {
  return { ...gap, gapId: numbers.show(gap.gapId), fromTime: fromTimeMs, toTime: toTimeMs };
}

/** Records of one piece: about a millisecond's reading and writing out. */
const PIECE = 100;

/** What a walk needs of the ledger. */
export type WalkedReader = Pick<LedgerReader, "findRecords" | "findMoved" | "newestEntry">;

/**
 * Every matching record of the ledger at the time the walk begins, each once, newest first, in pages. Each page is a
 * read of its own: other requests run between them, and a slow reader keeps no old state of the file alive. Records that
 * are added meanwhile are left out. A record that is moved meanwhile, because the clock was set, may jump over the walk's
 * position in either direction. It comes last, unless it was returned at its old position. A record that is voided after
 * it was returned stays counted.
 */
export async function* walkRecords(
  reader: WalkedReader,
  userId: Id,
  filter: RecordFilter,
): AsyncGenerator<readonly FoundRecord[]> {
  const start = reader.newestEntry();
  /** Given out before their time was set: they alone can move. */
  const doubtful = new Set<number>();
  let before: RecordPosition | null = null;
  do {
    const { records, next } = reader.findRecords(userId, { filter, before, limit: PIECE });
    yield records.filter(({ recordId, movedBy, provisional }) => {
      if (provisional) doubtful.add(recordId);
      return recordId <= start && (movedBy ?? 0) <= start;
    });
    before = next;
    await turn();
  } while (before !== null);
  let after: number | null = start;
  while (after !== null) {
    const { records, next } = reader.findMoved(userId, { filter, since: start, after, limit: PIECE });
    yield records.filter(({ recordId }) => !doubtful.has(recordId));
    after = next;
    if (after !== null) await turn();
  }
}
