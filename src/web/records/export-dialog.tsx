import { Button } from "../element/button.tsx";
import { Dialog } from "../element/dialog.tsx";
import { Notice } from "../element/notice.tsx";
import { useFormat } from "../frame/visit.ts";
import { elementTexts } from "../messages/element.ts";
import { recordsTexts } from "../messages/records.ts";
import { useTexts } from "../messages/speech.ts";
import type { ExportControl, ExportState } from "./use-export.ts";

interface ExportDialogProps {
  readonly control: ExportControl;
  /** What is archived of what the file should hold, in words. */
  readonly leftOut: string | undefined;
  readonly onRetry: () => void;
}

/** How the export gets on, and a way to stop it. */
export function ExportDialog({ control, leftOut, onRetry }: ExportDialogProps) {
  const texts = useTexts(recordsTexts);
  const { cancel, close, retry } = useTexts(elementTexts);
  const { state, clear } = control;
  const isRunning = state.kind === "running";
  const canRetry = state.kind === "failed" || state.kind === "short";
  return (
    <Dialog title={texts.downloadTitle} onClose={clear}>
      <div class="export" aria-live="polite">
        <ExportProgress state={state} />
        {leftOut !== undefined && <p class="soft">{leftOut}</p>}
      </div>
      <div class="actions">
        {canRetry && (
          <Button kind="main" onPress={onRetry}>
            {retry}
          </Button>
        )}
        {isRunning ? (
          <Button onPress={control.cancel}>{cancel}</Button>
        ) : (
          <Button onPress={clear}>{close}</Button>
        )}
      </div>
    </Dialog>
  );
}

function ExportProgress({ state }: { readonly state: ExportState }) {
  const texts = useTexts(recordsTexts);
  const { count } = useFormat();
  switch (state.kind) {
    case "none":
      return null;
    case "running": {
      const text =
        state.all === null
          ? texts.downloading(count(state.rows))
          : texts.downloadingOf(count(state.rows), count(Math.max(state.rows, state.all)));
      const known = state.all === null ? {} : { value: state.rows, max: Math.max(1, state.all) };
      return (
        <>
          {/* Told aloud once at the start and once at the end: a count that runs on would drown both. */}
          <p class="export-count" aria-hidden="true">
            {text}
          </p>
          <progress class="export-bar" aria-label={texts.downloadTitle} {...known} />
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
