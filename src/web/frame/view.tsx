import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useDialogs } from "../element/dialog.tsx";
import { useGateway } from "../live/gateway.ts";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/use-language.ts";

export interface ViewProps {
  readonly title: string;
  /** Beside the title: the view's main button, a switch. */
  readonly actions?: ComponentChildren;
  /** One sentence under the title. */
  readonly intro?: ComponentChildren;
  /** Of a view that is printed and kept. */
  readonly paper?: Paper | undefined;
  readonly children: ComponentChildren;
}

interface Paper {
  /** Names the browser's tab, and the file that it prints to: "Informe 2026-10 Clínica Norte". */
  readonly name?: string | undefined;
  /** Stands at the head of each page. */
  readonly head: string;
}

let isFirst = true;

/** One view: names itself to the tab, and to the keyboard and the screen reader when it comes. Says what was done in it last. */
export function ViewFrame({ title, actions, intro, paper, children }: ViewProps) {
  const { status } = useGateway();
  const { done } = useDialogs();
  useTitle(title, status.value?.gateway.name, paper?.name);
  useRunningHead(paper?.head);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    // The page that has just been opened starts at its top, like every page.
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <>
      <header class="view-head">
        <div class="view-top row spread">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {actions !== undefined && <div class="view-actions row unprinted">{actions}</div>}
        </div>
        {intro !== undefined && <p class="view-intro soft">{intro}</p>}
      </header>
      <div class="view column">
        {/* It is there from the start, so that its text is read aloud when it comes. */}
        <p class={done === "" ? "aloud" : "done-note strong unprinted"} role="status">
          {done}
        </p>
        {children}
      </div>
    </>
  );
}

/** Names the view in the browser's tab, and the gateway: those of two gateways are told apart. What is printed has a name of its own. */
export function useTitle(view: string, gateway?: string, paper?: string): void {
  const { appName } = useTexts(frameTexts);
  useEffect(() => {
    document.title = paper ?? [view, ...(gateway === undefined ? [] : [gateway]), appName].join(" · ");
  }, [view, gateway, appName, paper]);
}

/** Puts a text at the head of each printed page: report.css. Browsers without margin boxes print the tab's title there. */
function useRunningHead(head: string | undefined): void {
  useEffect(() => {
    if (head === undefined) return;
    const { style } = document.documentElement;
    style.setProperty("--running-head", `"${head.replace(/["\\]/g, "\\$&")}"`);
    return () => {
      style.removeProperty("--running-head");
    };
  }, [head]);
}
