import { randomBytes } from "node:crypto";
import type { SessionKeeper } from "../auth/session.ts";
import type { SignInGate } from "../auth/sign-in-gate.ts";
import { makeFirstUser } from "../contract/session.ts";
import { type Clock, MINUTE_MS, monotonicMs } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import { type PasswordHasher, requirePassword } from "../domain/user.ts";
import { isSecret } from "../secret-file.ts";
import { type Endpoint, serve } from "./router.ts";
import { attemptSignIn, signIn, toUserData } from "./session.ts";

/** How long a first-run token lives. */
export const FIRST_RUN_MS = 30 * MINUTE_MS;
const TOKEN_BYTES = 16;
/** Guesses count on this beside their address. No e-mail has a space. */
const ACCOUNT = "the first user";

/** The one-time right to make the first user. Lives in memory; its time is monotonic. */
export class FirstRunToken {
  readonly #clock: Clock;
  #token: string | undefined;
  #endsMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a fresh token of 128 bits, valid 30 minutes; an earlier one ends. */
  issue(): string {
    this.#token = randomBytes(TOKEN_BYTES).toString("base64url");
    this.#endsMs = monotonicMs(this.#clock) + FIRST_RUN_MS;
    return this.#token;
  }

  /** Whether this is the valid token. Takes constant time. */
  accepts(guess: string): boolean {
    if (this.#token === undefined || monotonicMs(this.#clock) >= this.#endsMs) return false;
    return isSecret(guess, this.#token);
  }

  revoke(): void {
    this.#token = undefined;
  }
}

export function firstRunEndpoints(
  token: FirstRunToken,
  passwords: PasswordHasher,
  gate: SignInGate,
  writer: Pick<LedgerWriter, "addFirstUser">,
  sessions: SessionKeeper,
): readonly Endpoint[] {
  return [
    serve(makeFirstUser, async ({ body, context, by }) => {
      const prove = async () => token.accepts(body.token);
      if (!(await attemptSignIn(gate, context, { account: ACCOUNT, userId: null, prove }))) {
        throw new FlancoError("unauthorized", "This link has been used or has expired.", {
          hint: "Restart flanco: with no user yet it prints a new one.",
        });
      }
      requirePassword(body.password);
      const passwordHash = await passwords.hash(body.password);
      const { name, email } = body;
      const member = await writer.addFirstUser({ name, email, passwordHash }, by);
      token.revoke();
      await signIn(sessions, context, { member, passwordHash });
      return { userData: toUserData(member) };
    }),
  ];
}
