import { useState } from "preact/hooks";
import { PASSWORD_MIN_CHARACTERS } from "../../domain/user.ts";
import { type ApiFailure, waitOf } from "../api/api.ts";
import type { User } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { TextField } from "../element/field.tsx";
import { Form, FormFailure, useForm } from "../element/form.tsx";
import { doorTexts, firstRunTexts } from "../messages/door.ts";
import { useTexts } from "../messages/use-language.ts";
import { makeFirstUser } from "../session.ts";
import { Door } from "./door.tsx";
import { checkPassword, type PasswordCheck } from "./password.ts";

interface FirstRunProps {
  /** From the one-time link; empty when the address carried none. */
  readonly token: string;
  /** What the link says of the first user; may be changed. */
  readonly presetEmail: string;
  readonly onSignedIn: (user: User) => void;
  readonly onLeave: () => void;
}

const BAD_REQUEST = 400;
const FIRST_SERVER_ERROR = 500;
const RULES_ID = "password-rules";

export function FirstRun({ token, presetEmail, onSignedIn, onLeave }: FirstRunProps) {
  const texts = useTexts(doorTexts);
  const firstRun = useTexts(firstRunTexts);
  const { form, isBusy, failure, wasSent, submit, mistake } = useForm();
  const [name, setName] = useState("");
  const [email, setEmail] = useState(presetEmail);
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const check = checkPassword(password, again);
  const waitSeconds = waitOf(failure);
  const isPasswordGood = check.isLongEnough && check.isShortEnough;

  if (token === "" || (failure !== null && isLinkDead(failure))) return <UsedLink onLeave={onLeave} />;

  const send = () =>
    submit(isPasswordGood && check.isRepeated, async () =>
      onSignedIn(await makeFirstUser({ token, name, email, password })),
    );

  const { mistakes } = texts;
  const wrong = (text: string) => ({ type: text, length: text });
  return (
    <Door title={firstRun.title}>
      <p class="soft">{firstRun.intro}</p>
      <Form form={form} onSubmit={send}>
        <TextField
          label={firstRun.name}
          autocomplete="name"
          value={name}
          onValue={setName}
          isRequired
          mistake={mistake("name", wrong(mistakes.name))}
        />
        <TextField
          label={texts.door.email}
          type="email"
          autocomplete="username"
          value={email}
          onValue={setEmail}
          isRequired
          mistake={mistake("email", { ...wrong(mistakes.email), unique: mistakes.emailTaken })}
        />
        <TextField
          label={texts.door.password}
          type="password"
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
          isRequired
          mistake={
            wasSent && !isPasswordGood ? mistakes.password : mistake("password", wrong(mistakes.password))
          }
          describedBy={RULES_ID}
        />
        <TextField
          label={firstRun.again}
          type="password"
          autocomplete="new-password"
          value={again}
          onValue={setAgain}
          isRequired
          mistake={wasSent && isPasswordGood && !check.isRepeated ? mistakes.again : undefined}
        />
        <PasswordRules id={RULES_ID} check={check} />
        <FormFailure
          failure={failure}
          text={waitSeconds === null ? undefined : texts.door.tooMany(waitSeconds)}
        />
        <Button kind="main" type="submit" isBusy={isBusy}>
          {isBusy ? firstRun.creating : firstRun.create}
        </Button>
      </Form>
    </Door>
  );
}

/** A refusal that names no field means the link: used, expired, or of another service. */
function isLinkDead(failure: ApiFailure): boolean {
  if (failure.fields.has("token")) return true;
  if (waitOf(failure) !== null) return false;
  const isRefusal = failure.status >= BAD_REQUEST && failure.status < FIRST_SERVER_ERROR;
  return isRefusal && failure.status !== BAD_REQUEST && failure.fields.size === 0;
}

interface PasswordRulesProps {
  readonly id: string;
  readonly check: PasswordCheck;
}

/** The rules of a new password, each ticked off while typing. */
function PasswordRules({ id, check }: PasswordRulesProps) {
  const firstRun = useTexts(firstRunTexts);
  return (
    <ul class="rules fine" id={id}>
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

/** What to do about a first-run link that no longer works. */
function UsedLink({ onLeave }: { readonly onLeave: () => void }) {
  const firstRun = useTexts(firstRunTexts);
  return (
    <Door title={firstRun.tooLate}>
      <div role="alert">
        <p>{firstRun.tooLateWhy}</p>
        <p>{firstRun.tooLateWhatToDo}</p>
      </div>
      <button type="button" class="button button-main" onClick={onLeave}>
        {firstRun.toSignIn}
      </button>
    </Door>
  );
}
