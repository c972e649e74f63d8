import { isIPv6 } from "node:net";
import { type Clock, MINUTE_MS, monotonicMs, SECOND_MS } from "../../domain/clock.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { FailedSignIns } from "./failed-sign-ins.ts";
import { Throttle } from "./throttle.ts";

/** So many failures a minute from one address, and on one account, cause no delay. */
const FREE_FAILURES = 5;
/** The same for one IPv6 /64, without addresses that have signed in. */
const FREE_NETWORK_FAILURES = 50;
/** Comparisons at once: the thread computes one while the next one waits there. */
const AT_ONCE = 2;
const MAX_WAITING = 256;
/** How long an attempt waits while all waiting slots are taken. */
const MAX_WAIT_MS = 2_000;
/** The most sign-ins of one account in a minute. A whole clinic may share an account. */
const MAX_SIGN_INS = 60;
/** How many addresses are remembered as having signed in, the latest ones. */
export const MAX_FAMILIAR = 1_024;
/**
 * An address that has signed in before comes before a new one even with so many more attempts in a minute:
 * otherwise a crowd of new addresses that fills the waiting slots would push out the attempts that wait there.
 */
const TRUST_IN_FAMILIAR = 5;
/** So many attempts within a minute rank alike, so that trying again after a 503 costs no rank. */
const ALIKE = 3;
/** The most addresses, and accounts, whose attempts of a minute are counted. */
const MAX_COUNTED = 4_096;

/** One attempt to sign in, which gives a `T` if it succeeds. */
export interface Attempt<T> {
  /** The client's address, as `clientAddress` gives it. */
  readonly address: string;
  /** The account on which failures count: its id, or the unknown e-mail. */
  readonly account: string;
  /** For the audit log; null for an unknown account. */
  readonly userId: Id | null;
  readonly isGone: () => boolean;
  /** Compares the credentials; false or undefined where they are wrong. Called at most once. */
  readonly prove: () => Promise<T | false | undefined>;
}

/** An attempt that waits for its turn. */
interface Waiting extends Pick<Attempt<unknown>, "address" | "isGone"> {
  /** Monotonic. */
  readonly sinceMs: number;
  /** Called when its turn comes. */
  readonly begin: () => void;
  readonly refuse: (error: FlancoError) => void;
}

/**
 * Slows down guessing without slowing down other users.
 *
 * - Delays belong to addresses. After five failures a minute an address is
 * refused for a second, then twice as long after each further failure, up to a
 * minute. A refused attempt costs no comparison, and does not prolong the delay.
 * - Accounts are never delayed, because an attacker could lock an owner out. After
 * five failures on an account, from any addresses, each further failure on it
 * delays its address at once, so that many addresses guess one password no faster.
 * - One machine can have a whole IPv6 /64. Each /64 has a budget of
 * failures too, whose delays spare addresses that have signed in before.
 * - An address has no more comparisons under way than free
 * failures, so that parallel attempts do not evade the count.
 * - The address with the fewest attempts (beyond three) and failures of the last minute comes first, and
 * among equals the latest: a crowd that came before does not hold it up. Every second turn is for
 * addresses that have not signed in before. When all waiting slots are taken, attempts that have waited
 * for two seconds are refused: later ones were served before them, and an attempt that is repeated is the
 * latest. If none has waited so long, the address with the most waiting attempts loses its first one.
 * - One account signs in at most 60 times a minute.
 */
export class SignInGate {
  readonly #clock: Clock;
  readonly #addresses: Throttle;
  readonly #networks: Throttle;
  readonly #accounts: Throttle;
  readonly #attempts: MinuteCounts;
  readonly #signIns: MinuteCounts;
  readonly #failed: Pick<FailedSignIns, "note">;
  /** Addresses that have signed in, the latest last. */
  readonly #familiar: Set<string>;
  /** In the order of their arrival. */
  #waiting: readonly Waiting[] = [];
  /** The addresses of the comparisons under way. */
  readonly #running: string[] = [];
  #isTurnOfNew = false;

  /** @param familiar addresses that have signed in before, the latest last */
  constructor(clock: Clock, failed: Pick<FailedSignIns, "note">, familiar: Iterable<string> = []) {
    this.#clock = clock;
    this.#addresses = new Throttle(clock, FREE_FAILURES);
    this.#networks = new Throttle(clock, FREE_NETWORK_FAILURES);
    this.#accounts = new Throttle(clock, FREE_FAILURES);
    this.#attempts = new MinuteCounts(clock);
    this.#signIns = new MinuteCounts(clock);
    this.#failed = failed;
    this.#familiar = new Set(familiar);
  }

  /** Lets an address send an attempt. Throws `too_many` while it is delayed, which goes to the audit log. */
  admit(address: string): void {
    const delayMs = this.#delayMs(address);
    if (delayMs === 0) return;
    this.#failed.note(address, null);
    throw tooMany(delayMs);
  }

  /** Counts an attempt that could not be read as a failure of its address. */
  refuse(address: string): void {
    this.#failed.note(address, null);
    this.#failFrom(address, true);
  }

  /**
   * Waits for a turn and gives what `prove` gives; undefined where the credentials are
   * wrong. Rejects with `too_many` while the address is delayed or the account has signed
   * in too often, with `overloaded` when too many others wait, and with the error of
   * `prove`, which counts as no failure. Everything but a success goes to the audit log.
   */
  async attempt<T>({ address, account, userId, isGone, prove }: Attempt<T>): Promise<T | undefined> {
    let proved: T | undefined;
    try {
      const delayMs = this.#delayMs(address);
      if (delayMs > 0) throw tooMany(delayMs);
      this.#requireFewer(account);
      this.#attempts.add(address);
      await this.#turn(address, isGone);
      try {
        const found = (await prove()) || undefined;
        if (found === undefined) this.#fail(address, account);
        else this.#succeed(address, account);
        proved = found;
      } finally {
        this.#running.splice(this.#running.indexOf(address), 1);
        this.#fill();
      }
      return proved;
    } finally {
      if (proved === undefined) this.#failed.note(address, userId);
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

  /** The rank of an address; a smaller one comes first. */
  #rank(address: string): number {
    const trust = this.#familiar.has(address) ? TRUST_IN_FAMILIAR : 0;
    return Math.max(ALIKE, this.#attempts.of(address)) + this.#addresses.weight(address) - trust;
  }

  /** Waits for a turn, in which the address counts as running. Rejects as `attempt` says. */
  #turn(address: string, isGone: () => boolean): Promise<void> {
    this.#makeRoom(address);
    const sinceMs = monotonicMs(this.#clock);
    return new Promise<void>((begin, refuse) => {
      this.#waiting = [...this.#waiting, { address, isGone, sinceMs, begin, refuse }];
      this.#fill();
    });
  }

  #makeRoom(address: string): void {
    if (this.#waiting.length < MAX_WAITING) return;
    const latestMs = monotonicMs(this.#clock) - MAX_WAIT_MS;
    const overdue = this.#waiting.filter(({ sinceMs }) => sinceMs <= latestMs);
    if (overdue.length > 0) {
      this.#refuse(overdue, crowded);
      return;
    }
    const ranks = this.#waiting.map((waiting) => this.#rank(waiting.address));
    const highest = Math.max(...ranks);
    const worst = this.#waiting[ranks.indexOf(highest)];
    if (worst === undefined || highest < this.#rank(address)) throw crowded();
    this.#refuse([worst], crowded);
  }

  /** Gives turns to waiting attempts while fewer than `AT_ONCE` run. */
  #fill(): void {
    while (this.#running.length < AT_ONCE) {
      const next = this.#takeNext();
      if (next === undefined) return;
      if (next.isGone()) {
        next.refuse(new FlancoError("too_many", "The client has hung up."));
      } else {
        this.#running.push(next.address);
        next.begin();
      }
    }
  }

  #takeNext(): Waiting | undefined {
    const ready = this.#waiting.filter(({ address }) => {
      const running = this.#running.filter((other) => other === address).length;
      return running < Math.max(1, this.#addresses.left(address));
    });
    const own = ready.filter(({ address }) => this.#familiar.has(address) !== this.#isTurnOfNew);
    const [next] = (own.length > 0 ? own : ready)
      .toReversed()
      .sort((one, other) => this.#rank(one.address) - this.#rank(other.address));
    if (next === undefined) return undefined;
    this.#isTurnOfNew = !this.#isTurnOfNew;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    return next;
  }

  #requireFewer(account: string): void {
    if (this.#signIns.of(account) >= MAX_SIGN_INS) throw tooMany(this.#signIns.leftMs(account));
  }

  #succeed(address: string, account: string): void {
    // Others may have come with this one.
    this.#requireFewer(account);
    this.#remember(address);
    this.#signIns.add(account);
  }

  #fail(address: string, account: string): void {
    this.#failFrom(address, this.#accounts.left(account) > 0);
    this.#accounts.fail(account, true);
  }

  /** Counts a failure of an address. With `isFree` false it delays the address even if it is the first. */
  #failFrom(address: string, isFree: boolean): void {
    this.#addresses.fail(address, isFree);
    const network = this.#networkToCount(address);
    if (network !== undefined) this.#networks.fail(network, true);
    // Attempts that wait behind a failure by which their address is delayed.
    const delayed = this.#waiting.filter(({ address }) => this.#delayMs(address) > 0);
    this.#refuse(delayed, (address) => tooMany(this.#delayMs(address)));
  }

  #refuse(refused: readonly Waiting[], errorFor: (address: string) => FlancoError): void {
    this.#waiting = this.#waiting.filter((waiting) => !refused.includes(waiting));
    for (const { address, refuse } of refused) refuse(errorFor(address));
  }

  #remember(address: string): void {
    this.#familiar.delete(address);
    this.#familiar.add(address);
    const [oldest] = this.#familiar;
    if (this.#familiar.size > MAX_FAMILIAR && oldest !== undefined) this.#familiar.delete(oldest);
  }
}

/**
 * Counts by key in a minute that begins with the key's first
 * event. Beyond a bound the key that began first is forgotten.
 */
class MinuteCounts {
  readonly #clock: Clock;
  readonly #counts = new Map<string, { readonly untilMs: number; count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(key: string): number {
    return this.#current(key)?.count ?? 0;
  }

  /** How long the key's minute lasts on, in milliseconds. */
  leftMs(key: string): number {
    return (this.#current(key)?.untilMs ?? 0) - monotonicMs(this.#clock);
  }

  add(key: string): void {
    const current = this.#current(key);
    if (current !== undefined) {
      current.count += 1;
      return;
    }
    this.#counts.delete(key);
    this.#counts.set(key, { untilMs: monotonicMs(this.#clock) + MINUTE_MS, count: 1 });
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_COUNTED && oldest !== undefined) this.#counts.delete(oldest);
  }

  /** The count of a minute that has not ended. */
  #current(key: string): { readonly untilMs: number; count: number } | undefined {
    const found = this.#counts.get(key);
    return found === undefined || found.untilMs <= monotonicMs(this.#clock) ? undefined : found;
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
  const seconds = Math.ceil(waitMs / SECOND_MS);
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
