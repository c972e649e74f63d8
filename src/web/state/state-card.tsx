import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface StateCardProps {
  readonly title: string;
  /** The answer in a word or two. */
  readonly answer: string;
  /** `bad` and `warn` say that the answer is not as it should be. */
  readonly kind?: "well" | "warn" | "bad";
  /** What it means, in sentences. */
  readonly children?: ComponentChildren;
}

/** One thing about the gateway: what it is, how it is, and what that means. */
export function StateCard({ title, answer, kind = "well", children }: StateCardProps) {
  const id = useId();
  return (
    <section class={`panel state-card state-card-${kind}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="state-answer">{answer}</p>
      <div class="state-detail">{children}</div>
    </section>
  );
}
