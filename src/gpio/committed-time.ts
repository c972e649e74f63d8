import { type Clock, monotonicMs } from "../domain/clock.ts";
import type { SightingQueue } from "./sighting-queue.ts";

/**
 * Finds a time up to which every edge of the lines is committed.
 *
 * Lines are read in no order, so the time of a waiting edge says nothing about other lines. But at
 * each look the event loop has read all edges that the kernel had buffered at the look before. So
 * the time of a look counts once all sightings that had been read by the next look are committed.
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

  /**
   * Gives the monotonic time, in milliseconds. Call it now
   * and then, each time in another turn of the event loop.
   */
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
