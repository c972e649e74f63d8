import { PASSWORD_MIN_CHARACTERS } from "../../domain/account.ts";
import { TextField } from "../element/field.tsx";
import type { FormControl } from "../element/form.tsx";
import { Icon } from "../element/icon.tsx";
import { firstRunTexts, signInTexts } from "../messages/sign-in.ts";
import { useTexts } from "../messages/use-language.ts";
import { checkPassword } from "./password.ts";

const RULES_ID = "password-rules";

/** A password that is being chosen, and its repetition. */
export interface NewPassword {
  readonly password: string;
  readonly again: string;
}

export const NO_PASSWORD: NewPassword = { password: "", again: "" };

export function isGoodPassword({ password, again }: NewPassword): boolean {
  const check = checkPassword(password, again);
  return check.isLongEnough && check.isRepeated;
}

interface NewPasswordFieldsProps {
  readonly label: string;
  readonly form: FormControl<NewPassword>;
}

/** Both fields of a new password, and its rules. */
export function NewPasswordFields({ label, form }: NewPasswordFieldsProps) {
  const { mistakes } = useTexts(signInTexts);
  const texts = useTexts(firstRunTexts);
  const check = checkPassword(form.values.password, form.values.again);
  const ruleLength = texts.ruleLength(PASSWORD_MIN_CHARACTERS);
  return (
    <>
      <TextField
        label={label}
        type="password"
        autocomplete="new-password"
        isRequired
        describedBy={RULES_ID}
        {...form.checked("password", check.isLongEnough, ruleLength, {
          type: texts.tooLong,
          length: texts.tooLong,
        })}
      />
      <TextField
        label={texts.again}
        type="password"
        autocomplete="new-password"
        isRequired
        {...form.checked("again", !check.isLongEnough || check.isRepeated, mistakes.again)}
      />
      <ul class="rules stack fine" id={RULES_ID}>
        <Rule text={ruleLength} isMet={check.isLongEnough} />
        <Rule text={texts.ruleSame} isMet={check.isRepeated} />
      </ul>
    </>
  );
}

function Rule({ text, isMet }: { readonly text: string; readonly isMet: boolean }) {
  const firstRun = useTexts(firstRunTexts);
  return (
    <li class={isMet ? "beside good" : "beside"}>
      <Icon name={isMet ? "done" : "dot"} />
      {text}
      <span class="aloud"> ({isMet ? firstRun.met : firstRun.unmet})</span>
    </li>
  );
}
