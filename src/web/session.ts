import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { send } from "./api/send.ts";
import { currentUser, signOut, type User } from "./api/session.ts";
import { loadStatus, type Status } from "./api/status.ts";

export type Session =
  | { readonly kind: "checking" }
  /** The server did not answer; it is asked again. */
  | { readonly kind: "unreachable" }
  /** `hasEnded`: it was there and ended by itself. */
  | { readonly kind: "signed_out"; readonly hasEnded: boolean }
  /** `status` is what the gateway said of itself in the same go; null when it was not asked. */
  | { readonly kind: "signed_in"; readonly user: User; readonly status: Status | null };

export interface SessionControl {
  readonly session: Session;
  readonly onSignedIn: (user: User) => void;
  /** To call when the server says that the session has ended. */
  readonly onEnded: () => void;
  readonly onSignOut: () => void;
}

const RETRY_MS = 3_000;

/** Who is signed in: asked once at the start, again and again while the server does not answer. */
export function useSession(): SessionControl {
  const [session, setSession] = useState<Session>({ kind: "checking" });
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

  const onSignedIn = useCallback((user: User) => setSession({ kind: "signed_in", user, status: null }), []);
  const onEnded = useCallback(() => setSession({ kind: "signed_out", hasEnded: true }), []);
  const onSignOut = useCallback(() => {
    void leave().then(setSession);
  }, []);
  return { session, onSignedIn, onEnded, onSignOut };
}

async function askSession(): Promise<Session> {
  try {
    // Side by side: every view needs both before it can show anything.
    const [user, status] = await Promise.all([currentUser(), firstStatus()]);
    return user === null ? { kind: "signed_out", hasEnded: false } : { kind: "signed_in", user, status };
  } catch (error) {
    console.warn(error);
    return { kind: "unreachable" };
  }
}

/** Null while nobody is signed in, and for any other trouble: it is asked again behind the door. */
async function firstStatus(): Promise<Status | null> {
  try {
    return await loadStatus({ get: (path) => send({ method: "GET", path }) });
  } catch {
    return null;
  }
}

/** Only the server can end a session: when it does not answer, the page does not pretend. */
async function leave(): Promise<Session> {
  try {
    await signOut();
    return { kind: "signed_out", hasEnded: false };
  } catch (error) {
    console.warn(error);
    return { kind: "unreachable" };
  }
}
