import { useEffect, useRef, useState } from "preact/hooks";
import type { Api } from "../api/api.ts";
import { openExport, type RecordQuery, RowCount } from "../api/records.ts";
import { Button } from "../element/button.tsx";
import { Dialog, useDialogs } from "../element/dialog.tsx";
import { Notice } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { elementTexts } from "../messages/element.ts";
import { recordsTexts } from "../messages/records.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";

/** `all` is null where the server does not know the number of rows before it has looked. */
type ExportState =
  | { readonly kind: "running"; readonly rows: number; readonly all: number | null }
  | { readonly kind: "saved"; readonly rows: number; readonly fileName: string }
  /** It ended before all its rows were there. */
  | { readonly kind: "short"; readonly rows: number; readonly all: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed" };

const PROGRESS_EVERY_MS = 100;
/** A browser may still be reading what it was told to save. */
const KEEP_SAVED_MS = 60_000;

/** Downloads an export for as long as it is shown, with its progress and a way to stop it. */
export function ExportDialog({ query }: { readonly query: RecordQuery }) {
  const texts = useTexts(recordsTexts);
  const { cancel, close, retry } = useTexts(elementTexts);
  const { api } = useGateway();
  const { open } = useDialogs();
  const { language } = useLanguage();
  const [state, setState] = useState<ExportState>({ kind: "running", rows: 0, all: null });
  const [attempt, setAttempt] = useState(0);
  const current = useRef<AbortController | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    current.current = abort;
    const show = (next: ExportState) => {
      if (!abort.signal.aborted) setState(next);
    };
    show({ kind: "running", rows: 0, all: null });
    download(api, { ...query, lang: language }, abort.signal, show)
      .then(show)
      .catch((error: unknown) => {
        console.warn(error);
        show({ kind: "failed" });
      });
    return () => abort.abort();
  }, [attempt]);
  const stop = () => {
    current.current?.abort();
    setState({ kind: "cancelled" });
  };
  return (
    <Dialog title={texts.downloadTitle}>
      <div class="export stack" aria-live="polite">
        <ExportProgress state={state} />
      </div>
      <div class="actions row">
        {(state.kind === "failed" || state.kind === "short") && (
          <Button kind="main" onPress={() => setAttempt(attempt + 1)}>
            {retry}
          </Button>
        )}
        {state.kind === "running" ? (
          <Button onPress={stop}>{cancel}</Button>
        ) : (
          <Button onPress={() => open(null)}>{close}</Button>
        )}
      </div>
    </Dialog>
  );
}

function ExportProgress({ state }: { readonly state: ExportState }) {
  const texts = useTexts(recordsTexts);
  const { count } = useFormat();
  switch (state.kind) {
    case "running": {
      const text =
        state.all === null
          ? texts.downloading(count(state.rows))
          : texts.downloadingOf(count(state.rows), count(Math.max(state.rows, state.all)));
      const known = state.all === null ? {} : { value: state.rows, max: Math.max(1, state.all) };
      return (
        <>
          {/* Told aloud once at the start and once at the end: a count that runs on would drown both. */}
          <p class="large" aria-hidden="true">
            {text}
          </p>
          <progress aria-label={texts.downloadTitle} {...known} />
        </>
      );
    }
    case "saved":
      return <Notice kind="good" title={texts.saved(count(state.rows), state.fileName)} />;
    case "short":
      return <Notice kind="bad" title={texts.exportShort(count(state.rows), count(state.all))} />;
    case "cancelled":
      return <Notice kind="info" title={texts.cancelled} />;
    case "failed":
      return <Notice kind="bad" title={texts.exportFailed} />;
  }
}

/** Fetches an export, counts its rows as they come, and saves it once all of them are there. */
async function download(
  api: Api,
  query: Parameters<typeof openExport>[1],
  signal: AbortSignal,
  onProgress: (state: ExportState) => void,
): Promise<ExportState> {
  const { fileName, rows: all, body } = await openExport(api, query);
  const reader = body.getReader();
  signal.addEventListener("abort", () => void reader.cancel());
  if (signal.aborted) await reader.cancel();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const count = new RowCount();
  let shownMs = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (signal.aborted) return { kind: "cancelled" };
    if (done) break;
    pieces.push(new Uint8Array(value));
    count.add(value);
    if (performance.now() - shownMs < PROGRESS_EVERY_MS) continue;
    shownMs = performance.now();
    onProgress({ kind: "running", rows: count.rows, all });
  }
  if (all !== null && count.rows < all) return { kind: "short", rows: count.rows, all };
  save(new Blob(pieces, { type: "text/csv;charset=utf-8" }), fileName);
  return { kind: "saved", rows: count.rows, fileName };
}

function save(content: Blob, fileName: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEEP_SAVED_MS);
}
