import { useEffect, useRef, useState } from "preact/hooks";
import { ApiFailure, type FieldFailure, statusOf, UNREACHABLE } from "../api/failure.ts";
import { makeFirstUser, type User } from "../api/session.ts";
import { useMessages } from "../messages/speech.ts";
import { Door } from "./door.tsx";
import { Field } from "./field.tsx";
import { FormFailure } from "./form-failure.tsx";
import { type FieldName, mistakeText } from "./mistake.ts";
import { checkPassword } from "./password.ts";
import { PasswordRules } from "./password-rules.tsx";
import { UsedLink } from "./used-link.tsx";

interface FirstRunProps {
  /** From the one-time link; empty when the address carried none. */
  readonly token: string;
  readonly onSignedIn: (user: User) => void;
  readonly onLeave: () => void;
}

const BAD_REQUEST = 400;
const FIRST_SERVER_ERROR = 500;
const RULES_ID = "password-rules";

/** Makes the first user of the service. */
export function FirstRun({ token, onSignedIn, onLeave }: FirstRunProps) {
  const messages = useMessages();
  const { door, firstRun, live, mistakes } = messages;
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [wasSent, setSent] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const check = checkPassword(password, again);
  const form = useRef<HTMLFormElement>(null);
  const [attempt, setAttempt] = useState(0);
  // After an attempt that failed, the keyboard goes to the first field that is wrong.
  useEffect(() => {
    if (attempt > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [attempt]);

  if (token === "" || (failure !== null && isLinkDead(failure))) return <UsedLink onLeave={onLeave} />;

  const submit = async () => {
    setSent(true);
    setFailure(null);
    if (!check.isLongEnough || !check.isShortEnough || !check.isRepeated) {
      setAttempt(attempt + 1);
      return;
    }
    setBusy(true);
    try {
      onSignedIn(await makeFirstUser({ token, name, email, password }));
    } catch (error) {
      setFailure(error instanceof ApiFailure ? error : new ApiFailure(UNREACHABLE, String(error)));
      setBusy(false);
      setAttempt(attempt + 1);
    }
  };

  const mistakeOf = (field: FieldName): string | undefined => {
    const mistake: FieldFailure | undefined = failure?.fields.get(field);
    return mistake && mistakeText(field, mistake, messages);
  };
  const isPasswordBad = wasSent && (!check.isLongEnough || !check.isShortEnough);
  const isRepetitionBad = wasSent && !isPasswordBad && !check.isRepeated;
  const hasFieldMistake = failure !== null && failure.fields.size > 0;

  return (
    <Door title={firstRun.title}>
      <p class="door-intro">{firstRun.intro}</p>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field
          label={firstRun.name}
          type="text"
          autocomplete="name"
          value={name}
          onValue={setName}
          mistake={mistakeOf("name")}
        />
        <Field
          label={door.email}
          type="email"
          autocomplete="username"
          value={email}
          onValue={setEmail}
          mistake={mistakeOf("email")}
        />
        <Field
          label={door.password}
          type="password"
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
          mistake={isPasswordBad ? mistakes.password : mistakeOf("password")}
          describedBy={RULES_ID}
        />
        <Field
          label={firstRun.again}
          type="password"
          autocomplete="new-password"
          value={again}
          onValue={setAgain}
          mistake={isRepetitionBad ? mistakes.again : undefined}
        />
        <PasswordRules id={RULES_ID} check={check} />
        <FormFailure
          text={
            failure === null || hasFieldMistake
              ? null
              : statusOf(failure) === UNREACHABLE
                ? live.unreachable
                : door.failed
          }
        />
        <button type="submit" class="button" disabled={isBusy}>
          {isBusy ? firstRun.creating : firstRun.create}
        </button>
      </form>
    </Door>
  );
}

/** Whatever the service refuses but a field is the link: used, expired, or never its own. */
function isLinkDead(failure: ApiFailure): boolean {
  if (failure.fields.has("token")) return true;
  const isRefusal = failure.status >= BAD_REQUEST && failure.status < FIRST_SERVER_ERROR;
  return isRefusal && failure.status !== BAD_REQUEST && failure.fields.size === 0;
}
