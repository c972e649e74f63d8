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

/** An export whose rows are still to come. */
interface Export {
  readonly fileName: string;
  /** How many rows it will have; null where the server does not know before it has looked. */
  readonly rows: number | null;
  readonly body: ReadableStream<Uint8Array>;
}

/** Asks for records as comma-separated values. */
export async function openExport(
  api: Pick<Api, "stream">,
  query: Query<"get", "/api/export">,
): Promise<Export> {
  const { headers, body } = await api.stream("/api/export", query);
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
