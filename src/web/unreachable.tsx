import { Wordmark } from "./frame/wordmark.tsx";
import { useMessages } from "./messages/speech.ts";

/** Shown while the server does not answer at all. */
export function Unreachable() {
  const messages = useMessages();
  return (
    <main class="plain" id="content">
      <Wordmark />
      <p role="alert">{messages.live.unreachable}</p>
    </main>
  );
}
