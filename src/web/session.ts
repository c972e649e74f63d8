import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import type { Ahead } from "./api/ahead.ts";
import { currentUser, signOut, type User } from "./api/session.ts";
import { hasSessionMark, removeSessionMark, setSessionMark } from "./session-mark.ts";

export type Session =
  | { readonly kind: "checking" }
  /** The server did not answer; it is asked again. */
  | { readonly kind: "unreachable" }
  /** `hasEnded`: it was there and ended by itself. */
  | { readonly kind: "signed_out"; readonly hasEnded: boolean }
  | { readonly kind: "signed_in"; readonly user: User };

export interface SessionControl {
  readonly session: Session;
  readonly onSignedIn: (user: User) => void;
  /** To call when the server says that the session has ended. */
  readonly onEnded: () => void;
  readonly onSignOut: () => void;
}

const RETRY_MS = 3_000;
const SIGNED_OUT: Session = { kind: "signed_out", hasEnded: false };

/**
 * Who is signed in: asked once at the start, again and again while the server does not answer. Where nobody can
 * be, nobody is asked about.
 */
export function useSession(ahead: Ahead): SessionControl {
  const [session, setSession] = useState<Session>(() =>
    hasSessionMark() ? { kind: "checking" } : SIGNED_OUT,
  );
  const isOpen = session.kind === "checking" || session.kind === "unreachable";

  // Before the first paint, which would otherwise make the answer wait on a slow tablet.
  useLayoutEffect(() => {
    if (!isOpen) return;
    let retry: number | undefined;
    let isCurrent = true;
    const ask = async () => {
      const answer = await askSession(ahead);
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

  const onSignedIn = useCallback((user: User) => {
    setSessionMark();
    setSession({ kind: "signed_in", user });
  }, []);
  const onEnded = useCallback(() => {
    removeSessionMark();
    setSession({ kind: "signed_out", hasEnded: true });
  }, []);
  const onSignOut = useCallback(() => {
    void leave().then(setSession);
  }, []);
  return { session, onSignedIn, onEnded, onSignOut };
}

async function askSession(ahead: Ahead): Promise<Session> {
  try {
    const user = await currentUser(ahead);
    if (user === null) {
      removeSessionMark();
      return SIGNED_OUT;
    }
    // So that the first view is laid out once, with what it shows: on a slow tablet that is most of an opening.
    await ahead.settled();
    return { kind: "signed_in", user };
  } catch (error) {
    console.warn(error);
    return { kind: "unreachable" };
  }
}

/** Only the server can end a session: when it does not answer, the page does not pretend. */
async function leave(): Promise<Session> {
  try {
    await signOut();
    removeSessionMark();
    return SIGNED_OUT;
  } catch (error) {
    console.warn(error);
    return { kind: "unreachable" };
  }
}
