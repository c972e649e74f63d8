import { useId, useState } from "preact/hooks";
import { useMessages } from "../messages/speech.ts";

export interface FieldProps {
  readonly label: string;
  readonly type: "text" | "email" | "password";
  /** The browser's hint for password managers. */
  readonly autocomplete: "name" | "username" | "current-password" | "new-password";
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** What is wrong with it; undefined while nothing is. */
  readonly mistake?: string | undefined;
  /** The id of an element that explains the field. */
  readonly describedBy?: string;
}

/** A labelled input. A password can be made visible, because typing blind is where people fail. */
export function Field({ label, type, autocomplete, value, onValue, mistake, describedBy }: FieldProps) {
  const messages = useMessages();
  const id = useId();
  const mistakeId = `${id}-mistake`;
  const [visible, setVisible] = useState(false);
  // Preact's types take one literal only; what is set here belongs to all three kinds of input alike.
  const shownType = (visible ? "text" : type) as "text";
  const described = [describedBy, mistake === undefined ? undefined : mistakeId].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-box">
        <input
          id={id}
          type={shownType}
          autocomplete={autocomplete}
          autocapitalize={type === "text" ? "words" : "none"}
          spellcheck={false}
          required
          value={value}
          aria-invalid={mistake !== undefined}
          aria-describedby={described === "" ? undefined : described}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
        {type === "password" && (
          <button
            type="button"
            class="field-show"
            aria-pressed={visible}
            aria-controls={id}
            onClick={() => setVisible(!visible)}
          >
            {visible ? messages.door.hidePassword : messages.door.showPassword}
          </button>
        )}
      </div>
      {mistake !== undefined && (
        <p class="field-mistake" id={mistakeId}>
          {mistake}
        </p>
      )}
    </div>
  );
}
