import type { Context } from "koa";
import type { Actor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { PasswordHasher } from "../domain/password.ts";
import type { User, UserCredentials } from "../domain/user.ts";
import { success, userAnswer } from "./answer.ts";
import { actorOf } from "./audit.ts";
import { clientAddress } from "./client-address.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { loginBody } from "./schema.ts";
import { setSessionCookie, tokensOf } from "./session-cookie.ts";
import type { SignInGate } from "./sign-in-gate.ts";

/** What HTTP needs of sessions. */
export interface SessionKeeper {
  readonly lifetimeSeconds: number;
  /**
   * Resolves with a token once the session is durable. Rejects with `unauthorized` when the credentials
   * are not the stored ones any more.
   */
  begin(credentials: UserCredentials, by: Actor): Promise<string>;
  check(token: string): { readonly userId: Id } | undefined;
  /** Ends a session at once. Never rejects: what cannot be stored yet is the keeper's to try again. */
  end(token: string, by: Actor): Promise<void>;
}

/** Counts sign-ins that failed, for the audit log. */
export interface FailedSignIns {
  /** `userId` is null where there is no such account. */
  note(address: string, userId: Id | null): void;
}

/** The token of the session that a request belongs to: of several that stand the last. */
export function standingToken(sessions: Pick<SessionKeeper, "check">, context: Context): string | undefined {
  return tokensOf(context).findLast((token) => sessions.check(token) !== undefined);
}

/** The signed-in user of a request. Throws `unauthorized`. */
export function requireSession(sessions: SessionKeeper, context: Context): Id {
  const token = standingToken(sessions, context);
  const signedIn = token === undefined ? undefined : sessions.check(token);
  if (signedIn === undefined) throw unauthorized();
  return signedIn.userId;
}

export function sessionEndpoints(
  sessions: SessionKeeper,
  passwords: PasswordHasher,
  gate: SignInGate,
  failed: FailedSignIns,
  reader: Pick<LedgerReader, "credentials" | "user">,
): readonly Endpoint[] {
  return [
    endpoint({
      method: "post",
      path: "/login",
      summary: "Sign in: sets the session cookie.",
      session: false,
      body: loginBody,
      status: 200,
      answer: userAnswer,
      errors: ["invalid", "unauthorized", "too_many", "overloaded", "unavailable", "internal"],
      texts: { unauthorized: "Invalid Credentials" },
      run: async ({ body, context }) => {
        const found = reader.credentials(body.email);
        const proof = proves(gate, context, found?.user.id ?? variantless(body.email), () =>
          // An unknown e-mail costs a comparison too, so that its answer tells nothing.
          passwords.matches(body.password, found?.passwordHash ?? null),
        );
        const right = await noted(failed, context, found?.user.id ?? null, proof);
        if (found === undefined || !right) throw unauthorized();
        await signIn(sessions, context, found);
        return { status: "success", userData: toUserData(found.user) };
      },
    }),
    endpoint({
      method: "get",
      path: "/verify",
      summary: "Who is signed in.",
      session: true,
      status: 200,
      answer: userAnswer,
      errors: ["unavailable", "internal"],
      run: ({ userId }) => {
        const user = reader.user(userId);
        if (user === undefined) throw unauthorized();
        return { status: "success", userData: toUserData(user) };
      },
    }),
    endpoint({
      method: "post",
      path: "/logout",
      summary: "Sign out: the session ends at once, its cookie is removed. Needs no session.",
      session: false,
      status: 200,
      answer: success,
      errors: [],
      run: async ({ context }) => {
        setSessionCookie(context, "", 0);
        // Every one: whichever was left would be the next request's.
        for (const token of tokensOf(context)) await sessions.end(token, actorOf(context, null));
        return { status: "success" };
      },
    }),
  ];
}

/** An unknown e-mail as failures on it are counted. */
function variantless(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

/** Whether a client proves something, once it is its turn. Throws `too_many` where it has failed too often. */
export function proves(
  gate: SignInGate,
  { req: { socket } }: Context,
  account: string,
  prove: () => Promise<boolean>,
): Promise<boolean> {
  const from = clientAddress(socket.remoteAddress);
  return gate.attempt({ from, account, isGone: () => socket.destroyed, prove });
}

/** The same proof, once it is noted where it is none: also where it was refused before it was looked at. */
export async function noted(
  failed: FailedSignIns,
  context: Context,
  userId: Id | null,
  proof: Promise<boolean>,
): Promise<boolean> {
  let isRight = false;
  try {
    isRight = await proof;
    return isRight;
  } finally {
    if (!isRight) failed.note(actorOf(context, null).from, userId);
  }
}

/** Begins a session and gives its cookie to the client. Throws `unauthorized` for credentials of the past. */
export async function signIn(
  sessions: SessionKeeper,
  context: Context,
  credentials: UserCredentials,
): Promise<void> {
  setSessionCookie(
    context,
    await sessions.begin(credentials, actorOf(context, null)),
    sessions.lifetimeSeconds,
  );
}

export function toUserData(user: User): { _id: Id; name: string; email: string } {
  return { _id: user.id, name: user.name, email: user.email };
}

function unauthorized(): FlancoError {
  return new FlancoError("unauthorized", "Unauthorized");
}
