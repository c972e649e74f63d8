import { useId } from "preact/hooks";
import type { Choice } from "./select-field.tsx";

interface SegmentsProps {
  /** Names the group for whoever hears it. */
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onValue: (value: string) => void;
}

/** One of two or three, all of them in sight. The arrow keys go through them. */
export function Segments({ label, value, choices, onValue }: SegmentsProps) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="aloud">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} class="segment">
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onValue(choice.value)}
          />
          <span>{choice.text}</span>
        </label>
      ))}
    </fieldset>
  );
}
