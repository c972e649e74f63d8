import { valorFromMicros } from "../domain/amount.ts";
import type { Gap } from "../domain/gap.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { NewRecord, RecordPosition, StoredRecord } from "../domain/record.ts";
import { gapsAnswer, recordsAnswer } from "./answer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { pageQuery, recordsQuery, toRecordFilter } from "./schema.ts";

const DEFAULT_PAGE = 50;

export function recordEndpoints(reader: Pick<LedgerReader, "findRecords" | "gaps">): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/records",
      summary: "The user's records, newest first by time, in pages.",
      session: true,
      query: recordsQuery,
      status: 200,
      answer: recordsAnswer,
      errors: ["invalid", "unavailable", "internal"],
      run: ({ userId, query }) => {
        const { records, next } = reader.findRecords(userId, {
          filter: toRecordFilter(query),
          before: query.before === undefined ? null : positionOf(query.before),
          limit: query.limit ?? DEFAULT_PAGE,
        });
        return { status: "success", data: records.map(toStoredAnswer), next: cursorOf(next) };
      },
    }),
    endpoint({
      method: "get",
      path: "/gaps",
      summary: "Stretches in which edges of a line were lost, or nobody watched it, newest first, in pages.",
      session: true,
      query: pageQuery,
      status: 200,
      answer: gapsAnswer,
      errors: ["invalid", "unavailable", "internal"],
      run: ({ userId, query }) => {
        const limit = query.limit ?? DEFAULT_PAGE;
        const gaps = reader.gaps(userId, { before: query.before ?? null, limit });
        const next = gaps.length < limit ? null : (gaps.at(-1)?.gapId ?? null);
        return {
          status: "success",
          data: gaps.map((gap) => ({ gapId: gap.gapId, ...toGapAnswer(gap) })),
          next,
        };
      },
    }),
  ];
}

/** A position as clients hold it: a text that they give back as it is. */
function cursorOf(position: RecordPosition | null): string | null {
  return position === null ? null : `${position.timeMs}-${position.recordId}`;
}

function positionOf(cursor: string): RecordPosition {
  const [timeMs = 0, recordId = 0] = cursor.split("-").map(Number);
  return { timeMs, recordId };
}

/** A record as live events tell it. */
export function toRecordAnswer(recordId: number, record: NewRecord) {
  return {
    recordId,
    locationName: record.locationName,
    deviceName: record.deviceName,
    deviceId: record.deviceId,
    habitacion: record.room,
    valor: valorFromMicros(record.valorMicros),
    createdTime: record.createdTimeMs,
  };
}

export function toGapAnswer(gap: Gap) {
  return {
    line: gap.line,
    fromTime: gap.fromTimeMs,
    toTime: gap.toTimeMs,
    missed: gap.missed,
    missedRises: gap.missedRises,
    reason: gap.reason,
  };
}

function toStoredAnswer(record: StoredRecord) {
  return {
    ...toRecordAnswer(record.recordId, record),
    endedTime: record.endedTimeMs,
    origin: record.origin,
    provisional: record.provisional,
    voided: record.voided,
  };
}
