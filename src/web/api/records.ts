import type { Api } from "./api.ts";
import type { Query, RecordsAnswer, StoredRecord } from "./shapes.ts";

const PAGE_RECORDS = 200;

/** Which records are meant. A part that is open is absent or empty. */
export type RecordQuery = Query<"get", "/api/record/sum">;

/**
 * A page of the records that a query lets through, newest first by time, from the newest or from a cursor on. A page may be
 * empty and yet have a next one.
 */
export function loadRecords(
  api: Pick<Api, "get">,
  query: RecordQuery,
  before: string | null,
  limit = PAGE_RECORDS,
): Promise<RecordsAnswer> {
  return api.get("/api/record", { ...query, limit: String(limit), before: before ?? undefined });
}

/** The first `most` records that a query lets through, from at most `maxPages` pages. */
export async function loadFirstRecords(
  api: Pick<Api, "get">,
  query: RecordQuery,
  most: number,
  maxPages: number,
): Promise<readonly StoredRecord[]> {
  const records: StoredRecord[] = [];
  let next: string | null = null;
  for (let page = 0; page < maxPages && records.length < most; page += 1) {
    const answer: RecordsAnswer = await loadRecords(api, query, next, Math.min(most, PAGE_RECORDS));
    records.push(...answer.data);
    next = answer.next;
    if (next === null) break;
  }
  return records.slice(0, most);
}
