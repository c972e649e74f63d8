import { type Cancel, type Clock, NANOSECONDS_PER_MILLISECOND, type Timers } from "./clock.ts";

interface Pending {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that passes only when it is told to, in whole milliseconds, for clock and timers alike. */
export class VirtualTime implements Clock, Timers {
  #monotonicMs = 1_000;
  /** How far the wall clock is ahead of the monotonic one. */
  #aheadMs = 0;
  #pending: Pending[] = [];

  nowMs(): number {
    return this.#monotonicMs + this.#aheadMs;
  }

  monotonicNs(): bigint {
    return BigInt(this.#monotonicMs) * NANOSECONDS_PER_MILLISECOND;
  }

  get pendingTimers(): number {
    return this.#pending.length;
  }

  after(delayMs: number, callback: () => void): Cancel {
    const timer = { dueMs: this.#monotonicMs + delayMs, callback };
    this.#pending.push(timer);
    return () => {
      this.#pending = this.#pending.filter((one) => one !== timer);
    };
  }

  /** Lets `ms` pass and runs the timers that fall due, in the order in which they do. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (;;) {
      const [next] = this.#pending.toSorted((a, b) => a.dueMs - b.dueMs);
      if (next === undefined || next.dueMs > endMs) break;
      this.#pending = this.#pending.filter((one) => one !== next);
      this.#monotonicMs = Math.max(this.#monotonicMs, next.dueMs);
      next.callback();
    }
    this.#monotonicMs = endMs;
  }

  /** The clock alone moves on, as for a process that is too busy to run its timers. */
  stall(ms: number): void {
    this.#monotonicMs += ms;
  }

  /** Sets the wall clock, in Unix milliseconds. */
  setWall(timeMs: number): void {
    this.#aheadMs = timeMs - this.#monotonicMs;
  }
}
