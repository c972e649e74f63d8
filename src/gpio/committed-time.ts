import { type Clock, monotonicMs } from "../domain/clock.ts";
import type { SightingQueue } from "./sighting-queue.ts";

/**
 * Finds a time up to which every edge is committed. Lines are read in no order; but at each look all edges
 * were read that the kernel had at the look before. So a look's time counts once all that was read by the
 * next look is committed.
 */
export class CommittedTime {
  readonly #clock: Clock;
  readonly #queue: Pick<SightingQueue, "mark" | "oldest">;
  /** When it last looked: all edges up to then are read at the next look. */
  #readMs: number;
  #committedMs = 0;
  /** A time up to which all edges were read, and whether these are committed by now. */
  #mark: { readonly readMs: number; readonly isCommitted: () => boolean } | undefined;

  constructor(clock: Clock, queue: Pick<SightingQueue, "mark" | "oldest">) {
    this.#clock = clock;
    this.#queue = queue;
    this.#readMs = monotonicMs(clock);
  }

  /** That time in monotonic milliseconds. Call it now and then, in turns of the event loop of its own. */
  look(): number {
    const readMs = this.#readMs;
    this.#readMs = monotonicMs(this.#clock);
    if (this.#mark?.isCommitted() === true) {
      this.#committedMs = this.#mark.readMs;
      this.#mark = undefined;
    }
    const isIdle = this.#queue.oldest === undefined;
    if (isIdle) this.#committedMs = readMs;
    else this.#mark ??= { readMs, isCommitted: this.#queue.mark() };
    return this.#committedMs;
  }
}
