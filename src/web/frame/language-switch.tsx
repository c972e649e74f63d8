import { otherLanguage } from "../messages/language.ts";
import { useSpeech } from "../messages/speech.ts";

/** Changes to the other language, named in that language. */
export function LanguageSwitch() {
  const { language, messages, speak } = useSpeech();
  const other = otherLanguage(language);
  return (
    <button
      type="button"
      class="quiet-button language-switch"
      lang={other}
      aria-label={messages.switchLanguage}
      onClick={() => speak(other)}
    >
      <span class="wide-only">{messages.switchLanguage}</span>
      <span class="narrow-only">{other.toUpperCase()}</span>
    </button>
  );
}
