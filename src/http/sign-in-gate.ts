import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ClientAddress } from "./client-address.ts";
import { Throttle } from "./throttle.ts";

/** Wrong passwords a minute, of one address and on one account, that cost nobody any time. */
export const FREE_FAILURES = 5;
/** Of all addresses of an IPv6 network that nobody has signed in from. */
const FREE_NETWORK_FAILURES = 50;
/** Comparisons under way at once: one that is computed, one that is next. */
const AT_ONCE = 2;
const MAX_WAITING = 256;
const MAX_WAITING_OF_ADDRESS = 64;
/** Addresses that somebody has signed in from, remembered until the next start. */
const MAX_FAMILIAR = 1_024;
const MS_PER_SECOND = 1_000;

/** One attempt to prove something. */
export interface Attempt {
  readonly from: ClientAddress;
  /** The account that is asked for, whether it is there or not, in a form that has no variants. */
  readonly account: string;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
  /** Resolves with whether it was proved. Runs at most once, on its turn. */
  readonly prove: () => Promise<boolean>;
}

interface Waiting extends Attempt {
  readonly resolve: (isRight: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Slows down who guesses, and nobody else.
 *
 * - What delays is the address: five failures a minute are free, whatever they were on; then nothing from there is
 *   looked at for a second, and twice as long after each further failure, up to a minute. What comes meanwhile is
 *   refused, right or wrong, before it costs a comparison, and prolongs nothing.
 * - An account is never delayed: somebody else could lock its owner out. Five failures on it, from wherever, use up
 *   what is free on it: from then on each failure on it delays its address at once. So many addresses guess at one
 *   account no better than one does each, and its owner gets in with the first right password.
 * - IPv6 gives one machine as many addresses as it likes, so that a network has a budget of its own, which is for
 *   addresses alone that nobody has signed in from.
 * - An address has no more attempts under way than it may fail, so that many at once are no way around the count.
 * - Whoever waits takes turns by address: those that somebody has signed in from first, then those with the fewest
 *   failures. A crowd of attackers waits behind everybody else.
 */
export class SignInGate {
  readonly #addresses: Throttle;
  readonly #networks: Throttle;
  readonly #accounts: Throttle;
  readonly #familiar = new Set<string>();
  /** By address; who had a turn stands last. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #running = new Map<string, number>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor(clock: Clock) {
    this.#addresses = new Throttle(clock, FREE_FAILURES);
    this.#networks = new Throttle(clock, FREE_NETWORK_FAILURES);
    this.#accounts = new Throttle(clock, FREE_FAILURES);
  }

  /**
   * Waits for its turn and gives whether it was proved. Rejects with `too_many` while its address is delayed, with
   * `overloaded` when too many others wait, and with what `prove` rejects with, which counts as no failure.
   */
  async attempt(attempt: Attempt): Promise<boolean> {
    this.#requireNoDelay(attempt.from);
    this.#makeRoom(attempt.from.address);
    return new Promise((resolve, reject) => {
      const { address } = attempt.from;
      const queue = this.#waiting.get(address) ?? [];
      queue.push({ ...attempt, resolve, reject });
      this.#waiting.set(address, queue);
      this.#waitingCount += 1;
      this.#fill();
    });
  }

  #requireNoDelay(from: ClientAddress): void {
    const waitMs = this.#delayMs(from);
    if (waitMs > 0) throw tooMany(waitMs);
  }

  #delayMs({ address, network }: ClientAddress): number {
    const ownMs = this.#addresses.waitMs(address);
    if (network === null || this.#familiar.has(address)) return ownMs;
    return Math.max(ownMs, this.#networks.waitMs(network));
  }

  /** Where all places are taken, the address with the most waiting gives one up for one with fewer. */
  #makeRoom(address: string): void {
    const own = this.#waiting.get(address)?.length ?? 0;
    if (own >= MAX_WAITING_OF_ADDRESS) throw crowded();
    if (this.#waitingCount < MAX_WAITING) return;
    const [greediest] = [...this.#waiting.entries()].sort(([, a], [, b]) => b.length - a.length);
    if (greediest === undefined || greediest[1].length <= own + 1) throw crowded();
    const last = greediest[1].pop();
    this.#waitingCount -= 1;
    last?.reject(crowded());
  }

  #fill(): void {
    while (this.#runningCount < AT_ONCE) {
      const next = this.#takeNext();
      if (next === undefined) return;
      void this.#run(next);
    }
  }

  /** The one whose turn it is; undefined when nobody waits who may have one. */
  #takeNext(): Waiting | undefined {
    let best: string | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    for (const address of this.#waiting.keys()) {
      const rank = this.#familiar.has(address) ? -1 : this.#addresses.weight(address);
      if (rank >= bestRank || !this.#hasTurn(address)) continue;
      best = address;
      bestRank = rank;
    }
    if (best === undefined) return undefined;
    const queue = this.#waiting.get(best) ?? [];
    const next = queue.shift();
    this.#waiting.delete(best);
    if (queue.length > 0) this.#waiting.set(best, queue);
    this.#waitingCount -= 1;
    return next;
  }

  #hasTurn(address: string): boolean {
    return (this.#running.get(address) ?? 0) < Math.max(1, this.#addresses.left(address));
  }

  async #run(attempt: Waiting): Promise<void> {
    const { from, resolve, reject } = attempt;
    if (attempt.isGone()) {
      reject(gone());
      return;
    }
    this.#count(from.address, 1);
    try {
      const isRight = await attempt.prove();
      if (isRight) this.#remember(from.address);
      else this.#fail(attempt);
      resolve(isRight);
    } catch (error) {
      reject(error);
    } finally {
      this.#count(from.address, -1);
      this.#fill();
    }
  }

  #count(address: string, change: 1 | -1): void {
    this.#runningCount += change;
    const running = (this.#running.get(address) ?? 0) + change;
    if (running === 0) this.#running.delete(address);
    else this.#running.set(address, running);
  }

  #fail({ from, account }: Attempt): void {
    const isFree = this.#accounts.left(account) > 0;
    this.#accounts.fail(account, true);
    this.#addresses.fail(from.address, isFree);
    if (from.network !== null && !this.#familiar.has(from.address)) this.#networks.fail(from.network, true);
    this.#refuseDelayed();
  }

  /** Whoever waits behind a failure that began a delay is told so at once. */
  #refuseDelayed(): void {
    for (const [address, queue] of this.#waiting) {
      const [first] = queue;
      const waitMs = first === undefined ? 0 : this.#delayMs(first.from);
      if (waitMs === 0) continue;
      this.#waiting.delete(address);
      this.#waitingCount -= queue.length;
      for (const { reject } of queue) reject(tooMany(waitMs));
    }
  }

  #remember(address: string): void {
    this.#familiar.delete(address);
    this.#familiar.add(address);
    const [oldest] = this.#familiar;
    if (this.#familiar.size > MAX_FAMILIAR && oldest !== undefined) this.#familiar.delete(oldest);
  }
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

function gone(): FlancoError {
  return new FlancoError("too_many", "Nobody waits for this attempt any more.");
}
