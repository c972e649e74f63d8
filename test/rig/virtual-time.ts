import { type Cancel, type Clock, NANOSECONDS_PER_MILLISECOND, type Timers } from "../../src/domain/clock.ts";

interface Pending {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that passes only when it is told to, in whole milliseconds, for clock and timers alike. */
export class VirtualTime implements Clock, Timers {
  #nowMs = 1_000;
  #pending: Pending[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicNs(): bigint {
    return BigInt(this.#nowMs) * NANOSECONDS_PER_MILLISECOND;
  }

  get pendingTimers(): number {
    return this.#pending.length;
  }

  after(delayMs: number, callback: () => void): Cancel {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#pending.push(timer);
    return () => {
      this.#pending = this.#pending.filter((one) => one !== timer);
    };
  }

  /** Lets `ms` pass and runs the timers that fall due, in the order in which they do. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const [next] = this.#pending.toSorted((a, b) => a.dueMs - b.dueMs);
      if (next === undefined || next.dueMs > endMs) break;
      this.#pending = this.#pending.filter((one) => one !== next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
    }
    this.#nowMs = endMs;
  }

  /** The clock alone moves on, as for a process that is too busy to run its timers. */
  stall(ms: number): void {
    this.#nowMs += ms;
  }
}
