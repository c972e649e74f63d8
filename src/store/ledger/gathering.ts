/** A sync that takes less is a fast disk's: waiting for others would cost more than it brings. */
const SLOW_MS = 2;
/** How long others are waited for, of the last sync's time, and at most. */
const SHARE = 0.5;
const MAX_MS = 25;

/**
 * When the next batch leaves while syncs are slow. Clients that post again once they are answered form groups: while one group
 * is on its way to the disk the others wait, and each pays for the syncs of all. So after a slow sync the next batch waits
 * until as many writes wait as were answered and as came meanwhile: then there is one group. A client that is alone never
 * waits. The bench's `slow-posts` measures what that gains.
 */
export class Gathering {
  #complete = 0;
  #untilMs = 0;

  /** So many writes were answered after a sync, and so many others wait already. `nowMs` is monotonic, here and below. */
  answered(writes: number, waiting: number, syncMs: number, nowMs: number): void {
    this.#complete = syncMs < SLOW_MS ? 0 : writes + waiting;
    this.#untilMs = nowMs + Math.min(MAX_MS, syncMs * SHARE);
  }

  /** How much longer so many writes wait for others; 0: they leave. */
  waitMs(waiting: number, nowMs: number): number {
    return waiting >= this.#complete ? 0 : Math.max(0, this.#untilMs - nowMs);
  }
}
