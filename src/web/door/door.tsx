import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useTitle } from "../frame/view.tsx";
import { LanguageSwitch, Wordmark } from "../frame/wordmark.tsx";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/use-language.ts";

interface DoorProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Door({ title, children }: DoorProps) {
  const messages = useTexts(frameTexts);
  const heading = useRef<HTMLHeadingElement>(null);
  // The view has changed under the reader: say which one it is, and start the keyboard there.
  useEffect(() => heading.current?.focus(), []);
  useTitle(title);
  return (
    <div class="door">
      <div class="door-top">
        <LanguageSwitch />
      </div>
      <main class="door-main" id="content">
        <div class="door-brand">
          <Wordmark />
          <p>{messages.tagline}</p>
        </div>
        <section class="panel door-card" aria-labelledby="door-title">
          <h1 id="door-title" ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {children}
        </section>
      </main>
      <DoorWave />
    </div>
  );
}

/** Decoration: the level of a line through time, as an oscilloscope shows it. */
function DoorWave() {
  return (
    <svg class="door-wave" viewBox="0 0 1200 120" preserveAspectRatio="none" aria-hidden="true">
      <path d="M0 100H150V30H330V100H470V30H520V100H730V30H980V100H1080V30H1200" />
    </svg>
  );
}
