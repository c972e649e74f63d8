import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { SECOND_MS } from "../../domain/clock.ts";
import { Button } from "../element/button.tsx";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";

/** What cannot be taken back once it is done, and is done only after a while. */
interface DelayedWork {
  /** What is about to be done. */
  readonly text: string;
  readonly done: string;
  readonly failed: string;
  readonly run: () => Promise<unknown>;
}

type Delay = (work: DelayedWork) => void;

const DelayContext = createContext<Delay>(() => {});
export const DelayProvider = DelayContext.Provider;

/** Gives what does a work in ten seconds, unless a person undoes it: whichever view is shown by then. */
export function useDelay(): Delay {
  return useContext(DelayContext);
}

const DELAY_S = 10;
/** How long the outcome stands. */
const SAID_MS = 6_000;

interface UndoControl {
  readonly delay: Delay;
  /** Does at once what waits, and resolves when that is through. */
  readonly flush: () => Promise<void>;
  readonly undo: () => void;
  readonly shown: UndoShown;
}

type UndoShown =
  | { readonly kind: "nothing" }
  | { readonly kind: "waiting"; readonly work: DelayedWork; readonly leftS: number }
  | { readonly kind: "said"; readonly text: string; readonly isBad: boolean };

/** The one work that waits. A second one has the first done at once; so has leaving the page. */
export function useUndo(): UndoControl {
  const [shown, setShown] = useState<UndoShown>({ kind: "nothing" });
  const waiting = useRef<DelayedWork | null>(null);
  const control = useMemo(() => {
    const flush = async () => {
      const work = waiting.current;
      if (work === null) return;
      waiting.current = null;
      setShown({ kind: "nothing" });
      try {
        await work.run();
        setShown({ kind: "said", text: work.done, isBad: false });
      } catch (error) {
        console.warn(error);
        setShown({ kind: "said", text: work.failed, isBad: true });
      }
    };
    const undo = () => {
      waiting.current = null;
      setShown({ kind: "nothing" });
    };
    const delay = (work: DelayedWork) => {
      void flush();
      waiting.current = work;
      setShown({ kind: "waiting", work, leftS: DELAY_S });
    };
    return { delay, flush, undo };
  }, []);

  useEffect(() => {
    if (shown.kind === "nothing" || (shown.kind === "said" && shown.isBad)) return undefined;
    const next = () => {
      if (shown.kind === "said") setShown({ kind: "nothing" });
      else if (shown.leftS > 1) setShown({ ...shown, leftS: shown.leftS - 1 });
      else void control.flush();
    };
    const timer = setTimeout(next, shown.kind === "said" ? SAID_MS : SECOND_MS);
    return () => clearTimeout(timer);
  }, [shown, control]);
  useEffect(() => {
    const leave = () => void control.flush();
    // Chromium does not always send what begins in `pagehide`: the old page's process may end first. Where a browser
    // has no `beforeunload` (a phone's), `pagehide` is all there is.
    addEventListener("beforeunload", leave);
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("beforeunload", leave);
      removeEventListener("pagehide", leave);
      leave();
    };
  }, [control]);
  return { ...control, shown };
}

/** What waits, with the way to undo it; then what became of it. */
export function UndoBar({ shown, undo }: Pick<UndoControl, "shown" | "undo">) {
  const texts = useTexts(elementTexts);
  const bar = useRef<HTMLDivElement>(null);
  const isBad = shown.kind === "said" && shown.isBad;
  const work = shown.kind === "waiting" ? shown.work : null;
  // It stands at the page's end, which Tab does not reach in ten seconds: the keyboard is brought there, and back.
  useEffect(() => {
    if (work === null) return undefined;
    const before = document.activeElement;
    bar.current?.querySelector("button")?.focus();
    return () => {
      if (document.activeElement !== document.body || !(before instanceof HTMLElement)) return;
      before.focus({ preventScroll: true });
    };
  }, [work]);
  return (
    <div class={shown.kind === "nothing" ? "aloud" : isBad ? "undo undo-bad" : "undo"} ref={bar}>
      {/* It is there from the start, so that its text is read aloud when it comes. */}
      <p role="status">
        {shown.kind === "waiting" && shown.work.text}
        {shown.kind === "said" && shown.text}
      </p>
      {shown.kind === "waiting" && (
        <>
          <span class="number" aria-hidden="true">{`${shown.leftS} s`}</span>
          <Button onPress={undo}>{texts.undo}</Button>
        </>
      )}
      {isBad && <Button onPress={undo}>{texts.close}</Button>}
    </div>
  );
}
