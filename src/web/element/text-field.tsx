import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/speech.ts";
import { FieldFrame } from "./field-frame.tsx";

export interface TextFieldProps {
  readonly label: string;
  readonly type?: "text" | "email" | "password" | "search" | "date" | "month";
  /** The browser's hint for password managers. */
  readonly autocomplete?: "name" | "username" | "current-password" | "new-password" | "off";
  /** Which keyboard a tablet shows. */
  readonly inputMode?: "text" | "numeric" | "decimal";
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  /** What to write, in a few words. */
  readonly hint?: ComponentChildren;
  /** What is wrong with it; undefined while nothing is. */
  readonly mistake?: string | undefined;
  /** The id of a further element that explains the field. */
  readonly describedBy?: string;
  /** Offered while typing. */
  readonly choices?: readonly string[];
  readonly min?: string;
  readonly max?: string;
}

/** A labelled input. A password can be made visible, because typing blind is where people fail. */
export function TextField(props: TextFieldProps) {
  const { label, type = "text", value, onValue, isRequired = false, isDisabled = false, choices } = props;
  const texts = useTexts(elementTexts);
  const id = useId();
  const [visible, setVisible] = useState(false);
  // Preact's types take one literal only; what is set here belongs to all these kinds of input alike.
  const shownType = (visible ? "text" : type) as "text";
  const isName = type === "text" && props.autocomplete === "name";
  return (
    <FieldFrame
      id={id}
      label={label}
      hint={props.hint}
      mistake={props.mistake}
      describedBy={props.describedBy}
    >
      {(describedBy) => (
        <>
          <input
            id={id}
            class="input"
            type={shownType}
            autocomplete={props.autocomplete ?? "off"}
            autocapitalize={isName ? "words" : "none"}
            spellcheck={false}
            inputMode={props.inputMode}
            required={isRequired}
            disabled={isDisabled}
            value={value}
            min={props.min}
            max={props.max}
            list={choices === undefined ? undefined : `${id}-choices`}
            aria-invalid={props.mistake !== undefined}
            aria-describedby={describedBy}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          {choices !== undefined && (
            <datalist id={`${id}-choices`}>
              {choices.map((choice) => (
                <option key={choice} value={choice} />
              ))}
            </datalist>
          )}
          {type === "password" && (
            <button
              type="button"
              class="field-show"
              aria-pressed={visible}
              aria-controls={id}
              onClick={() => setVisible(!visible)}
            >
              {visible ? texts.hidePassword : texts.showPassword}
            </button>
          )}
        </>
      )}
    </FieldFrame>
  );
}
