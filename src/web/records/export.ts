import type { Api } from "../api/api.ts";

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
