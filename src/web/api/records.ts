import type { Api } from "./api.ts";
import type { Overview, OverviewAnswer, RecordSumAnswer, RecordsAnswer } from "./shapes.ts";

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

/** What to sum up. An undefined part is left open. */
export interface OverviewFilter {
  readonly period: Overview["period"];
  /** A day of the period, the last one of a week; undefined is today. */
  readonly at: string | undefined;
  /** A location's name. */
  readonly location: string | undefined;
  /** A device's id. */
  readonly device: string | undefined;
}

export async function loadOverview(
  api: Pick<Api, "get">,
  { period, at, location, device }: OverviewFilter,
): Promise<Overview> {
  const query = new URLSearchParams({ period });
  if (at !== undefined) query.set("at", at);
  if (location !== undefined) query.set("location", location);
  if (device !== undefined) query.set("device", device);
  return (await api.get<OverviewAnswer>(`/api/overview?${query}`)).data;
}

/** An export whose rows are still to come. */
interface Export {
  readonly fileName: string;
  /** How many rows it will have; null where the server does not know before it has looked. */
  readonly rows: number | null;
  readonly body: ReadableStream<Uint8Array>;
}

/** Asks for records as comma-separated values. `query`: a filter and the language, without `?`. */
export async function openExport(api: Pick<Api, "stream">, query: string): Promise<Export> {
  const { headers, body } = await api.stream(`/api/export?${query}`);
  if (body === null) throw new TypeError("the export has no body");
  const rows = headers.get("x-flanco-rows");
  const [, fileName = "flanco.csv"] =
    /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "") ?? [];
  return { fileName, rows: rows === null ? null : Number(rows), body };
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/** Counts the rows of comma-separated values as they come, in pieces of any size. A line break between quotes is none. */
export class RowCount {
  #rows = 0;
  #isQuoted = false;

  /** Finished rows so far, the header's left out. */
  get rows(): number {
    return Math.max(0, this.#rows - 1);
  }

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === LINE_FEED && !this.#isQuoted) this.#rows += 1;
    }
  }
}
