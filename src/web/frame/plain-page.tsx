import type { ComponentChildren } from "preact";
import { Waiting } from "../element/notice.tsx";
import { Wordmark } from "./wordmark.tsx";

/** A page without a view. */
export function PlainPage({ children }: { readonly children: ComponentChildren }) {
  return (
    <main class="plain middle" id="content">
      <Wordmark />
      {children}
    </main>
  );
}

/** Before there is anything to show: without the wordmark, which would come and go. */
export function WaitingPage() {
  return (
    <main class="plain middle" id="content">
      <Waiting />
    </main>
  );
}
