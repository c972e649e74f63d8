import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface CheckFieldProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
  readonly hint?: ComponentChildren;
  readonly isDisabled?: boolean;
}

/** Yes or no. */
export function CheckField({ label, isChecked, onCheck, hint, isDisabled = false }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onCheck(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
