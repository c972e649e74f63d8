import type { Api } from "./api.ts";
import type { Query, RecordsAnswer, StoredRecord } from "./shapes.ts";

/** Which records are meant. A part that is open is absent or empty. */
export type RecordQuery = Query<"get", "/api/record/sum">;

/** Some of the records that a query lets through, newest first by time. */
export interface RecordPage {
  readonly records: readonly StoredRecord[];
  /** The cursor of what comes after; null at the end. */
  readonly next: string | null;
}

/**
 * The first `most` records that a query lets through, from the newest or from a cursor on. The server looks at a bounded number of
 * rows for each request and may give none: so many requests are made, and further ones only where `goesOn` and none is found yet.
 */
export async function loadRecords(
  api: Pick<Api, "get">,
  query: RecordQuery,
  most: number,
  maxRequests: number,
  { from = null, goesOn = false }: { readonly from?: string | null; readonly goesOn?: boolean } = {},
): Promise<RecordPage> {
  const records: StoredRecord[] = [];
  let next: string | null = from;
  for (let asked = 0; asked < maxRequests || (goesOn && records.length === 0); asked += 1) {
    const limit = String(most - records.length);
    const answer: RecordsAnswer = await api.get("/api/record", {
      ...query,
      limit,
      before: next ?? undefined,
    });
    records.push(...answer.data);
    next = answer.next;
    if (next === null || records.length >= most) break;
  }
  return { records, next };
}
