import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { TRUST_PATH } from "../../domain/member.ts";
import { ApiFailure, BAD_REQUEST, NOT_KEPT, UNAUTHORIZED, waitOf } from "../api/api.ts";
import type { User } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { TextField } from "../element/field.tsx";
import { Form, type FormControl, useForm } from "../element/form.tsx";
import { Notice } from "../element/notice.tsx";
import { WaitingPage } from "../frame/plain-page.tsx";
import { useTitle } from "../frame/view.tsx";
import { LanguageSwitch, Wordmark } from "../frame/wordmark.tsx";
import { doorTexts, firstRunTexts, linkTexts } from "../messages/door.ts";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/use-language.ts";
import { chooseByLink, makeFirstUser, signIn, tryFirstRun, tryLink } from "../session.ts";
import { isGoodPassword, type NewPassword, NewPasswordFields, NO_PASSWORD } from "./new-password.tsx";

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
      <main class="door-main column" id="content">
        <div class="stack">
          <Wordmark />
          <p class="soft">{messages.tagline}</p>
        </div>
        <section class="panel door-card column" aria-labelledby="door-title">
          <h1 class="big" id="door-title" ref={heading} tabIndex={-1}>
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

/** The right words were given, and the browser dropped the cookie: by HTTP some keep none, and leave people before a closed door. */
function NotKept() {
  const { notKept } = useTexts(doorTexts);
  const isPlain = location.protocol === "http:";
  return (
    <Door key="not kept" title={notKept.title}>
      <div class="stack" role="alert">
        <p>{isPlain ? notKept.plain(location.origin) : notKept.blocked}</p>
        <p>{notKept.isDone}</p>
      </div>
      {isPlain && (
        <a class="button button-main" href={TRUST_PATH}>
          {notKept.toHttps}
        </a>
      )}
    </Door>
  );
}

interface SignInProps {
  /** True when a session was there and has ended by itself. */
  readonly hasEnded?: boolean;
  readonly onSignedIn: (user: User) => void;
}

/** Asks for e-mail and password. The address stays, so that signing in leads back to where one was. */
export function SignIn({ hasEnded = false, onSignedIn }: SignInProps) {
  const { door } = useTexts(doorTexts);
  const form = useForm({ email: "", password: "" });
  const { failure } = form;
  const { email, password } = form.values;
  // One text for both fields: an attacker must not learn which of the two is wrong.
  const isRefused = failure?.status === BAD_REQUEST || failure?.status === UNAUTHORIZED;
  const text = waitText(failure, door) ?? (isRefused ? door.badCredentials : undefined);

  const send = () =>
    form.submit(email.trim() !== "" && password !== "", async () =>
      onSignedIn(await signIn(email, password)),
    );

  if (failure?.status === NOT_KEPT) return <NotKept />;
  return (
    <Door title={door.signInTitle}>
      {hasEnded && failure === null && <Notice kind="warn" title={door.ended} />}
      <Form form={form} onSubmit={send} failureText={text} action={door.signIn}>
        <TextField label={door.email} type="email" autocomplete="username" {...form.required("email")} />
        <TextField
          label={door.password}
          type="password"
          autocomplete="current-password"
          {...form.required("password")}
        />
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

/** The same over the page of a session that has ended, which it covers whole: what was typed there is kept, and not shown. */
export function SignInAgain({ onSignedIn }: Pick<SignInProps, "onSignedIn">) {
  const cover = useRef<HTMLDialogElement>(null);
  const show = () => cover.current?.showModal();
  // Modal, because a dialog of the page behind may be: only the newest one can be used.
  useLayoutEffect(() => {
    show();
    // The browser gives the focus back to where it was.
    return () => cover.current?.close();
  }, []);
  return (
    <dialog
      class="door-cover"
      ref={cover}
      onCancel={(event) => event.preventDefault()}
      // A browser closes it all the same at a second Escape.
      onClose={show}
    >
      <SignIn hasEnded onSignedIn={onSignedIn} />
    </dialog>
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
  const { door, mistakes } = useTexts(doorTexts);
  const texts = useTexts(firstRunTexts);
  const form = useForm({ name: "", email: presetEmail, ...NO_PASSWORD });
  const work = async () => {
    const { again: _, ...user } = form.values;
    onSignedIn(await makeFirstUser({ token, ...user }));
  };
  const wrong = (text: string) => ({ type: text, length: text });
  return (
    <LinkDoor texts={texts} token={token} form={form} work={work} onLeave={onLeave} attempt={tryFirstRun}>
      <TextField label={texts.name} autocomplete="name" {...form.required("name", wrong(mistakes.name))} />
      <TextField
        label={door.email}
        type="email"
        autocomplete="username"
        {...form.required("email", { ...wrong(mistakes.email), unique: mistakes.emailTaken })}
      />
    </LinkDoor>
  );
}

/** A member chooses a password, by a link of an owner: invited, or after the old one was lost. */
export function ChoosePassword({ token, presetEmail, onSignedIn, onLeave }: LinkProps) {
  const texts = useTexts(linkTexts);
  const form = useForm(NO_PASSWORD);
  const work = async () => onSignedIn(await chooseByLink(token, form.values.password));
  return (
    <LinkDoor texts={texts} token={token} form={form} work={work} onLeave={onLeave} attempt={tryLink}>
      {/* For the browser's password manager, which keeps the password under it. */}
      <p class="words">{presetEmail}</p>
      <input type="text" autocomplete="username" value={presetEmail} hidden readOnly />
    </LinkDoor>
  );
}

interface LinkDoorProps extends Pick<LinkProps, "token" | "onLeave"> {
  readonly texts: typeof linkTexts.es;
  readonly form: FormControl<NewPassword>;
  /** Asks whether the link still works. */
  readonly attempt: (token: string) => Promise<void>;
  /** Uses the link, and signs in. */
  readonly work: () => Promise<void>;
  /** The fields before those of the password. */
  readonly children: ComponentChildren;
}

/** A form with a password to choose; what to do, where its link no longer works. */
function LinkDoor({ texts, token, form, attempt, work, onLeave, children }: LinkDoorProps) {
  const { door } = useTexts(doorTexts);
  const { tooLate, toSignIn } = useTexts(firstRunTexts);
  const [tried, setTried] = useState<ApiFailure | "waiting" | null>(token === "" ? null : "waiting");
  useEffect(() => {
    if (token === "") return;
    attempt(token).catch((error) => setTried(error instanceof ApiFailure ? error : null));
  }, []);
  if (tried === "waiting") return <WaitingPage />;
  if (form.failure?.status === NOT_KEPT) return <NotKept />;
  if (token === "" || isLinkDead(tried) || isLinkDead(form.failure)) {
    return (
      // Anew, so that the keyboard is taken to what it says.
      <Door key="dead" title={tooLate}>
        <div class="stack" role="alert">
          <p>{texts.tooLateWhy}</p>
          <p>{texts.tooLateWhatToDo}</p>
        </div>
        <Button kind="main" onPress={onLeave}>
          {toSignIn}
        </Button>
      </Door>
    );
  }
  return (
    <Door title={texts.title}>
      <p class="soft">{texts.intro}</p>
      <Form
        form={form}
        onSubmit={() => form.submit(isGoodPassword(form.values), work)}
        failureText={waitText(form.failure, door)}
        action={texts.save}
      >
        {children}
        <NewPasswordFields label={door.password} form={form} />
      </Form>
    </Door>
  );
}

/** How long to wait after too many attempts; undefined for any other failure. */
export function waitText(
  failure: ApiFailure | null,
  door: (typeof doorTexts.es)["door"],
): string | undefined {
  const seconds = waitOf(failure);
  return seconds === null ? undefined : door.tooMany(seconds);
}

/** A refusal that names no field means the link: used, expired, or of another service. */
function isLinkDead(failure: ApiFailure | null): boolean {
  if (failure === null || waitOf(failure) !== null) return false;
  if (failure.fields.has("token")) return true;
  const isRefusal = failure.status >= BAD_REQUEST && failure.status < FIRST_SERVER_ERROR;
  return isRefusal && failure.status !== BAD_REQUEST && failure.fields.size === 0;
}
