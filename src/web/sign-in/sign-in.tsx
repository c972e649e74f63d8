import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { TRUST_PATH } from "../../domain/member.ts";
import { ApiFailure, BAD_REQUEST, FORBIDDEN, NOT_KEPT, UNAUTHORIZED, waitOf } from "../api/api.ts";
import type { Self } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { TextField } from "../element/field.tsx";
import { Form, type FormControl, useForm } from "../element/form.tsx";
import { Notice } from "../element/notice.tsx";
import { WaitingPage } from "../frame/plain-page.tsx";
import { useTitle } from "../frame/view.tsx";
import { LanguageSwitch, Wordmark } from "../frame/wordmark.tsx";
import { frameTexts } from "../messages/frame.ts";
import { firstRunTexts, linkTexts, signInTexts } from "../messages/sign-in.ts";
import { useTexts } from "../messages/use-language.ts";
import { chooseByLink, makeFirstAccount, signIn, tryFirstRun, tryLink } from "../session.ts";
import { isGoodPassword, type NewPassword, NewPasswordFields, NO_PASSWORD } from "./new-password.tsx";

interface SignInFrameProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

function SignInFrame({ title, children }: SignInFrameProps) {
  const messages = useTexts(frameTexts);
  const heading = useRef<HTMLHeadingElement>(null);
  // The view has changed under the reader: say which one it is, and start the keyboard there.
  useEffect(() => heading.current?.focus(), []);
  useTitle(title);
  return (
    <div class="sign-in">
      <div class="sign-in-top">
        <LanguageSwitch />
      </div>
      <main class="sign-in-main column" id="content">
        <div class="stack">
          <Wordmark />
          <p class="soft">{messages.tagline}</p>
        </div>
        <section class="panel sign-in-card column" aria-labelledby="sign-in-title">
          <h1 class="big" id="sign-in-title" ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {children}
        </section>
      </main>
      <Wave />
    </div>
  );
}

/** Decoration: the level of a line through time, as an oscilloscope shows it. */
function Wave() {
  return (
    <svg class="sign-in-wave" viewBox="0 0 1200 120" preserveAspectRatio="none" aria-hidden="true">
      <path d="M0 100H150V30H330V100H470V30H520V100H730V30H980V100H1080V30H1200" />
    </svg>
  );
}

/** The right words were given, and the browser dropped the cookie: by HTTP some keep none, and leave people before a closed door. */
function NotKept() {
  const { notKept } = useTexts(signInTexts);
  const isPlain = location.protocol === "http:";
  return (
    <SignInFrame key="not kept" title={notKept.title}>
      <div class="stack" role="alert">
        <p>{isPlain ? notKept.plain(location.origin) : notKept.blocked}</p>
        <p>{notKept.isDone}</p>
      </div>
      {isPlain && (
        <a class="button button-main" href={TRUST_PATH}>
          {notKept.toHttps}
        </a>
      )}
    </SignInFrame>
  );
}

interface SignInProps {
  /** True when a session was there and has ended by itself. */
  readonly hasEnded?: boolean;
  readonly onSignedIn: (self: Self) => void;
}

/** Asks for e-mail and password. The address stays, so that signing in leads back to where one was. */
export function SignIn({ hasEnded = false, onSignedIn }: SignInProps) {
  const { labels } = useTexts(signInTexts);
  const form = useForm({ email: "", password: "" });
  const { failure } = form;
  const { email, password } = form.values;
  // One text for both fields: an attacker must not learn which of the two is wrong.
  const isRefused = failure?.status === BAD_REQUEST || failure?.status === UNAUTHORIZED;
  const text = waitText(failure, labels) ?? (isRefused ? labels.badCredentials : undefined);

  const send = () =>
    form.submit(email.trim() !== "" && password !== "", async () =>
      onSignedIn(await signIn(email, password)),
    );

  if (failure?.status === NOT_KEPT) return <NotKept />;
  return (
    <SignInFrame title={labels.signInTitle}>
      {hasEnded && failure === null && <Notice kind="warn" title={labels.ended} />}
      <Form
        form={form}
        onSubmit={send}
        failures={{ [FORBIDDEN]: labels.ofProgram }}
        failureText={text}
        action={labels.signIn}
      >
        <TextField label={labels.email} type="email" autocomplete="username" {...form.required("email")} />
        <TextField
          label={labels.password}
          type="password"
          autocomplete="current-password"
          {...form.required("password")}
        />
      </Form>
      <details class="fine">
        <summary>{labels.forgotten}</summary>
        <p>{labels.forgottenAsk}</p>
        <p>{labels.forgottenOwner}</p>
      </details>
      <p class="fine">{labels.firstTime}</p>
    </SignInFrame>
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
      class="sign-in-cover"
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
  readonly onSignedIn: (self: Self) => void;
  readonly onLeave: () => void;
}

const FIRST_SERVER_ERROR = 500;

/** Makes the first account, by the link that the service prints. */
export function FirstRun({ token, presetEmail, onSignedIn, onLeave }: LinkProps) {
  const { labels, mistakes } = useTexts(signInTexts);
  const texts = useTexts(firstRunTexts);
  const form = useForm({ name: "", email: presetEmail, ...NO_PASSWORD });
  const work = async () => {
    const { again: _, ...self } = form.values;
    onSignedIn(await makeFirstAccount({ token, ...self }));
  };
  const wrong = (text: string) => ({ type: text, length: text });
  return (
    <LinkForm texts={texts} token={token} form={form} work={work} onLeave={onLeave} attempt={tryFirstRun}>
      <TextField label={texts.name} autocomplete="name" {...form.required("name", wrong(mistakes.name))} />
      <TextField
        label={labels.email}
        type="email"
        autocomplete="username"
        {...form.required("email", { ...wrong(mistakes.email), unique: mistakes.emailTaken })}
      />
    </LinkForm>
  );
}

/** A member chooses a password, by a link of an owner: invited, or after the old one was lost. */
export function ChoosePassword({ token, presetEmail, onSignedIn, onLeave }: LinkProps) {
  const texts = useTexts(linkTexts);
  const form = useForm(NO_PASSWORD);
  const work = async () => onSignedIn(await chooseByLink(token, form.values.password));
  return (
    <LinkForm texts={texts} token={token} form={form} work={work} onLeave={onLeave} attempt={tryLink}>
      {/* For the browser's password manager, which keeps the password under it. */}
      <p class="words">{presetEmail}</p>
      <input type="text" autocomplete="username" value={presetEmail} hidden readOnly />
    </LinkForm>
  );
}

interface LinkFormProps extends Pick<LinkProps, "token" | "onLeave"> {
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
function LinkForm({ texts, token, form, attempt, work, onLeave, children }: LinkFormProps) {
  const { labels } = useTexts(signInTexts);
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
      <SignInFrame key="dead" title={tooLate}>
        <div class="stack" role="alert">
          <p>{texts.tooLateWhy}</p>
          <p>{texts.tooLateWhatToDo}</p>
        </div>
        <Button kind="main" onPress={onLeave}>
          {toSignIn}
        </Button>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={texts.title}>
      <p class="soft">{texts.intro}</p>
      <Form
        form={form}
        onSubmit={() => form.submit(isGoodPassword(form.values), work)}
        failureText={waitText(form.failure, labels)}
        action={texts.save}
      >
        {children}
        <NewPasswordFields label={labels.password} form={form} />
      </Form>
    </SignInFrame>
  );
}

/** How long to wait after too many attempts; undefined for any other failure. */
export function waitText(
  failure: ApiFailure | null,
  labels: (typeof signInTexts.es)["labels"],
): string | undefined {
  const seconds = waitOf(failure);
  return seconds === null ? undefined : labels.tooMany(seconds);
}

/** A refusal that names no field means the link: used, expired, or of another service. */
function isLinkDead(failure: ApiFailure | null): boolean {
  if (failure === null || waitOf(failure) !== null) return false;
  if (failure.fields.has("token")) return true;
  const isRefusal = failure.status >= BAD_REQUEST && failure.status < FIRST_SERVER_ERROR;
  return isRefusal && failure.status !== BAD_REQUEST && failure.fields.size === 0;
}
