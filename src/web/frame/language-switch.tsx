import { Icon } from "../element/icon.tsx";
import { frameTexts } from "../messages/frame.ts";
import { otherLanguage } from "../messages/language.ts";
import { useSpeech, useTexts } from "../messages/speech.ts";

/** Changes to the other language, named in that language. */
export function LanguageSwitch() {
  const { language, speak } = useSpeech();
  const texts = useTexts(frameTexts);
  const other = otherLanguage(language);
  return (
    <button type="button" class="button button-quiet" lang={other} onClick={() => speak(other)}>
      <Icon name="language" />
      {texts.switchLanguage}
    </button>
  );
}
