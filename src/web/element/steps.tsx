import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";

interface StepsProps {
  /** What the ways lead to. */
  readonly texts: { readonly before: string; readonly after: string };
  /** Nothing comes after it. */
  readonly isLast: boolean;
  readonly onStep: (step: -1 | 1) => void;
  /** Stands between the two ways. */
  readonly children: ComponentChildren;
}

/** The ways to what is before and after. */
export function Steps({ texts, isLast, onStep, children }: StepsProps) {
  return (
    <>
      <Button kind="quiet" icon="back" label={texts.before} onPress={() => onStep(-1)} />
      {children}
      <Button kind="quiet" icon="forward" label={texts.after} isDisabled={isLast} onPress={() => onStep(1)} />
    </>
  );
}
