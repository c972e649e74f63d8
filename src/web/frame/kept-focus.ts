import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

const FOCUSABLE = "a[href], button:enabled, input:enabled, select:enabled, summary";

/**
 * When the focused element is removed, such as a deleted row, moves the focus to the element after it, else before it, else
 * to the heading of its part. Without it the keyboard begins at the top of the page again.
 */
export function useKeptFocus(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = content.current;
    if (root === null) return undefined;
    /** What had the focus last; a dialog gives it back. */
    let last: Element | null = null;
    let next: HTMLElement | null = null;
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || target.closest("dialog") !== null) return;
      last = target;
      next = null;
    };
    const observer = new MutationObserver((changes) => {
      if (last?.isConnected === false) {
        const gone = changes.find(({ removedNodes }) =>
          [...removedNodes].some((node) => node.contains(last)),
        );
        next = gone === undefined ? null : placeAfter(gone);
        last = null;
      }
      if (document.activeElement === document.body) next?.focus({ preventScroll: true });
    });
    root.addEventListener("focusin", note);
    observer.observe(root, { childList: true, subtree: true });
    return () => {
      root.removeEventListener("focusin", note);
      observer.disconnect();
    };
  }, []);
}

function placeAfter({ target, nextSibling, previousSibling }: MutationRecord): HTMLElement | null {
  for (const node of [nextSibling, previousSibling]) {
    if (!(node instanceof HTMLElement)) continue;
    const found = node.matches(FOCUSABLE) ? node : node.querySelector<HTMLElement>(FOCUSABLE);
    if (found !== null) return found;
  }
  const part = target instanceof Element ? target.closest("section, main") : null;
  const heading = part?.querySelector<HTMLElement>("h1, h2") ?? null;
  heading?.setAttribute("tabindex", "-1");
  return heading;
}
