import { useState } from "preact/hooks";
import { statusOf } from "../api/failure.ts";
import { signIn, type User } from "../api/session.ts";
import { useMessages } from "../messages/speech.ts";
import { Door } from "./door.tsx";
import { Field } from "./field.tsx";
import { FormFailure } from "./form-failure.tsx";

interface SignInProps {
  /** True when a session was there and has ended by itself. */
  readonly hasEnded: boolean;
  readonly onSignedIn: (user: User) => void;
}

const BAD_REQUEST = 400;
const UNAUTHORIZED = 401;

/** Asks for e-mail and password. The address stays, so that signing in leads back to where one was. */
export function SignIn({ hasEnded, onSignedIn }: SignInProps) {
  const { door, live } = useMessages();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<number | null>(null);

  const submit = async () => {
    setBusy(true);
    setFailure(null);
    try {
      onSignedIn(await signIn(email, password));
    } catch (error) {
      setFailure(statusOf(error));
      setBusy(false);
    }
  };

  return (
    <Door title={door.signInTitle}>
      {hasEnded && failure === null && <p class="door-note">{door.ended}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field label={door.email} type="email" autocomplete="username" value={email} onValue={setEmail} />
        <Field
          label={door.password}
          type="password"
          autocomplete="current-password"
          value={password}
          onValue={setPassword}
        />
        <FormFailure
          text={
            failure === null
              ? null
              : signInFailure(failure, door.badCredentials, live.unreachable, door.failed)
          }
        />
        <button type="submit" class="button" disabled={isBusy}>
          {isBusy ? door.signingIn : door.signIn}
        </button>
      </form>
      <p class="door-hint">{door.firstTime}</p>
    </Door>
  );
}

function signInFailure(status: number, wrong: string, unreachable: string, other: string): string {
  if (status === UNAUTHORIZED || status === BAD_REQUEST) return wrong;
  return status === 0 ? unreachable : other;
}
