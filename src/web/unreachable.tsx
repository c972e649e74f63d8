import { Wordmark } from "./frame/wordmark.tsx";
import { frameTexts } from "./messages/frame.ts";
import { useTexts } from "./messages/speech.ts";

/** Shown while the server does not answer at all. */
export function Unreachable() {
  const messages = useTexts(frameTexts);
  return (
    <main class="plain" id="content">
      <Wordmark />
      <p role="alert">{messages.live.unreachable}</p>
    </main>
  );
}
