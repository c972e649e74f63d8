import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

interface NoticeProps {
  /** `bad`: somebody must act. `warn`: somebody should know. `good`: it went well. */
  readonly kind?: "bad" | "warn" | "good" | "info";
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}

const ICONS = { bad: "bad", warn: "warning", good: "done", info: "info" } as const;

/** A message that stands in the page. */
export function Notice({ kind = "info", title, children }: NoticeProps) {
  return (
    <section class={`notice notice-${kind}`}>
      <Icon name={ICONS[kind]} />
      <div class="notice-text">
        <p class="notice-title">{title}</p>
        {children}
      </div>
    </section>
  );
}
