import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface StepCardProps {
  readonly title: string;
  readonly detail?: string;
  readonly children: ComponentChildren;
}

/** One step. It takes the keyboard's focus when it comes, so that its title is read aloud. */
export function StepCard({ title, detail, children }: StepCardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <section class="panel step-card" aria-labelledby="step-title">
      <h2 id="step-title" tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {detail !== undefined && <p class="soft">{detail}</p>}
      {children}
    </section>
  );
}
