import type { ComponentChildren } from "preact";
import { useNavigation } from "../navigation.ts";

interface LinkProps {
  /** An address of the page itself, from `addressOf` of route.ts. */
  readonly to: string;
  readonly class?: string;
  /** Where it leads is what is shown. */
  readonly isCurrent?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A link to another view. A real one: it opens in a new tab, and can be copied. */
export function Link({ to, class: style, isCurrent = false, label, children }: LinkProps) {
  const { go } = useNavigation();
  return (
    <a
      href={to}
      class={style}
      aria-current={isCurrent ? "page" : undefined}
      aria-label={label}
      onClick={(event) => {
        const isPlain =
          event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
        if (!isPlain) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
