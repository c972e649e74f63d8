import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** After an attempt that did not succeed, the keyboard goes to the first field that is wrong. */
export function useFirstMistake(): {
  readonly form: RefObject<HTMLFormElement | null>;
  /** To call after such an attempt. */
  readonly look: () => void;
} {
  const form = useRef<HTMLFormElement>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (attempt > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [attempt]);
  return { form, look: () => setAttempt((before) => before + 1) };
}
