import type { Language } from "../messages/language.ts";
import type { Api } from "./api.ts";

/** An export whose rows are still to come. */
export interface Export {
  readonly fileName: string;
  /** How many rows it will have; null where the server does not know before it has looked. */
  readonly rows: number | null;
  readonly body: ReadableStream<Uint8Array>;
}

const FALLBACK_NAME = "flanco.csv";

/** Asks for the records that a filter lets through (a query without `?`) as comma-separated values. */
export async function openExport(
  api: Pick<Api, "stream">,
  filter: string,
  language: Language,
): Promise<Export> {
  const query = new URLSearchParams(filter);
  query.set("lang", language);
  const response = await api.stream(`/api/export?${query}`);
  if (response.body === null) throw new TypeError("the export has no body");
  return {
    fileName: fileNameOf(response.headers.get("content-disposition")),
    rows: rowsOf(response.headers.get("x-flanco-rows")),
    body: response.body,
  };
}

/** The name that a Content-Disposition gives a file: `filename*` where it has one, else `filename`. */
export function fileNameOf(disposition: string | null): string {
  const header = disposition ?? "";
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded.trim());
    } catch {
      // Not encoded as it should be: the plain name is there for that.
    }
  }
  return /filename="([^"]+)"/i.exec(header)?.[1] ?? FALLBACK_NAME;
}

function rowsOf(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}
