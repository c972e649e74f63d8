import { Wordmark } from "./frame/wordmark.tsx";
import { frameTexts } from "./messages/frame.ts";
import { useTexts } from "./messages/speech.ts";

/** For an address that no view has. */
export function UnknownPage({ onHome }: { readonly onHome: () => void }) {
  const { unknownPage } = useTexts(frameTexts);
  return (
    <main class="plain" id="content">
      <Wordmark />
      <h1>{unknownPage.title}</h1>
      <button type="button" class="button button-main" onClick={onHome}>
        {unknownPage.home}
      </button>
    </main>
  );
}
