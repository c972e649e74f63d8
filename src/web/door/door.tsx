import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiFailure, BAD_REQUEST, UNAUTHORIZED, waitOf } from "../api/api.ts";
import type { User } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { TextField } from "../element/field.tsx";
import { Form, FormFailure, useForm, useSending } from "../element/form.tsx";
import { useTitle } from "../frame/view.tsx";
import { LanguageSwitch, Wordmark } from "../frame/wordmark.tsx";
import { doorTexts, firstRunTexts, linkTexts } from "../messages/door.ts";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/use-language.ts";
import { chooseByLink, makeFirstUser, signIn } from "../session.ts";
import { NewPasswordFields, useNewPassword } from "./new-password.tsx";

interface DoorProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

function Door({ title, children }: DoorProps) {
  const messages = useTexts(frameTexts);
  const heading = useRef<HTMLHeadingElement>(null);
  // The view has changed under the reader: say which one it is, and start the keyboard there.
  useEffect(() => heading.current?.focus(), []);
  useTitle(title);
  return (
    <div class="door">
      <div class="door-top">
        <LanguageSwitch />
      </div>
      <main class="door-main" id="content">
        <div class="door-brand">
          <Wordmark />
          <p>{messages.tagline}</p>
        </div>
        <section class="panel door-card" aria-labelledby="door-title">
          <h1 id="door-title" ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {children}
        </section>
      </main>
      <DoorWave />
    </div>
  );
}

/** Decoration: the level of a line through time, as an oscilloscope shows it. */
function DoorWave() {
  return (
    <svg class="door-wave" viewBox="0 0 1200 120" preserveAspectRatio="none" aria-hidden="true">
      <path d="M0 100H150V30H330V100H470V30H520V100H730V30H980V100H1080V30H1200" />
    </svg>
  );
}

interface SignInProps {
  /** True when a session was there and has ended by itself. */
  readonly hasEnded: boolean;
  readonly onSignedIn: (user: User) => void;
}

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

interface LinkProps {
  /** From the one-time link; empty when the address carried none. */
  readonly token: string;
  /** What the link says of the user; empty where it says nothing. */
  readonly presetEmail: string;
  readonly onSignedIn: (user: User) => void;
  readonly onLeave: () => void;
}

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
