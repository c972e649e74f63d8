import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import { login, logout, makeFirstUser, type User as UserAnswer, verify } from "../contract/session.ts";
import { type Clock, MINUTE_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { EitherWay, LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { emailKey, type Member, sessionSeconds } from "../domain/member.ts";
import { type Credentials, type PasswordHasher, requirePassword } from "../domain/user.ts";
import { OneTimeCode } from "./auth/one-time-code.ts";
import type { SessionKeeper, SignedIn } from "./auth/session.ts";
import type { Attempt, SignInGate } from "./auth/sign-in-gate.ts";
import { senderOf } from "./guard.ts";
import { actorOf, type Endpoint, serve } from "./router.ts";

const COOKIE = "auth_token";
/** Fixed dates, because the gateway's clock may be wrong: where both are understood, Max-Age counts alone. */
const FAR = "Thu, 31 Dec 2037 23:55:55 GMT";
const PAST = "Thu, 01 Jan 1970 00:00:00 GMT";
/** The most tokens of one request that are checked: each costs a signature. */
const MAX_TOKENS = 8;

/** How long a first-run token lives. */
export const FIRST_RUN_MS = 30 * MINUTE_MS;
const TOKEN_BYTES = 16;
/** The account on which wrong guesses of the first-run token count. No e-mail has a space. */
const FIRST_USER = "the first user";

/**
 * The member of the sessions in a request's cookies; undefined
 * where they are of several members, because then one was planted.
 */
export function oneMember(sessions: readonly (SignedIn | undefined)[]): SignedIn | undefined {
  const valid = sessions.filter((session) => session !== undefined);
  const last = valid.at(-1);
  return valid.every(({ memberId }) => memberId === last?.memberId) ? last : undefined;
}

/** The signed-in member of a request. Rejects with `unauthorized`. */
export async function requireSession(
  sessions: Pick<SessionKeeper, "check">,
  context: Context,
): Promise<SignedIn> {
  const found: (SignedIn | undefined)[] = [];
  for (const token of tokensOf(context)) found.push(await sessions.check(token));
  const signedIn = oneMember(found);
  if (signedIn === undefined) throw unauthorized();
  return signedIn;
}

export function sessionEndpoints(
  sessions: SessionKeeper,
  passwords: PasswordHasher,
  gate: SignInGate,
  reader: EitherWay<Pick<LedgerReader, "credentials" | "member">>,
): readonly Endpoint[] {
  return [
    serve(login, async ({ body, context }) => {
      const found = await reader.credentials(body.email);
      const credentials = await attemptSignIn(gate, context, {
        account: found?.member.id ?? emailKey(body.email),
        userId: found?.member.userId ?? null,
        // Compares for an unknown e-mail too, so that its answer takes as long.
        prove: async () => (await passwords.matches(body.password, found?.passwordHash ?? null)) && found,
      });
      if (credentials === undefined) throw unauthorized();
      await signIn(sessions, context, credentials);
      return { userData: toUserData(credentials.member) };
    }),
    serve(verify, async ({ signedIn }) => {
      const member = await reader.member(signedIn.memberId);
      if (member === undefined) throw unauthorized();
      return { userData: toUserData(member) };
    }),
    serve(logout, async ({ context, by }) => {
      setSessionCookie(context, "", 0);
      // All sessions of the request, because the next request would use a remaining one.
      for (const token of tokensOf(context)) await sessions.end(token, by);
    }),
  ];
}

/** The one-time right to make the first user: a token of 128 bits. */
export function firstRunToken(clock: Clock): OneTimeCode {
  return new OneTimeCode(clock, FIRST_RUN_MS, () => randomBytes(TOKEN_BYTES).toString("base64url"));
}

export function firstUserEndpoint(
  token: OneTimeCode,
  passwords: PasswordHasher,
  gate: SignInGate,
  writer: Pick<LedgerWriter, "addFirstUser">,
  sessions: SessionKeeper,
): Endpoint {
  return serve(makeFirstUser, async ({ body, context, by }) => {
    const prove = async () => token.accepts(body.token);
    if (!(await attemptSignIn(gate, context, { account: FIRST_USER, userId: null, prove }))) {
      throw new FlancoError("unauthorized", "This link has been used or has expired.", {
        hint: "While there is no user, flanco prints a new one at each start and every 30 minutes.",
      });
    }
    requirePassword(body.password);
    const passwordHash = await passwords.hash(body.password);
    const { name, email } = body;
    const member = await writer.addFirstUser({ name, email, passwordHash }, by);
    token.revoke();
    await signIn(sessions, context, { member, passwordHash });
    return { userData: toUserData(member) };
  });
}

/** Compares what a client sent, by `SignInGate.attempt`. Rejects with `too_many` after too many failures. */
export function attemptSignIn<T>(
  gate: SignInGate,
  context: Context,
  attempt: Pick<Attempt<T>, "account" | "userId" | "prove">,
): Promise<T | undefined> {
  const isGone = () => context.req.socket.destroyed;
  return gate.attempt({ ...attempt, address: senderOf(context), isGone });
}

/**
 * Begins a session and sets its cookie. Rejects with
 * `unauthorized` when the credentials have changed meanwhile.
 */
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
 * The session tokens of a request, the service's own last. Browsers send the
 * cookie of the longest path first: a cookie that a forged page of plain HTTP
 * has set for `Path=/api` comes before the service's own, which is for `/`.
 */
export function tokensOf({ req }: Context): readonly string[] {
  const tokens: string[] = [];
  for (const pair of (req.headers.cookie ?? "").split(";")) {
    const cookie = pair.trim();
    // Some programs quote what they send back.
    if (cookie.startsWith(`${COOKIE}=`))
      tokens.push(cookie.slice(COOKIE.length + 1).replace(/^"(.*)"$/, "$1"));
  }
  return tokens.slice(-MAX_TOKENS);
}

/**
 * Writes the contract's cookie. It is Secure on a plain connection too,
 * where browsers accept it from localhost and koa's own cookies refuse it.
 */
function setSessionCookie(context: Context, token: string, maxAgeSeconds: number): void {
  writeCookie(context, token, maxAgeSeconds, "/");
  // All but one of several cookies were set by somebody else, for longer paths. These are removed.
  if (tokensOf(context).length < 2) return;
  for (const path of pathsUnder(context.path)) writeCookie(context, "", 0, path);
}

/** Java's cookie jar takes a cookie without an Expires for one of RFC 2965, and sends it back in that form. */
function writeCookie(context: Context, token: string, maxAgeSeconds: number, path: string): void {
  const lasts = `Max-Age=${maxAgeSeconds}; Expires=${maxAgeSeconds > 0 ? FAR : PAST}`;
  context.append("Set-Cookie", `${COOKIE}=${token}; ${lasts}; Path=${path}; HttpOnly; Secure; SameSite=None`);
}

/**
 * Every path but `/` whose cookies a browser sends to this
 * one: for `/api/login` it is `/api`, `/api/` and itself.
 */
function pathsUnder(path: string): readonly string[] {
  const paths: string[] = [];
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
    paths.push(path.slice(0, end), path.slice(0, end + 1));
  }
  return [...paths, path];
}
