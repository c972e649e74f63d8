import { useMessages } from "../messages/speech.ts";

/** Says kindly that there is nothing yet. */
export function Nothing({ title, detail }: { readonly title: string; readonly detail: string }) {
  return (
    <div class="nothing">
      <svg viewBox="0 0 120 40" aria-hidden="true">
        <path d="M4 32h34V10h30v22h48" />
      </svg>
      <p class="nothing-title">{title}</p>
      <p>{detail}</p>
    </div>
  );
}

/** Says that a part could not be read, and offers to try again. */
export function Unread({ text, onRetry }: { readonly text: string; readonly onRetry: () => void }) {
  const messages = useMessages();
  return (
    <div class="nothing">
      <p class="nothing-title">{text}</p>
      <button type="button" class="quiet-button" onClick={onRetry}>
        {messages.retry}
      </button>
    </div>
  );
}
