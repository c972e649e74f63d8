import { useState } from "preact/hooks";
import { PASSWORD_MIN_CHARACTERS } from "../../domain/user.ts";
import { TextField } from "../element/field.tsx";
import { doorTexts, firstRunTexts } from "../messages/door.ts";
import { useTexts } from "../messages/use-language.ts";
import { checkPassword, type PasswordCheck } from "./password.ts";

const RULES_ID = "password-rules";

/** A password that is being chosen, and its repetition. */
export interface NewPassword {
  readonly password: string;
  readonly again: string;
  readonly isGood: boolean;
  readonly check: PasswordCheck;
  readonly setPassword: (text: string) => void;
  readonly setAgain: (text: string) => void;
}

export function useNewPassword(): NewPassword {
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const check = checkPassword(password, again);
  const isGood = check.isLongEnough && check.isShortEnough && check.isRepeated;
  return { password, again, isGood, check, setPassword, setAgain };
}

interface NewPasswordFieldsProps {
  readonly label: string;
  readonly chosen: NewPassword;
  readonly wasSent: boolean;
  /** What the server says of it. */
  readonly mistake: string | undefined;
}

/** Both fields of a new password, and its rules. */
export function NewPasswordFields({ label, chosen, wasSent, mistake }: NewPasswordFieldsProps) {
  const { mistakes } = useTexts(doorTexts);
  const texts = useTexts(firstRunTexts);
  const { check } = chosen;
  const isBad = wasSent && !(check.isLongEnough && check.isShortEnough);
  return (
    <>
      <TextField
        label={label}
        type="password"
        autocomplete="new-password"
        value={chosen.password}
        onValue={chosen.setPassword}
        isRequired
        mistake={isBad ? mistakes.password : mistake}
        describedBy={RULES_ID}
      />
      <TextField
        label={texts.again}
        type="password"
        autocomplete="new-password"
        value={chosen.again}
        onValue={chosen.setAgain}
        isRequired
        mistake={wasSent && !isBad && !check.isRepeated ? mistakes.again : undefined}
      />
      <ul class="rules fine" id={RULES_ID}>
        <Rule text={texts.ruleLength(PASSWORD_MIN_CHARACTERS)} isMet={check.isLongEnough} />
        {!check.isShortEnough && <Rule text={texts.ruleBytes} isMet={false} />}
        <Rule text={texts.ruleSame} isMet={check.isRepeated} />
      </ul>
    </>
  );
}

function Rule({ text, isMet }: { readonly text: string; readonly isMet: boolean }) {
  const firstRun = useTexts(firstRunTexts);
  return (
    <li class={isMet ? "rule rule-met" : "rule"}>
      <svg class="rule-sign" viewBox="0 0 20 20" aria-hidden="true">
        {isMet ? <path d="M5 10.5l3.5 3.5L15 7" /> : <circle cx="10" cy="10" r="3" />}
      </svg>
      {text}
      <span class="aloud"> ({isMet ? firstRun.met : firstRun.unmet})</span>
    </li>
  );
}
