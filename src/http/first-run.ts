import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Clock, monotonicMs } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import { type PasswordHasher, requirePassword } from "../domain/password.ts";
import { userAnswer } from "./answer.ts";
import { actorOf } from "./audit.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { firstRunBody } from "./schema.ts";
import { type FailedSignIns, noted, proves, type SessionKeeper, signIn, toUserData } from "./session.ts";
import type { SignInGate } from "./sign-in-gate.ts";

/** How long a first-run token lives. */
export const FIRST_RUN_MS = 30 * 60 * 1000;
const TOKEN_BYTES = 16;
/** What guesses are counted on beside their address: no e-mail is like it. */
const ACCOUNT = "the first user";

/** The one-time right to make the first user. Lives in memory; time runs on the monotonic clock. */
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

  /** Whether this is the token, and still valid. Takes the same time whatever was guessed. */
  accepts(guess: string): boolean {
    if (this.#token === undefined || monotonicMs(this.#clock) >= this.#endsMs) return false;
    return timingSafeEqual(digest(guess), digest(this.#token));
  }

  revoke(): void {
    this.#token = undefined;
  }
}

export function firstRunEndpoints(
  token: FirstRunToken,
  passwords: PasswordHasher,
  gate: SignInGate,
  failed: FailedSignIns,
  writer: Pick<LedgerWriter, "addFirstUser">,
  sessions: SessionKeeper,
): readonly Endpoint[] {
  return [
    endpoint({
      method: "post",
      path: "/first-run",
      summary: "Make the first user with the one-time link of the first start, and sign in.",
      session: false,
      body: firstRunBody,
      status: 200,
      answer: userAnswer,
      errors: ["invalid", "unauthorized", "conflict", "too_many", "overloaded", "unavailable", "internal"],
      run: async ({ body, context }) => {
        const proof = proves(gate, context, ACCOUNT, async () => token.accepts(body.token));
        const right = await noted(failed, context, null, proof);
        if (!right) throw expired();
        requirePassword(body.password);
        const passwordHash = await passwords.hash(body.password);
        const { name, email } = body;
        const user = await writer.addFirstUser({ name, email, passwordHash }, actorOf(context, null));
        token.revoke();
        await signIn(sessions, context, { user, passwordHash });
        return { status: "success", userData: toUserData(user) };
      },
    }),
  ];
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function expired(): FlancoError {
  return new FlancoError("unauthorized", "This link has been used or has expired.", {
    hint: "Restart flanco: with no user yet it prints a new one.",
  });
}
