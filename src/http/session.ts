import type { Context } from "koa";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { PasswordHasher } from "../domain/password.ts";
import type { User, UserCredentials } from "../domain/user.ts";
import { success, userAnswer } from "./answer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { loginBody } from "./schema.ts";

/** What HTTP needs of sessions. */
export interface SessionKeeper {
  readonly lifetimeSeconds: number;
  /**
   * Resolves with a token once the session is durable. Rejects with `unauthorized` when the credentials
   * are not the stored ones any more.
   */
  begin(credentials: UserCredentials): Promise<string>;
  check(token: string): { readonly userId: Id } | undefined;
  /** Ends a session at once. Never rejects: what cannot be stored yet is the keeper's to try again. */
  end(token: string): Promise<void>;
}

/** The cookie that holds the session's token. */
export const COOKIE = "auth_token";

/** The signed-in user of a request. Throws `unauthorized`. */
export function requireSession(sessions: SessionKeeper, context: Context): Id {
  const token = context.cookies.get(COOKIE);
  const signedIn = token === undefined ? undefined : sessions.check(token);
  if (signedIn === undefined) throw unauthorized();
  return signedIn.userId;
}

export function sessionEndpoints(
  sessions: SessionKeeper,
  passwords: PasswordHasher,
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
      errors: ["invalid", "unauthorized", "overloaded", "unavailable", "internal"],
      texts: { unauthorized: "Invalid Credentials" },
      run: async ({ body, context }) => {
        const found = reader.credentials(body.email);
        // An unknown e-mail costs a comparison too, so that its answer tells nothing.
        const right = await passwords.matches(body.password, found?.passwordHash ?? null);
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
        const token = context.cookies.get(COOKIE);
        setCookie(context, "", 0);
        if (token !== undefined) await sessions.end(token);
        return { status: "success" };
      },
    }),
  ];
}

/** Begins a session and gives its cookie to the client. Throws `unauthorized` for credentials of the past. */
export async function signIn(
  sessions: SessionKeeper,
  context: Context,
  credentials: UserCredentials,
): Promise<void> {
  setCookie(context, await sessions.begin(credentials), sessions.lifetimeSeconds);
}

export function toUserData(user: User): { _id: Id; name: string; email: string } {
  return { _id: user.id, name: user.name, email: user.email };
}

/**
 * Writes the contract's cookie: Secure always, also on a plain connection, where browsers take it from
 * localhost and koa's own cookie layer refuses it.
 */
function setCookie(context: Context, token: string, maxAgeSeconds: number): void {
  context.append(
    "Set-Cookie",
    `${COOKIE}=${token}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; Secure; SameSite=None`,
  );
}

function unauthorized(): FlancoError {
  return new FlancoError("unauthorized", "Unauthorized");
}
