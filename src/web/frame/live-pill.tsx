import type { LiveState } from "../live/connection.ts";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/speech.ts";

/** Whether what is shown is told as it happens. */
export function LivePill({ live }: { readonly live: LiveState }) {
  const messages = useTexts(frameTexts);
  return (
    <span class={`live-pill live-pill-${live}`}>
      <span class="live-dot" aria-hidden="true" />
      <span class="live-text">{messages.live[live]}</span>
    </span>
  );
}
