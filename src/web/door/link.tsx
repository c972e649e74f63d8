import { useState } from "preact/hooks";
import { type ApiFailure, waitOf } from "../api/api.ts";
import type { User } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { TextField } from "../element/field.tsx";
import { Form, FormFailure, useForm } from "../element/form.tsx";
import { doorTexts, firstRunTexts, linkTexts } from "../messages/door.ts";
import { useTexts } from "../messages/use-language.ts";
import { chooseByLink, makeFirstUser } from "../session.ts";
import { Door } from "./door.tsx";
import { NewPasswordFields, useNewPassword } from "./new-password.tsx";

interface LinkProps {
  /** From the one-time link; empty when the address carried none. */
  readonly token: string;
  /** What the link says of the user; empty where it says nothing. */
  readonly presetEmail: string;
  readonly onSignedIn: (user: User) => void;
  readonly onLeave: () => void;
}

const BAD_REQUEST = 400;
const FIRST_SERVER_ERROR = 500;

/** Makes the first account, by the link that the service prints. */
export function FirstRun({ token, presetEmail, onSignedIn, onLeave }: LinkProps) {
  const texts = useTexts(doorTexts);
  const firstRun = useTexts(firstRunTexts);
  const { form, isBusy, failure, wasSent, submit, mistake } = useForm();
  const [name, setName] = useState("");
  const [email, setEmail] = useState(presetEmail);
  const chosen = useNewPassword();

  if (token === "" || isLinkDead(failure)) {
    return <DeadLink why={firstRun.tooLateWhy} whatToDo={firstRun.tooLateWhatToDo} onLeave={onLeave} />;
  }

  const send = () =>
    submit(chosen.isGood, async () =>
      onSignedIn(await makeFirstUser({ token, name, email, password: chosen.password })),
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
        <NewPasswordFields
          label={texts.door.password}
          chosen={chosen}
          wasSent={wasSent}
          mistake={mistake("password", wrong(mistakes.password))}
        />
        <LinkFailure failure={failure} />
        <Button kind="main" type="submit" isBusy={isBusy}>
          {isBusy ? firstRun.creating : firstRun.create}
        </Button>
      </Form>
    </Door>
  );
}

/** A member chooses a password, by a link of an owner: invited, or after the old one was lost. */
export function ChoosePassword({ token, presetEmail, onSignedIn, onLeave }: LinkProps) {
  const texts = useTexts(doorTexts);
  const link = useTexts(linkTexts);
  const { form, isBusy, failure, wasSent, submit, mistake } = useForm();
  const chosen = useNewPassword();
  const { password: badPassword } = texts.mistakes;

  if (token === "" || isLinkDead(failure)) {
    return <DeadLink why={link.tooLateWhy} whatToDo={link.tooLateWhatToDo} onLeave={onLeave} />;
  }

  const send = () =>
    submit(chosen.isGood, async () => onSignedIn(await chooseByLink(token, chosen.password)));
  return (
    <Door title={link.title}>
      <p class="soft">{link.intro}</p>
      <Form form={form} onSubmit={send}>
        {/* For the browser's password manager, which keeps the password under it. */}
        <p class="words">{presetEmail}</p>
        <input type="text" autocomplete="username" value={presetEmail} hidden readOnly />
        <NewPasswordFields
          label={texts.door.password}
          chosen={chosen}
          wasSent={wasSent}
          mistake={mistake("password", { type: badPassword, length: badPassword })}
        />
        <LinkFailure failure={failure} />
        <Button kind="main" type="submit" isBusy={isBusy}>
          {isBusy ? link.saving : link.save}
        </Button>
      </Form>
    </Door>
  );
}

function LinkFailure({ failure }: { readonly failure: ApiFailure | null }) {
  const { door } = useTexts(doorTexts);
  const waitSeconds = waitOf(failure);
  return (
    <FormFailure failure={failure} text={waitSeconds === null ? undefined : door.tooMany(waitSeconds)} />
  );
}

/** A refusal that names no field means the link: used, expired, or of another service. */
function isLinkDead(failure: ApiFailure | null): boolean {
  if (failure === null || waitOf(failure) !== null) return false;
  if (failure.fields.has("token")) return true;
  const isRefusal = failure.status >= BAD_REQUEST && failure.status < FIRST_SERVER_ERROR;
  return isRefusal && failure.status !== BAD_REQUEST && failure.fields.size === 0;
}

interface DeadLinkProps extends Pick<LinkProps, "onLeave"> {
  readonly why: string;
  readonly whatToDo: string;
}

/** What to do about a link that no longer works. */
function DeadLink({ why, whatToDo, onLeave }: DeadLinkProps) {
  const firstRun = useTexts(firstRunTexts);
  return (
    <Door title={firstRun.tooLate}>
      <div role="alert">
        <p>{why}</p>
        <p>{whatToDo}</p>
      </div>
      <button type="button" class="button button-main" onClick={onLeave}>
        {firstRun.toSignIn}
      </button>
    </Door>
  );
}
