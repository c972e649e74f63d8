import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";

interface FieldFrameProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly mistake?: string | undefined;
  readonly describedBy?: string | undefined;
  /** Gets the attributes of the control. */
  readonly children: (control: ControlAttributes) => ComponentChildren;
}

interface ControlAttributes {
  readonly id: string;
  readonly class: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

/** What stands around every control of a form: its label, its hint, its mistake. */
function FieldFrame({ label, hint, mistake, describedBy, children }: FieldFrameProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const mistakeId = `${id}-mistake`;
  const described = [
    describedBy,
    hint === undefined ? undefined : hintId,
    mistake === undefined ? undefined : mistakeId,
  ].filter(Boolean);
  const control = {
    id,
    class: "input",
    "aria-invalid": mistake !== undefined,
    "aria-describedby": described.length === 0 ? undefined : described.join(" "),
  };
  return (
    <div class="field stack">
      <label class="label" for={id}>
        {label}
      </label>
      <div class="field-box">{children(control)}</div>
      {hint !== undefined && (
        <p class="fine" id={hintId}>
          {hint}
        </p>
      )}
      {mistake !== undefined && (
        <p class="field-mistake bad strong" id={mistakeId}>
          {mistake}
        </p>
      )}
    </div>
  );
}

export interface TextFieldProps {
  readonly label: string;
  readonly type?: "text" | "email" | "password" | "date" | "datetime-local" | "month";
  /** The browser's hint for password managers. */
  readonly autocomplete?: "name" | "username" | "current-password" | "new-password" | "off";
  /** Which keyboard a tablet shows. */
  readonly inputMode?: "text" | "numeric" | "decimal";
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly isRequired?: boolean;
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
  const { label, type = "text", value, onValue, isRequired = false, choices } = props;
  const texts = useTexts(elementTexts);
  const [visible, setVisible] = useState(false);
  // Preact's types take one literal only; what is set here belongs to all these kinds of input alike.
  const shownType = (visible ? "text" : type) as "text";
  const isName = type === "text" && props.autocomplete === "name";
  return (
    <FieldFrame label={label} hint={props.hint} mistake={props.mistake} describedBy={props.describedBy}>
      {(control) => (
        <>
          <input
            {...control}
            type={shownType}
            autocomplete={props.autocomplete ?? "off"}
            autocapitalize={isName ? "words" : "none"}
            spellcheck={false}
            inputMode={props.inputMode}
            required={isRequired}
            value={value}
            min={props.min}
            max={props.max}
            list={choices === undefined ? undefined : `${control.id}-choices`}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          {choices !== undefined && (
            <datalist id={`${control.id}-choices`}>
              {choices.map((choice) => (
                <option key={choice} value={choice} />
              ))}
            </datalist>
          )}
          {type === "password" && (
            <button
              type="button"
              class="field-show label good"
              aria-pressed={visible}
              aria-controls={control.id}
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

interface LongTextFieldProps
  extends Pick<TextFieldProps, "label" | "value" | "onValue" | "hint" | "mistake"> {}

/** A labelled input of many lines, for what is pasted. */
export function LongTextField({ label, value, onValue, hint, mistake }: LongTextFieldProps) {
  return (
    <FieldFrame label={label} hint={hint} mistake={mistake}>
      {(control) => (
        <textarea
          {...control}
          rows={3}
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </FieldFrame>
  );
}

export interface Choice<V extends string = string> {
  readonly value: V;
  readonly text: string;
}

interface ChoiceProps<V extends string> {
  /** Names it; of segments to screen readers alone. */
  readonly label: string;
  /** One that is no choice is shown as none. */
  readonly value: string;
  readonly choices: readonly Choice<V>[];
  readonly onValue: (value: V) => void;
}

interface SelectFieldProps<V extends string> extends ChoiceProps<V> {
  readonly hint?: ComponentChildren;
  readonly mistake?: string | undefined;
  readonly isDisabled?: boolean;
}

/** One of a few: the browser's own list, which every tablet knows how to show. */
export function SelectField<V extends string>(props: SelectFieldProps<V>) {
  const { label, value, choices, onValue, hint, mistake, isDisabled } = props;
  return (
    <FieldFrame label={label} hint={hint} mistake={mistake}>
      {(control) => (
        <select
          {...control}
          value={value}
          disabled={isDisabled}
          onChange={({ currentTarget: { selectedIndex } }) => {
            const chosen = choices[selectedIndex];
            if (chosen !== undefined) onValue(chosen.value);
          }}
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

interface CheckFieldProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
  /** The form waits for it. */
  readonly isMistaken?: boolean;
}

export function CheckField({ label, isChecked, onCheck, isMistaken = false }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="check beside">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-invalid={isMistaken}
        onChange={(event) => onCheck(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
    </div>
  );
}

/** One of two or three, all of them in sight. The arrow keys go through them. */
export function Segments<V extends string>({ label, value, choices, onValue }: ChoiceProps<V>) {
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
