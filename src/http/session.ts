import type { Context } from "koa";
import { type Sessions, type SignedIn, sessionSeconds } from "../auth/session.ts";
import type { Attempt, SignInGate } from "../auth/sign-in-gate.ts";
import { login, logout, type User as UserAnswer, verify } from "../contract/session.ts";
import { clientAddress } from "../domain/client-address.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { Member } from "../domain/member.ts";
import type { Credentials, PasswordHasher } from "../domain/user.ts";
import { actorOf, type Endpoint, serve } from "./router.ts";

/** What HTTP needs of sessions. */
export type SessionKeeper = Pick<Sessions, "begin" | "check" | "end">;

const COOKIE = "auth_token";
/** Tokens of one request that are checked: each costs a signature. */
const MAX_TOKENS = 8;

/** The signed-in member of a request; undefined where its cookies are valid for several: one of them was planted. */
export function signedInMember(
  sessions: Pick<SessionKeeper, "check">,
  context: Context,
): SignedIn | undefined {
  let signedIn: SignedIn | undefined;
  for (const token of tokensOf(context)) {
    const valid = sessions.check(token);
    if (valid === undefined) continue;
    if (signedIn !== undefined && signedIn.memberId !== valid.memberId) return undefined;
    signedIn = valid;
  }
  return signedIn;
}

/** The signed-in member of a request. Throws `unauthorized`. */
export function requireSession(sessions: Pick<SessionKeeper, "check">, context: Context): SignedIn {
  const signedIn = signedInMember(sessions, context);
  if (signedIn === undefined) throw unauthorized();
  return signedIn;
}

export function sessionEndpoints(
  sessions: SessionKeeper,
  passwords: PasswordHasher,
  gate: SignInGate,
  reader: Pick<LedgerReader, "credentials" | "member">,
): readonly Endpoint[] {
  return [
    serve(login, async ({ body, context }) => {
      const found = reader.credentials(body.email);
      const isRight = await attemptSignIn(gate, context, {
        account: found?.member.id ?? body.email.normalize("NFC").toLowerCase(),
        userId: found?.member.userId ?? null,
        // An unknown e-mail costs a comparison too, so that its answer takes as long.
        prove: () => passwords.matches(body.password, found?.passwordHash ?? null),
      });
      if (found === undefined || !isRight) throw unauthorized();
      await signIn(sessions, context, found);
      return { userData: toUserData(found.member) };
    }),
    serve(verify, ({ signedIn }) => {
      const member = reader.member(signedIn.memberId);
      if (member === undefined) throw unauthorized();
      return { userData: toUserData(member) };
    }),
    serve(logout, async ({ context, by }) => {
      setSessionCookie(context, "", 0);
      // All of them, because the next request would use the one that is left.
      for (const token of tokensOf(context)) await sessions.end(token, by);
    }),
  ];
}

/** Compares what a client sent once the gate lets it. Rejects with `too_many` after too many failures. */
export function attemptSignIn(
  gate: SignInGate,
  { req: { socket } }: Context,
  attempt: Pick<Attempt, "account" | "userId" | "prove">,
): Promise<boolean> {
  const address = clientAddress(socket.remoteAddress);
  return gate.attempt({ ...attempt, address, isGone: () => socket.destroyed });
}

/** Begins a session and sets its cookie. Rejects with `unauthorized` when the credentials have changed meanwhile. */
export async function signIn(
  sessions: SessionKeeper,
  context: Context,
  credentials: Credentials,
): Promise<void> {
  const token = await sessions.begin(credentials, actorOf(context, null));
  setSessionCookie(context, token, sessionSeconds(credentials.member.role));
}

export function toUserData({ id, name, email }: Member): UserAnswer {
  return { _id: id, name, email };
}

function unauthorized(): FlancoError {
  return new FlancoError("unauthorized", "Unauthorized");
}

/**
 * The session tokens of a request, the likeliest last. Browsers send the cookie of the longest path first: a cookie that
 * a forged page of plain HTTP has set for `Path=/api` stands before the service's own, which is for `/`.
 */
function tokensOf({ req }: Context): readonly string[] {
  const tokens: string[] = [];
  for (const pair of (req.headers.cookie ?? "").split(";")) {
    const cookie = pair.trim();
    if (cookie.startsWith(`${COOKIE}=`)) tokens.push(cookie.slice(COOKIE.length + 1));
  }
  return tokens.slice(-MAX_TOKENS);
}

/**
 * Writes the contract's cookie. It is Secure on a plain connection too, where browsers accept it from localhost and
 * koa's own cookies refuse it.
 */
function setSessionCookie(context: Context, token: string, maxAgeSeconds: number): void {
  writeCookie(context, token, maxAgeSeconds, "/");
  // Of several cookies all but one were set by somebody else, for longer paths: they are removed.
  if (tokensOf(context).length < 2) return;
  for (const path of pathsUnder(context.path)) writeCookie(context, "", 0, path);
}

function writeCookie(context: Context, token: string, maxAgeSeconds: number, path: string): void {
  context.append(
    "Set-Cookie",
    `${COOKIE}=${token}; Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; Secure; SameSite=None`,
  );
}

/** Every path but `/` whose cookies a browser sends to this one: for `/api/login` it is `/api`, `/api/` and itself. */
function pathsUnder(path: string): readonly string[] {
  const paths: string[] = [];
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
    paths.push(path.slice(0, end), path.slice(0, end + 1));
  }
  return [...paths, path];
}
