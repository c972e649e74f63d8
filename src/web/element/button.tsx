import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export interface ButtonProps {
  /** `main`: the one thing to do here. `bad`: takes something away. `quiet`: as little as can be. */
  readonly kind?: "main" | "plain" | "quiet" | "bad";
  readonly type?: "button" | "submit";
  readonly icon?: IconName;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** The name, when the children do not say it. */
  readonly label?: string;
  readonly isExpanded?: boolean;
  readonly onPress?: () => void;
  readonly children?: ComponentChildren;
}

/**
 * A button. While busy it keeps the keyboard's focus, and pressing it does nothing. Enter held down presses it once: the key may
 * have been pressed elsewhere, and the focus have come here.
 */
export function Button({
  kind = "plain",
  type = "button",
  icon,
  isBusy = false,
  isDisabled = false,
  label,
  isExpanded,
  onPress,
  children,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button button-${kind}${children === undefined ? " button-sign" : ""}`}
      disabled={isDisabled}
      aria-disabled={isBusy ? true : undefined}
      aria-label={label}
      title={label}
      aria-expanded={isExpanded}
      onKeyDown={(event) => event.repeat && event.key === "Enter" && event.preventDefault()}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onPress?.();
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}
