import { PASSWORD_MIN_CHARACTERS } from "../../domain/user.ts";
import { firstRunTexts } from "../messages/first-run.ts";
import { useTexts } from "../messages/speech.ts";
import type { PasswordCheck } from "./password.ts";

interface PasswordRulesProps {
  readonly id: string;
  readonly check: PasswordCheck;
}

/** The rules of a new password, each ticked off while typing. */
export function PasswordRules({ id, check }: PasswordRulesProps) {
  const firstRun = useTexts(firstRunTexts);
  return (
    <ul class="rules" id={id}>
      <Rule text={firstRun.ruleLength(PASSWORD_MIN_CHARACTERS)} isMet={check.isLongEnough} />
      {!check.isShortEnough && <Rule text={firstRun.ruleBytes} isMet={false} />}
      <Rule text={firstRun.ruleSame} isMet={check.isRepeated} />
    </ul>
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
