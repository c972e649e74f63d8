import { useState } from "preact/hooks";
import { waitOf } from "../api/api.ts";
import type { User } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { TextField } from "../element/field.tsx";
import { Form, FormFailure, useSending } from "../element/form.tsx";
import { doorTexts } from "../messages/door.ts";
import { useTexts } from "../messages/use-language.ts";
import { signIn } from "../session.ts";
import { Door } from "./door.tsx";

interface SignInProps {
  /** True when a session was there and has ended by itself. */
  readonly hasEnded: boolean;
  readonly onSignedIn: (user: User) => void;
}

const BAD_REQUEST = 400;
const UNAUTHORIZED = 401;

/** Asks for e-mail and password. The address stays, so that signing in leads back to where one was. */
export function SignIn({ hasEnded, onSignedIn }: SignInProps) {
  const { door } = useTexts(doorTexts);
  const { isBusy, failure, send } = useSending();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  // One text for both fields: an attacker must not learn which of the two is wrong.
  const isRefused = failure?.status === BAD_REQUEST || failure?.status === UNAUTHORIZED;
  const waitSeconds = waitOf(failure);
  const text =
    waitSeconds === null ? (isRefused ? door.badCredentials : undefined) : door.tooMany(waitSeconds);

  const submit = () => send(async () => onSignedIn(await signIn(email, password)));

  return (
    <Door title={door.signInTitle}>
      {hasEnded && failure === null && <p class="door-note">{door.ended}</p>}
      <Form onSubmit={submit}>
        <TextField
          label={door.email}
          type="email"
          autocomplete="username"
          value={email}
          onValue={setEmail}
          isRequired
        />
        <TextField
          label={door.password}
          type="password"
          autocomplete="current-password"
          value={password}
          onValue={setPassword}
          isRequired
        />
        <FormFailure failure={failure} text={text} />
        <Button kind="main" type="submit" isBusy={isBusy}>
          {isBusy ? door.signingIn : door.signIn}
        </Button>
      </Form>
      <details class="fine">
        <summary>{door.forgotten}</summary>
        <p>{door.forgottenAsk}</p>
        <p>{door.forgottenOwner}</p>
      </details>
      <p class="fine">{door.firstTime}</p>
    </Door>
  );
}
