import type { Api } from "./api.ts";
import type { RecordSumAnswer, RecordsAnswer } from "./shapes.ts";

const PAGE_RECORDS = 200;

/**
 * A page of the records that a filter lets through (a query without `?`), newest first by time, from the newest or from
 * a cursor on. A page may be empty and yet have a next one.
 */
export function loadRecords(
  api: Pick<Api, "get">,
  filter: string,
  before: string | null,
  limit = PAGE_RECORDS,
): Promise<RecordsAnswer> {
  const query = new URLSearchParams(filter);
  query.set("limit", String(limit));
  if (before !== null) query.set("before", before);
  return api.get(`/api/record?${query}`);
}

/** The first `most` records that a filter lets through, from at most `maxPages` pages. */
export async function loadFirstRecords(
  api: Pick<Api, "get">,
  filter: string,
  most: number,
  maxPages: number,
): Promise<RecordsAnswer["data"]> {
  const records: RecordsAnswer["data"][number][] = [];
  let next: string | null = null;
  for (let page = 0; page < maxPages && records.length < most; page += 1) {
    const answer: RecordsAnswer = await loadRecords(api, filter, next, Math.min(most, PAGE_RECORDS));
    records.push(...answer.data);
    next = answer.next;
    if (next === null) break;
  }
  return records.slice(0, most);
}

/** Number and sum of the records that a filter lets through, without void ones. */
export async function loadRecordSum(api: Pick<Api, "get">, filter: string): Promise<RecordSumAnswer["data"]> {
  return (await api.get<RecordSumAnswer>(`/api/record/sum?${filter}`)).data;
}

/** It stays to be seen and counts no more. Rejects with ApiFailure: 409 when it is void already. */
export function voidRecord(api: Api, recordId: number, reason: string): Promise<unknown> {
  return api.send("POST", "/api/record/void", { void: { recordId, reason } });
}
