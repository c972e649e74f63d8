import type { ComponentChildren } from "preact";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/speech.ts";
import { Button } from "./button.tsx";

interface NothingProps {
  readonly title: string;
  readonly detail?: string;
  /** What to do about it: a button or a link. */
  readonly children?: ComponentChildren;
}

/** Says kindly that there is nothing yet. */
export function Nothing({ title, detail, children }: NothingProps) {
  return (
    <div class="nothing">
      <svg viewBox="0 0 120 40" aria-hidden="true">
        <path d="M4 32h34V10h30v22h48" />
      </svg>
      <p class="nothing-title">{title}</p>
      {detail !== undefined && <p>{detail}</p>}
      {children}
    </div>
  );
}

/** Says that a part could not be read, and offers to try again. */
export function Unread({ text, onRetry }: { readonly text: string; readonly onRetry: () => void }) {
  const texts = useTexts(elementTexts);
  return (
    <div class="nothing" role="alert">
      <p class="nothing-title">{text}</p>
      <Button onPress={onRetry}>{texts.retry}</Button>
    </div>
  );
}
