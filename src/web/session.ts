import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { SECOND_MS } from "../domain/clock.ts";
import { sessionSeconds } from "../domain/member.ts";
import { ApiFailure, ask, FORBIDDEN, NOT_KEPT, statusOf, UNAUTHORIZED, UNAVAILABLE } from "./api/api.ts";
import type { Body, Self } from "./api/shapes.ts";

type Session =
  | { readonly kind: "checking" }
  /** The server did not answer; it is asked again. */
  | { readonly kind: "unreachable" }
  | { readonly kind: "signed_out" }
  /** `ended`: it ended by itself. The user's page is kept for when the same user signs in again. */
  | { readonly kind: "signed_in" | "ended"; readonly self: Self };

interface SessionControl {
  readonly session: Session;
  readonly onSignedIn: (self: Self) => void;
  /** To call when the server says that the session has ended. */
  readonly onEnded: () => void;
  readonly onSignOut: () => void;
}

const RETRY_MS = 3_000;
const SIGNED_OUT: Session = { kind: "signed_out" };

/**
 * A cookie beside the session's, which no script can read. It lasts as long and says that it is worth asking who is
 * signed in: without it the sign-in form shows at once, and no refused request stands in the console.
 */
const MARK = "flanco_visitor";

function setMark(self: Self | null): void {
  const value = self === null ? "; max-age=0" : `1; max-age=${sessionSeconds(self.role)}`;
  // biome-ignore lint/suspicious/noDocumentCookie: the CookieStore is younger than the tablets that this page is for.
  document.cookie = `${MARK}=${value}; path=/; secure; samesite=strict`;
}

/** What a browser's tabs tell each other: somebody has signed in. They have one session cookie. */
const SIGN_INS = "flanco.sign_ins";

/** The signed-in user: asked for once at the start, again while the server does not answer, and after a sign-in in another tab. */
export function useSession(): SessionControl {
  const [session, setSession] = useState<Session>(() =>
    document.cookie.split("; ").includes(`${MARK}=1`) ? { kind: "checking" } : SIGNED_OUT,
  );
  const isOpen = session.kind === "checking" || session.kind === "unreachable";

  // Before the first paint, which would otherwise make the answer wait on a slow tablet.
  useLayoutEffect(() => {
    if (!isOpen) return;
    let retry: number | undefined;
    let isCurrent = true;
    const ask = async () => {
      const answer = await askSession();
      if (!isCurrent) return;
      setSession(answer);
      if (answer.kind === "unreachable") retry = setTimeout(() => void ask(), RETRY_MS);
    };
    void ask();
    return () => {
      isCurrent = false;
      clearTimeout(retry);
    };
  }, [isOpen]);

  const otherTabs = useRef<BroadcastChannel | null>(null);
  useEffect(() => {
    const tabs = new BroadcastChannel(SIGN_INS);
    // All that this tab asks for is answered to that member now.
    tabs.onmessage = async () => {
      const answer = await askSession();
      if (answer.kind === "signed_in") setSession(answer);
    };
    otherTabs.current = tabs;
    return () => tabs.close();
  }, []);

  const onSignedIn = useCallback((self: Self) => {
    setMark(self);
    setSession({ kind: "signed_in", self });
    otherTabs.current?.postMessage(null);
  }, []);
  const onEnded = useCallback(() => {
    setMark(null);
    setSession((before) => (before.kind === "signed_in" ? { ...before, kind: "ended" } : before));
  }, []);
  const onSignOut = useCallback(() => {
    void signOut().then(setSession);
  }, []);
  return { session, onSignedIn, onEnded, onSignOut };
}

async function askSession(): Promise<Session> {
  try {
    return { kind: "signed_in", self: await askSelf() };
  } catch (error) {
    if (statusOf(error) === UNAUTHORIZED) {
      setMark(null);
      return SIGNED_OUT;
    }
    console.warn(error);
    return { kind: "unreachable" };
  }
}

/** Only the server can end a session: when it does not answer, the page does not pretend. */
async function signOut(): Promise<Session> {
  try {
    await ask("post", "/api/logout");
    setMark(null);
    return SIGNED_OUT;
  } catch (error) {
    console.warn(error);
    return { kind: "unreachable" };
  }
}

/** Throws ApiFailure, with status 401 for a wrong e-mail or password, FORBIDDEN for a program's key, and NOT_KEPT. Where too many sign in, it tries again, twice. */
export async function signIn(email: string, password: string): Promise<Self> {
  for (let triesLeft = 2; ; triesLeft -= 1) {
    try {
      await ask("post", "/api/login", { email, password });
      break;
    } catch (error) {
      const seconds =
        error instanceof ApiFailure && error.status === UNAVAILABLE ? error.retryAfterSeconds : null;
      if (seconds === null || triesLeft === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, seconds * SECOND_MS));
    }
  }
  return askAccepted();
}

/** Makes the first user and signs in. Throws ApiFailure: 400 names the fields, other 4xx mean a link that does not work. */
export async function makeFirstAccount(self: Body<"post", "/api/first-run">): Promise<Self> {
  await ask("post", "/api/first-run", self);
  return askAccepted();
}

/** Chooses a password by a link and signs in. Throws ApiFailure as `makeFirstAccount` does. */
export async function chooseByLink(token: string, password: string): Promise<Self> {
  await ask("post", "/api/link", { token, password });
  return askAccepted();
}

/** Too short for any account. */
const NO_PASSWORD = "?";

/**
 * Asks whether a one-time link still works, without using it: the service looks at the link before it refuses the password.
 * Throws ApiFailure always: as `makeFirstAccount` does.
 */
export async function tryFirstRun(token: string): Promise<void> {
  await ask("post", "/api/first-run", { token, name: "?", email: "a@example.org", password: NO_PASSWORD });
}

/** The same for a link by which a password is chosen. */
export async function tryLink(token: string): Promise<void> {
  await ask("post", "/api/link", { token, password: NO_PASSWORD });
}

/** Who was just let in. Throws ApiFailure with NOT_KEPT where the session is not there: that is no wrong password, and no dead link. */
async function askAccepted(): Promise<Self> {
  try {
    return await askSelf();
  } catch (error) {
    // A program's session would stay in this browser for a year.
    if (statusOf(error) === FORBIDDEN) await ask("post", "/api/logout");
    if (statusOf(error) !== UNAUTHORIZED) throw error;
    throw new ApiFailure(NOT_KEPT, "the browser does not keep the session");
  }
}

/** The contract's answers do not say the role. */
async function askSelf(): Promise<Self> {
  return (await ask("get", "/api/me")).data;
}
