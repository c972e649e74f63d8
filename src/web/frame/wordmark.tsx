import { otherLanguage } from "../../domain/language.ts";
import type { Status } from "../api/shapes.ts";
import { Icon } from "../element/icon.tsx";
import { frameTexts } from "../messages/frame.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";

export function Wordmark() {
  return (
    <span class="wordmark">
      <svg viewBox="0 0 28 24" aria-hidden="true">
        <path d="M2 19h10V5h14" />
      </svg>
      flanco
    </span>
  );
}

export function LanguageSwitch() {
  const { language, speak } = useLanguage();
  const texts = useTexts(frameTexts);
  const other = otherLanguage(language);
  return (
    <button type="button" class="button button-quiet" lang={other} onClick={() => speak(other)}>
      <Icon name="language" />
      {texts.switchLanguage}
    </button>
  );
}

interface GatewayMarkProps {
  readonly mark: Pick<Status["gateway"], "name" | "hue">;
}

/** A gateway's name beside its colour, which says nothing that the name does not. */
export function GatewayMark({ mark: { name, hue } }: GatewayMarkProps) {
  return (
    <span class="gateway-mark beside label">
      <span class="gateway-colour dot dot-full" style={{ "--hue": hue }} aria-hidden="true" />
      <span class="clip">{name}</span>
    </span>
  );
}
