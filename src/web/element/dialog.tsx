import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/speech.ts";
import { Button } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** A sheet at the side for what is long; else a card in the middle. On a phone both rise from the foot. */
  readonly isSheet?: boolean;
  readonly children: ComponentChildren;
}

const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex='0']";

/**
 * A dialog over the page. The keyboard stays in it, Escape and a press beside it close it, and the focus
 * returns to where it was. Show it by having it in the tree. (The browser's own dialog element is younger
 * than the tablets that this page is for.)
 */
export function Dialog({ title, onClose, isSheet = false, children }: DialogProps) {
  const texts = useTexts(elementTexts);
  const titleId = useId();
  const box = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  // Before the next key: one that came in between would move the focus behind the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const first = box.current?.querySelector<HTMLElement>("[data-first-focus]");
    (first ?? heading.current)?.focus();
    document.documentElement.classList.add("is-covered");
    return () => {
      document.documentElement.classList.remove("is-covered");
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    } else if (event.key === "Tab" && box.current !== null) keepInside(event, box.current);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys and the press beside are shortcuts of the close button.
    <div
      class={isSheet ? "cover cover-sheet" : "cover"}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div class="dialog" role="dialog" aria-modal="true" aria-labelledby={titleId} ref={box}>
        <div class="dialog-head">
          <h2 id={titleId} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <Button kind="quiet" icon="close" label={texts.close} onPress={onClose} />
        </div>
        <div class="dialog-body">{children}</div>
      </div>
    </div>
  );
}

function keepInside(event: KeyboardEvent, box: HTMLElement): void {
  const stops = [...box.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (stop) => stop.offsetParent !== null,
  );
  const first = stops[0];
  const last = stops[stops.length - 1];
  if (first === undefined || last === undefined) return;
  const { activeElement } = document;
  const isAtStart = activeElement === first || activeElement?.tagName === "H2";
  if (event.shiftKey && isAtStart) {
    event.preventDefault();
    last.focus();
  } else if (!event.shiftKey && activeElement === last) {
    event.preventDefault();
    first.focus();
  }
}
