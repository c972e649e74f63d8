import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { SECOND_MS } from "../../domain/clock.ts";
import type { LoadedPart } from "../live/use-loaded.ts";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface NoticeProps {
  /** `bad`: a person must act. `warn`: a person should know. `good`: it went well. */
  readonly kind?: "bad" | "warn" | "good" | "info";
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}

const ICONS = { bad: "bad", warn: "warning", good: "done", info: "info" } as const;

export function Notice({ kind = "info", title, children }: NoticeProps) {
  return (
    <section class={`notice is-${kind}`}>
      <Icon name={ICONS[kind]} />
      <div class="stack">
        <p class="strong">{title}</p>
        {children}
      </div>
    </section>
  );
}

/** Whether a room is on. */
export function OnTag({ isOn }: { readonly isOn: boolean }) {
  const { on, off } = useTexts(elementTexts);
  return <span class={isOn ? "tag tag-on" : "tag"}>{isOn ? on : off}</span>;
}

interface NothingProps {
  readonly title: string;
  readonly detail?: string;
  /** What to do about it: a button or a link. */
  readonly children?: ComponentChildren;
}

export function Nothing({ title, detail, children }: NothingProps) {
  return (
    <div class="nothing middle">
      <svg viewBox="0 0 120 40" aria-hidden="true">
        <path d="M4 32h34V10h30v22h48" />
      </svg>
      <p class="strong">{title}</p>
      {detail !== undefined && <p class="soft">{detail}</p>}
      {children}
    </div>
  );
}

/** A panel with nothing else in it. */
export function NothingPanel(props: NothingProps) {
  return (
    <section class="panel">
      <Nothing {...props} />
    </section>
  );
}

interface UnreadProps {
  /** In place of the words for any part. */
  readonly text?: string;
  readonly onRetry: () => void;
}

/** Says that a part could not be read, and offers to try again. */
export function Unread({ text, onRetry }: UnreadProps) {
  const texts = useTexts(elementTexts);
  return (
    <div class="nothing middle" role="alert">
      <p class="strong">{text ?? texts.unread}</p>
      <Button onPress={onRetry}>{texts.retry}</Button>
    </div>
  );
}

/** Nearly every part is there by then: a word that comes and goes at once would only disturb. */
const LATE_MS = SECOND_MS;

/** Says that something is on its way, once it is late. */
export function Waiting() {
  const texts = useTexts(elementTexts);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    // It is there from the start, so that its text is read aloud when it comes.
    <p class="waiting soft" role="status">
      {isLate && texts.waiting}
    </p>
  );
}

interface NotReadyProps {
  readonly of: Pick<LoadedPart<unknown>, "kind" | "reload">;
}

/** Stands for a part that is not there: it is on its way, or could not be read. */
export function NotReady({ of: { kind, reload } }: NotReadyProps) {
  switch (kind) {
    case "waiting":
      return <Waiting />;
    case "failed":
      return <Unread onRetry={reload} />;
    case "ready":
      return null;
  }
}

/** The same for a part that has panels of its own. */
export function NotReadyPanel({ of }: NotReadyProps) {
  if (of.kind !== "failed") return <NotReady of={of} />;
  return (
    <section class="panel">
      <NotReady of={of} />
    </section>
  );
}

interface PanelProps {
  readonly title: ComponentChildren;
  readonly class?: string;
  /** At the end of the title's row. */
  readonly beside?: ComponentChildren;
  /** What it shows is of the request before. */
  readonly isStale?: boolean;
  /** Takes the keyboard when it comes, so that its title is read aloud: always, or where nothing else has it. */
  readonly takesFocus?: "always" | "free";
  readonly children: ComponentChildren;
}

/** A part of a view, named by its title. */
export function Panel({ title, class: style, beside, isStale, takesFocus, children }: PanelProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const isFree = document.activeElement === document.body;
    if (takesFocus === "always" || (takesFocus === "free" && isFree)) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  const styles = ["panel", style, isStale === true && "is-stale"].filter(Boolean);
  return (
    <section class={styles.join(" ")} aria-labelledby={id} aria-busy={isStale}>
      <div class="panel-head row spread">
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {beside}
      </div>
      {children}
    </section>
  );
}
