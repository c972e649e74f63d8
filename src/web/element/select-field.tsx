import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { FieldFrame } from "./field-frame.tsx";

export interface Choice {
  readonly value: string;
  readonly text: string;
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onValue: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly mistake?: string | undefined;
  readonly isDisabled?: boolean;
}

/** One of a few: the browser's own list, which every tablet knows how to show. */
export function SelectField({ label, value, choices, onValue, hint, mistake, isDisabled }: SelectFieldProps) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint} mistake={mistake}>
      {(describedBy) => (
        <select
          id={id}
          class="input"
          value={value}
          disabled={isDisabled}
          aria-invalid={mistake !== undefined}
          aria-describedby={describedBy}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.text}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
