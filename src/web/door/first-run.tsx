import { useState } from "preact/hooks";
import { type ApiFailure, waitOf } from "../api/failure.ts";
import { makeFirstUser, type User } from "../api/session.ts";
import { Button } from "../element/button.tsx";
import { Form } from "../element/form.tsx";
import { FormFailure } from "../element/form-failure.tsx";
import { TextField } from "../element/text-field.tsx";
import { useFirstMistake } from "../element/use-first-mistake.ts";
import { useSending } from "../live/use-sending.ts";
import { doorTexts } from "../messages/door.ts";
import { firstRunTexts } from "../messages/first-run.ts";
import { useTexts } from "../messages/speech.ts";
import { Door } from "./door.tsx";
import { type FieldName, mistakeText } from "./mistake.ts";
import { checkPassword } from "./password.ts";
import { PasswordRules } from "./password-rules.tsx";
import { UsedLink } from "./used-link.tsx";

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

/** Makes the first user of the service. */
export function FirstRun({ token, presetEmail, onSignedIn, onLeave }: FirstRunProps) {
  const texts = useTexts(doorTexts);
  const firstRun = useTexts(firstRunTexts);
  const { isBusy, failure, send } = useSending();
  const { form, look } = useFirstMistake();
  const [name, setName] = useState("");
  const [email, setEmail] = useState(presetEmail);
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [wasSent, setSent] = useState(false);
  const check = checkPassword(password, again);
  const waitSeconds = waitOf(failure);
  const isPasswordGood = check.isLongEnough && check.isShortEnough;

  if (token === "" || (failure !== null && isLinkDead(failure))) return <UsedLink onLeave={onLeave} />;

  const submit = async () => {
    setSent(true);
    if (!isPasswordGood || !check.isRepeated) return look();
    const isDone = await send(async () => onSignedIn(await makeFirstUser({ token, name, email, password })));
    if (!isDone) look();
  };

  const mistakeOf = (field: FieldName): string | undefined => {
    const mistake = failure?.fields.get(field);
    return mistake && mistakeText(field, mistake, texts);
  };
  return (
    <Door title={firstRun.title}>
      <p class="door-intro">{firstRun.intro}</p>
      <Form form={form} onSubmit={submit}>
        <TextField
          label={firstRun.name}
          autocomplete="name"
          value={name}
          onValue={setName}
          isRequired
          mistake={mistakeOf("name")}
        />
        <TextField
          label={texts.door.email}
          type="email"
          autocomplete="username"
          value={email}
          onValue={setEmail}
          isRequired
          mistake={mistakeOf("email")}
        />
        <TextField
          label={texts.door.password}
          type="password"
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
          isRequired
          mistake={wasSent && !isPasswordGood ? texts.mistakes.password : mistakeOf("password")}
          describedBy={RULES_ID}
        />
        <TextField
          label={firstRun.again}
          type="password"
          autocomplete="new-password"
          value={again}
          onValue={setAgain}
          isRequired
          mistake={wasSent && isPasswordGood && !check.isRepeated ? texts.mistakes.again : undefined}
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

/** Whatever the service refuses but a field is the link: used, expired, or never its own. */
function isLinkDead(failure: ApiFailure): boolean {
  if (failure.fields.has("token")) return true;
  if (waitOf(failure) !== null) return false;
  const isRefusal = failure.status >= BAD_REQUEST && failure.status < FIRST_SERVER_ERROR;
  return isRefusal && failure.status !== BAD_REQUEST && failure.fields.size === 0;
}
