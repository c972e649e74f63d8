import { useEffect, useRef, useState } from "preact/hooks";
import { openExport } from "../api/export.ts";
import { useVisit } from "../frame/visit.ts";
import type { Language } from "../messages/language.ts";
import { RowCount } from "./row-count.ts";

/** How an export stands. `all` is null where the server does not know before it has looked. */
export type ExportState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly rows: number; readonly all: number | null }
  | { readonly kind: "saved"; readonly rows: number; readonly fileName: string }
  /** It ended before all its rows were there. */
  | { readonly kind: "short"; readonly rows: number; readonly all: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed" };

export interface ExportControl {
  readonly state: ExportState;
  /** `filter` is a query without `?`. */
  readonly start: (filter: string, language: Language) => void;
  readonly cancel: () => void;
  /** Forgets how it went. */
  readonly clear: () => void;
}

/** One run of an export. */
interface Attempt {
  isCancelled: boolean;
  stop: () => void;
}

const TELL_EVERY_MS = 100;
/** A browser may still be reading what it was told to save. */
const KEEP_SAVED_MS = 60_000;

/** Fetches an export, counts its rows as they come, and saves it once all of them are there. */
export function useExport(): ExportControl {
  const { api } = useVisit();
  const [state, setState] = useState<ExportState>({ kind: "none" });
  const current = useRef<Attempt | null>(null);
  useEffect(() => () => current.current?.stop(), []);

  const run = async (own: Attempt, filter: string, language: Language): Promise<ExportState> => {
    const { fileName, rows: all, body } = await openExport(api, filter, language);
    const reader = body.getReader();
    own.stop = () => {
      own.isCancelled = true;
      void reader.cancel();
    };
    if (own.isCancelled) await reader.cancel();
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const count = new RowCount();
    let toldMs = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (own.isCancelled) return { kind: "cancelled" };
      if (done) break;
      pieces.push(new Uint8Array(value));
      count.add(value);
      if (performance.now() - toldMs < TELL_EVERY_MS) continue;
      toldMs = performance.now();
      setState({ kind: "running", rows: count.rows, all });
    }
    if (all !== null && count.rows < all) return { kind: "short", rows: count.rows, all };
    save(new Blob(pieces, { type: "text/csv;charset=utf-8" }), fileName);
    return { kind: "saved", rows: count.rows, fileName };
  };

  const start = (filter: string, language: Language) => {
    current.current?.stop();
    const own: Attempt = {
      isCancelled: false,
      stop: () => {
        own.isCancelled = true;
      },
    };
    current.current = own;
    // One that was cancelled has said so already, and another may be under way by now.
    const tell = (next: ExportState) => {
      if (!own.isCancelled) setState(next);
    };
    setState({ kind: "running", rows: 0, all: null });
    run(own, filter, language)
      .then(tell)
      .catch((error: unknown) => {
        console.warn(error);
        tell({ kind: "failed" });
      });
  };
  return {
    state,
    start,
    cancel: () => {
      current.current?.stop();
      setState({ kind: "cancelled" });
    },
    clear: () => {
      current.current?.stop();
      setState({ kind: "none" });
    },
  };
}

function save(content: Blob, fileName: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEEP_SAVED_MS);
}
