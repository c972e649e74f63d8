import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import { login, logout, makeFirstAccount, type UserData as UserAnswer, verify } from "../contract/session.ts";
import { type Credentials, type PasswordHasher, requirePassword } from "../domain/account.ts";
import { type Clock, MINUTE_MS, monotonicMs } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter, SyncOrAsync } from "../domain/ledger.ts";
import { emailKey, type Member, sessionSeconds } from "../domain/member.ts";
import { isSecret } from "../platform/secret-file.ts";
import { type SessionKeeper, setSessionCookie, tokensOf, unauthorized } from "./auth/session.ts";
import type { Attempt, SignInGate } from "./auth/sign-in-gate.ts";
import { senderOf } from "./middleware.ts";
import { actorOf, type Endpoint, serve } from "./router.ts";

/** How long a first-run token lives. */
export const FIRST_RUN_MS = 30 * MINUTE_MS;
const TOKEN_BYTES = 16;
/** The account on which wrong guesses of the first-run token count. No e-mail has a space. */
const FIRST_USER = "the first user";

export function sessionEndpoints(
  sessions: SessionKeeper,
  passwords: PasswordHasher,
  gate: SignInGate,
  reader: SyncOrAsync<Pick<LedgerReader, "credentials" | "member">>,
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

export function firstAccountEndpoint(
  token: FirstRunToken,
  passwords: PasswordHasher,
  gate: SignInGate,
  writer: Pick<LedgerWriter, "addFirstUser">,
  sessions: SessionKeeper,
): Endpoint {
  return serve(makeFirstAccount, async ({ body, context, by }) => {
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

/** The one-time right to make the first user: a token of 128 bits, in memory. Its time is monotonic. */
export class FirstRunToken {
  readonly #clock: Clock;
  #valid: { readonly secret: string; readonly untilMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a fresh one; an earlier one ends. */
  issue(): string {
    const secret = randomBytes(TOKEN_BYTES).toString("base64url");
    this.#valid = { secret, untilMs: monotonicMs(this.#clock) + FIRST_RUN_MS };
    return secret;
  }

  /** Whether this is the valid one. Takes constant time. */
  accepts(guess: string): boolean {
    if (this.#valid === undefined || monotonicMs(this.#clock) >= this.#valid.untilMs) return false;
    return isSecret(guess, this.#valid.secret);
  }

  revoke(): void {
    this.#valid = undefined;
  }
}
