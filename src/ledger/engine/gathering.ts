/** No batch waits where a sync takes less than this: timers count whole milliseconds. */
const SLOW_MS = 1;
/** How long a batch waits for further writes: this share of a sync's time, and at most MAX_MS. */
const SHARE = 0.5;
const MAX_MS = 25;
/** So many writes are sent as a second batch while another one is on its way. */
const FOLLOWING = 8;
/** The weight of the newest value in a running mean. */
const NEWEST = 0.2;

/**
 * When the next batch leaves. Clients that post again once they are answered form groups, and each group
 * waits for the syncs of the others. How many groups are best depends on the disk, so both times are
 * measured. Where the main thread needs less time for the writes of all clients than a sync takes, they
 * become one group: the next batch waits until as many writes wait as were answered and as came meanwhile.
 * Otherwise they become two: while the main thread takes the posts of one, the other is synced. A client
 * that is alone never waits. The bench's `posts` and `slow-posts` measure what that gains.
 */
export class Gathering {
  readonly #busyMs: () => number;
  #lastBusyMs: number;
  /** Running means of the time of a sync, and of the main thread's time for a write. */
  #syncMs = 0;
  #writeMs = 0;
  #isOneGroup = false;
  /** How many writes are a group. */
  #size = FOLLOWING;
  #untilMs = 0;

  /** `busyMs` gives for how long the main thread has worked so far. */
  constructor(busyMs: () => number) {
    this.#busyMs = busyMs;
    this.#lastBusyMs = busyMs();
  }

  /**
   * Call when `writes` were answered after a sync, while `others`
   * wait or are on their way. `nowMs` is monotonic, here and below.
   */
  answered(writes: number, others: number, syncMs: number, nowMs: number): void {
    const busyMs = this.#busyMs();
    this.#writeMs = mean(this.#writeMs, (busyMs - this.#lastBusyMs) / writes);
    this.#lastBusyMs = busyMs;
    this.#syncMs = mean(this.#syncMs, syncMs);
    const all = writes + others;
    this.#isOneGroup = this.#syncMs >= SLOW_MS && all * this.#writeMs < this.#syncMs;
    this.#size = this.#isOneGroup ? all : Math.max(FOLLOWING, Math.ceil(all / 2));
    this.#untilMs = nowMs + Math.min(MAX_MS, this.#syncMs * SHARE);
  }

  /** Whether the waiting writes are a whole group. */
  isGroup(waiting: number): boolean {
    return waiting >= this.#size;
  }

  /**
   * Whether the waiting posts leave before the main thread's turn ends.
   * With one group none does: a sync for a part of it would delay the rest.
   */
  leavesAtOnce(waiting: number): boolean {
    return !this.#isOneGroup && this.isGroup(waiting);
  }

  /** Whether the waiting writes may leave while `batches` are on their way. */
  mayLeave(waiting: number, batches: number): boolean {
    return batches === 0 || (batches === 1 && !this.#isOneGroup && this.isGroup(waiting));
  }

  /** How much longer the waiting writes wait for others; 0: they leave. */
  waitMs(waiting: number, nowMs: number): number {
    return this.#isOneGroup && !this.isGroup(waiting) ? Math.max(0, this.#untilMs - nowMs) : 0;
  }
}

function mean(before: number, newest: number): number {
  return before === 0 ? newest : before + NEWEST * (newest - before);
}
