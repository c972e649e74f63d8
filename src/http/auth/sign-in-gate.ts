import { isIPv6 } from "node:net";
import { type AuditNote, networkActor } from "../../domain/audit.ts";
import { type Clock, MINUTE_MS, monotonicMs, PeriodCounts, SECOND_MS } from "../../domain/clock.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerWriter } from "../../domain/ledger.ts";
import type { Log } from "../../domain/log.ts";

/** So many failures from one address, and on one account, less than a minute apart, cause no delay. */
const FREE_FAILURES = 5;
/** The same for one IPv6 /64, without addresses that have signed in. */
const FREE_NETWORK_FAILURES = 50;
const FIRST_DELAY_MS = SECOND_MS;
const MAX_DELAY_MS = MINUTE_MS;
/** Failures that caused a delay are forgotten after this long without another one. */
const FORGOTTEN_MS = 10 * MINUTE_MS;
/** How many attempts wait in each lane. */
const MAX_WAITING = 256;
/** How long an attempt waits while its lane is full. */
const MAX_WAIT_MS = 2_000;
/** The most sign-ins of one account in a minute. A whole clinic may share an account. */
const MAX_SIGN_INS = 60;
/** How many addresses are remembered as having signed in, the latest ones. */
export const MAX_FAMILIAR = 1_024;
/** So many attempts within a minute rank alike, so that trying again after a 503 costs no rank. */
const ALIKE = 3;
/** The most addresses, networks and accounts whose failures are kept, and whose attempts of a minute are counted. */
const MAX_KEYS = 4_096;
/** At most one write of failed sign-ins in this time. */
const WRITE_EVERY_MS = MINUTE_MS;
/**
 * The most pairs of address and account that have an entry of
 * their own in one write. All others are counted together.
 */
const MAX_PAIRS = 32;

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
interface WaitingAttempt extends Pick<Attempt<unknown>, "address" | "isGone"> {
  /** Monotonic. */
  readonly sinceMs: number;
  /** Called when its turn comes. */
  readonly begin: () => void;
  readonly refuse: (error: FlancoError) => void;
}

/** Attempts in the order of their arrival. */
interface Lane {
  waiting: readonly WaitingAttempt[];
}

/**
 * Slows down guessing without slowing down other users.
 *
 * - Delays belong to addresses. After five failures that are less than a minute
 * apart an address is refused for a second, then twice as long after each further
 * failure, up to a minute. A refused attempt costs no comparison, and does not prolong the delay.
 * - Accounts are never delayed, because an attacker could lock an owner out. After
 * five failures on an account, from any addresses, each further failure on it
 * delays its address at once, so that many addresses guess one password no faster.
 * - One machine can have a whole IPv6 /64. Each /64 has a budget of
 * failures too, whose delays spare addresses that have signed in before.
 * - One attempt is compared at a time. Addresses that have signed in before wait in a lane of
 * their own, and the two lanes take turns: a crowd of new addresses holds up no familiar one. In
 * a lane the address with the fewest attempts of its minute (beyond three) comes first, and
 * among equals the latest: a crowd that came before does not hold it up. While a lane is full, attempts
 * that have waited there for two seconds are refused: later ones were compared before them, and an attempt
 * that is made again is the latest. If none has waited so long, an address's fourth attempt and
 * further ones are refused, and for one of its first three the attempt that would come last.
 * - One account signs in at most 60 times a minute.
 */
export class SignInGate {
  readonly #clock: Clock;
  readonly #addresses: Throttle;
  readonly #networks: Throttle;
  readonly #accounts: Throttle;
  readonly #attempts: PeriodCounts;
  readonly #signIns: PeriodCounts;
  readonly #failed: Pick<FailedSignIns, "note">;
  /** Addresses that have signed in, the latest last. */
  readonly #familiar: Set<string>;
  /** The lane of familiar addresses, and that of new ones. */
  readonly #lanes: readonly [Lane, Lane] = [{ waiting: [] }, { waiting: [] }];
  /** The lane whose turn is next comes first. */
  #turns: readonly Lane[] = this.#lanes;
  #isComparing = false;

  /** @param familiar addresses that have signed in before, the latest last */
  constructor(clock: Clock, failed: Pick<FailedSignIns, "note">, familiar: Iterable<string> = []) {
    this.#clock = clock;
    this.#addresses = new Throttle(clock, FREE_FAILURES);
    this.#networks = new Throttle(clock, FREE_NETWORK_FAILURES);
    this.#accounts = new Throttle(clock, FREE_FAILURES);
    this.#attempts = new PeriodCounts(clock, MINUTE_MS, MAX_KEYS);
    this.#signIns = new PeriodCounts(clock, MINUTE_MS, MAX_KEYS);
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
        this.#isComparing = false;
        this.#beginNext();
      }
      return proved;
    } finally {
      if (proved === undefined) this.#failed.note(address, userId);
    }
  }

  #delayMs(address: string): number {
    const network = this.#networkToCount(address);
    const ofNetworkMs = network === undefined ? 0 : this.#networks.waitMs(network);
    return Math.max(this.#addresses.waitMs(address), ofNetworkMs);
  }

  /** The /64 whose budget counts for an address; undefined for IPv4 and for an address that has signed in. */
  #networkToCount(address: string): string | undefined {
    return isIPv6(address) && !this.#familiar.has(address) ? networkOf(address) : undefined;
  }

  /** The rank of an address at this moment; a smaller one comes first. */
  #rank(address: string): number {
    return Math.max(ALIKE, this.#attempts.of(address));
  }

  /** The attempts of a lane in the order of their turns. */
  #inOrder({ waiting }: Lane): readonly WaitingAttempt[] {
    return waiting
      .map((attempt) => ({ attempt, rank: this.#rank(attempt.address) }))
      .toReversed()
      .sort((one, other) => one.rank - other.rank)
      .map(({ attempt }) => attempt);
  }

  /** Waits for a turn. Rejects as `attempt` says. */
  async #turn(address: string, isGone: () => boolean): Promise<void> {
    const lane = this.#lanes[this.#familiar.has(address) ? 0 : 1];
    const sinceMs = monotonicMs(this.#clock);
    if (lane.waiting.length >= MAX_WAITING) this.#makeRoom(lane, address, sinceMs - MAX_WAIT_MS);
    await new Promise<void>((begin, refuse) => {
      lane.waiting = [...lane.waiting, { address, sinceMs, isGone, begin, refuse }];
      this.#beginNext();
    });
  }

  /** Refuses the attempts of a full lane that came by `latestMs`, or else the one that would come last. */
  #makeRoom(lane: Lane, address: string, latestMs: number): void {
    let refused = lane.waiting.filter(({ sinceMs }) => sinceMs <= latestMs);
    if (refused.length === 0) {
      // A crowd that tries again and again is refused without a look at all that waits.
      if (this.#rank(address) > ALIKE) throw crowded();
      refused = this.#inOrder(lane).slice(-1);
    }
    lane.waiting = lane.waiting.filter((waiting) => !refused.includes(waiting));
    for (const { refuse } of refused) refuse(crowded());
  }

  /** Begins the next attempt that can be compared, unless one is under way. */
  #beginNext(): void {
    if (this.#isComparing) return;
    for (const lane of this.#turns) {
      for (const next of this.#inOrder(lane)) {
        lane.waiting = lane.waiting.filter((other) => other !== next);
        // Failures of the address meanwhile.
        const delayMs = this.#delayMs(next.address);
        if (delayMs > 0) next.refuse(tooMany(delayMs));
        else if (next.isGone()) next.refuse(new FlancoError("too_many", "The client has hung up."));
        else {
          this.#isComparing = true;
          this.#turns = [...this.#turns.filter((other) => other !== lane), lane];
          next.begin();
          return;
        }
      }
    }
  }

  #requireFewer(account: string): void {
    if (this.#signIns.of(account) >= MAX_SIGN_INS) throw tooMany(this.#signIns.leftMs(account));
  }

  #succeed(address: string, account: string): void {
    // Others may have come with this one.
    this.#requireFewer(account);
    this.#familiar.delete(address);
    this.#familiar.add(address);
    const [oldest] = this.#familiar;
    if (this.#familiar.size > MAX_FAMILIAR && oldest !== undefined) this.#familiar.delete(oldest);
    this.#signIns.add(account);
  }

  #fail(address: string, account: string): void {
    this.#failFrom(address, this.#accounts.hasFree(account));
    this.#accounts.fail(account);
  }

  /** Counts a failure of an address. With `isFree` false it delays the address even if it is the first. */
  #failFrom(address: string, isFree: boolean): void {
    this.#addresses.fail(address, isFree);
    const network = this.#networkToCount(address);
    if (network !== undefined) this.#networks.fail(network);
  }
}

/**
 * Counts failures by key. The failure that uses up the free ones causes a delay of a second, and each
 * further one twice as long a delay, up to a minute. A key is forgotten after a minute without a failure,
 * or ten where its failures caused delays. Counts live in memory and use monotonic time, because
 * a wall clock that is set back by years would cause a delay of years.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #free: number;
  /** In the order of their last failures. */
  readonly #failures = new Map<string, { readonly count: number; readonly lastMs: number }>();

  /** @param free failures without a delay */
  constructor(clock: Clock, free: number) {
    this.#clock = clock;
    this.#free = free;
  }

  /** The remaining delay of a key, in milliseconds. */
  waitMs(key: string): number {
    const { count, lastMs } = this.#of(key);
    if (count < this.#free) return 0;
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - this.#free));
    return Math.max(0, lastMs + delayMs - monotonicMs(this.#clock));
  }

  /** Whether the key's next failure is free. */
  hasFree(key: string): boolean {
    return this.#of(key).count < this.#free;
  }

  /** Counts a failure. With `isFree` false it causes a delay even if it is the first. */
  fail(key: string, isFree = true): void {
    const count = Math.max(this.#of(key).count + 1, isFree ? 0 : this.#free);
    this.#failures.delete(key);
    this.#failures.set(key, { count, lastMs: monotonicMs(this.#clock) });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_KEYS && oldest !== undefined) this.#failures.delete(oldest);
  }

  #of(key: string): { readonly count: number; readonly lastMs: number } {
    const { count, lastMs } = this.#failures.get(key) ?? { count: 0, lastMs: 0 };
    const keptMs = count < this.#free ? MINUTE_MS : FORGOTTEN_MS;
    return monotonicMs(this.#clock) - lastMs < keptMs ? { count, lastMs } : { count: 0, lastMs };
  }
}

interface Failures {
  readonly address: string;
  readonly userId: Id | null;
  attempts: number;
}

/**
 * Counts failed sign-ins by address and account, for the audit log. The first is written at once,
 * further ones together once a minute, so that guessing neither wears out the card nor pushes entries
 * out of the log. The typed e-mail is not kept, because people type passwords into its field.
 */
export class FailedSignIns {
  readonly #clock: Clock;
  readonly #writer: Pick<LedgerWriter, "noteAudit">;
  readonly #log: Log;
  #failures = new Map<string, Failures>();
  /** Attempts beyond the pairs that have an entry. */
  #others = 0;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(clock: Clock, writer: Pick<LedgerWriter, "noteAudit">, log: Log) {
    this.#clock = clock;
    this.#writer = writer;
    this.#log = log;
  }

  /** Counts failures from an address; `userId` is null for an unknown account. */
  note(address: string, userId: Id | null, attempts = 1): void {
    const key = `${address} ${userId}`;
    const known = this.#failures.get(key);
    if (known !== undefined) known.attempts += attempts;
    else if (this.#failures.size >= MAX_PAIRS) this.#others += attempts;
    else this.#failures.set(key, { address, userId, attempts });
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#writtenMs + WRITE_EVERY_MS - monotonicMs(this.#clock));
    this.#timer = setTimeout(() => void this.write(), waitMs).unref();
  }

  /**
   * Writes the counts, after a write that is under way. Never rejects:
   * counts that the ledger refuses are written with the next failures.
   */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeCounted());
    return this.#writing;
  }

  async #writeCounted(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const failures = [...this.#failures.values()];
    const others = this.#others;
    if (failures.length === 0) return;
    this.#failures = new Map();
    this.#others = 0;
    this.#writtenMs = monotonicMs(this.#clock);
    try {
      await this.#writer.noteAudit(notesOf(failures, others));
    } catch (error) {
      this.#log.warn({ err: error }, "failed sign-ins could not be stored yet");
      this.#others += others;
      for (const { address, userId, attempts } of failures) this.note(address, userId, attempts);
    }
  }
}

function notesOf(failures: readonly Failures[], others: number): readonly AuditNote[] {
  const kind = "sign_in_failed";
  const notes = failures.map(
    ({ address, userId, attempts }): AuditNote => ({
      kind,
      userId,
      details: { attempts },
      actor: networkActor(address, null),
    }),
  );
  if (others === 0) return notes;
  const details = { attempts: others, severalAddresses: true };
  return [...notes, { kind, userId: null, details, actor: networkActor("", null) }];
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
