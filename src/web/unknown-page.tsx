import { Wordmark } from "./frame/wordmark.tsx";
import { useMessages } from "./messages/speech.ts";

/** For an address that no view has. */
export function UnknownPage({ onHome }: { readonly onHome: () => void }) {
  const { unknownPage } = useMessages();
  return (
    <main class="plain" id="content">
      <Wordmark />
      <h1>{unknownPage.title}</h1>
      <button type="button" class="button" onClick={onHome}>
        {unknownPage.home}
      </button>
    </main>
  );
}
