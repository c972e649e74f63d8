import { isIPv6 } from "node:net";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { FailedSignIns } from "./failed-sign-ins.ts";
import { Throttle } from "./throttle.ts";

/** Failures a minute, of one address and on one account, that cause no delay. */
const FREE_FAILURES = 5;
/** The same for one IPv6 /64, not counting addresses that have signed in. */
const FREE_NETWORK_FAILURES = 50;
/** Comparisons under way: the thread computes one while the next one waits there. */
const AT_ONCE = 2;
const MAX_WAITING = 256;
/** Addresses that have signed in, remembered until the next start. */
const MAX_FAMILIAR = 1_024;
const MS_PER_SECOND = 1_000;

/** One attempt to sign in. */
export interface Attempt {
  /** The client's address, as `clientAddress` gives it. */
  readonly address: string;
  /** What failures count on beside the address: the account's id, or the unknown e-mail. */
  readonly account: string;
  /** For the audit log; null for an unknown account. */
  readonly userId: Id | null;
  /** Whether the client has hung up. */
  readonly isGone: () => boolean;
  /** Compares what was sent. Called at most once. */
  readonly prove: () => Promise<boolean>;
}

interface Waiting extends Attempt {
  readonly resolve: (isRight: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Slows down guessing without slowing down other users.
 *
 * - Delays belong to addresses. After five failures a minute an address is refused for a second, then twice as long after
 *   each further failure, up to a minute. A refused attempt costs no comparison, and does not prolong the delay.
 * - An account is never delayed, because an attacker could lock its owner out. After five failures on it, from any
 *   addresses, each further failure on it delays its address at once: many addresses guess one password no faster.
 * - One machine can have a whole IPv6 /64. Each /64 has a budget of failures too, whose delays spare addresses that have
 *   signed in before.
 * - An address has no more comparisons under way than free failures, so that parallel attempts do not evade the count.
 * - Addresses take turns: those that have signed in before, then those with the fewest failures.
 */
export class SignInGate {
  readonly #addresses: Throttle;
  readonly #networks: Throttle;
  readonly #accounts: Throttle;
  readonly #failed: Pick<FailedSignIns, "note">;
  /** Addresses that have signed in, the latest last. */
  readonly #familiar = new Set<string>();
  /** Addresses that had a turn stand behind those that wait for their first. */
  #waiting: readonly Waiting[] = [];
  /** The addresses of the comparisons under way. */
  readonly #running: string[] = [];

  constructor(clock: Clock, failed: Pick<FailedSignIns, "note">) {
    this.#addresses = new Throttle(clock, FREE_FAILURES);
    this.#networks = new Throttle(clock, FREE_NETWORK_FAILURES);
    this.#accounts = new Throttle(clock, FREE_FAILURES);
    this.#failed = failed;
  }

  /**
   * Waits for a turn and gives what `prove` says. Rejects with `too_many` while the address is delayed, with
   * `overloaded` when too many others wait, and with the error of `prove`, which counts as no failure. Everything but a
   * success goes to the audit log.
   */
  async attempt(attempt: Attempt): Promise<boolean> {
    let isRight = false;
    try {
      const delayMs = this.#delayMs(attempt.address);
      if (delayMs > 0) throw tooMany(delayMs);
      this.#makeRoom(attempt.address);
      isRight = await new Promise<boolean>((resolve, reject) => {
        this.#waiting = [...this.#waiting, { ...attempt, resolve, reject }];
        this.#fill();
      });
      return isRight;
    } finally {
      if (!isRight) this.#failed.note(attempt.address, attempt.userId);
    }
  }

  #delayMs(address: string): number {
    const ownMs = this.#addresses.waitMs(address);
    const network = this.#networkToCount(address);
    return network === undefined ? ownMs : Math.max(ownMs, this.#networks.waitMs(network));
  }

  /** The /64 whose budget counts for an address; undefined for IPv4 and for an address that has signed in. */
  #networkToCount(address: string): string | undefined {
    return isIPv6(address) && !this.#familiar.has(address) ? networkOf(address) : undefined;
  }

  /** When all waiting slots are taken, the address with the most gives up its last for one with fewer. */
  #makeRoom(address: string): void {
    if (this.#waiting.length < MAX_WAITING) return;
    const byAddress = Map.groupBy(this.#waiting, (waiting) => waiting.address);
    const own = byAddress.get(address)?.length ?? 0;
    const [most = []] = [...byAddress.values()].sort((one, other) => other.length - one.length);
    const last = most.at(-1);
    if (last === undefined || most.length <= own + 1) throw crowded();
    this.#waiting = this.#waiting.filter((waiting) => waiting !== last);
    last.reject(crowded());
  }

  #fill(): void {
    while (this.#running.length < AT_ONCE) {
      const next = this.#takeNext();
      if (next === undefined) return;
      void this.#run(next);
    }
  }

  #takeNext(): Waiting | undefined {
    const rank = ({ address }: Waiting) =>
      this.#familiar.has(address) ? -1 : this.#addresses.weight(address);
    const [next] = this.#waiting
      .filter(({ address }) => this.#mayRun(address))
      .sort((one, other) => rank(one) - rank(other));
    if (next === undefined) return undefined;
    const others = this.#waiting.filter((waiting) => waiting !== next);
    const isOfAddress = ({ address }: Waiting) => address === next.address;
    this.#waiting = [...others.filter((waiting) => !isOfAddress(waiting)), ...others.filter(isOfAddress)];
    return next;
  }

  #mayRun(address: string): boolean {
    const running = this.#running.filter((other) => other === address).length;
    return running < Math.max(1, this.#addresses.left(address));
  }

  async #run(attempt: Waiting): Promise<void> {
    const { address, resolve, reject } = attempt;
    if (attempt.isGone()) {
      reject(new FlancoError("too_many", "The client has hung up."));
      return;
    }
    this.#running.push(address);
    try {
      const isRight = await attempt.prove();
      if (isRight) this.#remember(address);
      else this.#fail(attempt);
      resolve(isRight);
    } catch (error) {
      reject(error);
    } finally {
      this.#running.splice(this.#running.indexOf(address), 1);
      this.#fill();
    }
  }

  #fail({ address, account }: Attempt): void {
    const isFree = this.#accounts.left(account) > 0;
    this.#accounts.fail(account, true);
    this.#addresses.fail(address, isFree);
    const network = this.#networkToCount(address);
    if (network !== undefined) this.#networks.fail(network, true);
    this.#refuseDelayed();
  }

  /** Refuses the attempts that wait behind a failure that caused a delay. */
  #refuseDelayed(): void {
    const delayed = this.#waiting.filter(({ address }) => this.#delayMs(address) > 0);
    this.#waiting = this.#waiting.filter((waiting) => !delayed.includes(waiting));
    for (const { address, reject } of delayed) reject(tooMany(this.#delayMs(address)));
  }

  #remember(address: string): void {
    this.#familiar.delete(address);
    this.#familiar.add(address);
    const [oldest] = this.#familiar;
    if (this.#familiar.size > MAX_FAMILIAR && oldest !== undefined) this.#familiar.delete(oldest);
  }
}

/** The first four groups of an IPv6 address, with `::` written out. */
function networkOf(address: string): string {
  const [head = "", tail = ""] = address.split("::");
  const front = head.split(":");
  const zeros = Math.max(0, 8 - front.length - tail.split(":").length);
  const groups = address.includes("::")
    ? [...front, ...Array<string>(zeros).fill("0"), ...tail.split(":")]
    : front;
  return groups
    .slice(0, 4)
    .map((group) => group || "0")
    .join(":");
}

function tooMany(waitMs: number): FlancoError {
  const seconds = Math.ceil(waitMs / MS_PER_SECOND);
  return new FlancoError("too_many", "Too many attempts.", {
    hint: `Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    retryAfterSeconds: seconds,
  });
}

function crowded(): FlancoError {
  return new FlancoError("overloaded", "Too many people are signing in.", {
    hint: "Try again in a few seconds.",
  });
}
