import { type Clock, monotonicMs } from "../../domain/clock.ts";
import { isSecret } from "../../platform/secret-file.ts";

/** A secret that is valid for a time. Lives in memory; its time is monotonic. */
export class OneTimeCode {
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #make: () => string;
  #valid: { readonly secret: string; readonly untilMs: number } | undefined;

  /** @param make makes a secret that cannot be guessed within that time */
  constructor(clock: Clock, lifeMs: number, make: () => string) {
    this.#clock = clock;
    this.#lifeMs = lifeMs;
    this.#make = make;
  }

  /** Makes a fresh one; an earlier one ends. */
  issue(): string {
    this.#valid = { secret: this.#make(), untilMs: monotonicMs(this.#clock) + this.#lifeMs };
    return this.#valid.secret;
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
