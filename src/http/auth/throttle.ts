import { type Clock, MINUTE_MS, monotonicMs } from "../../domain/clock.ts";

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = MINUTE_MS;
/** A key whose failures caused delays is forgotten after this long without a failure. */
const FORGOTTEN_MS = 10 * MINUTE_MS;
/** Beyond this many keys the one whose last failure is oldest is forgotten. */
const MAX_KEYS = 4_096;

interface Entry {
  /** Monotonic times of the latest failures, oldest first; at most as many as are free. */
  failuresMs: number[];
  /** How many failures in a row caused a delay. */
  delays: number;
  untilMs: number;
}

/**
 * Counts failures by key. The failure that uses up the free ones of a minute causes a delay of a
 * second, and each further one twice as long a delay, up to a minute. Counts live in memory and
 * use monotonic time, because a wall clock that is set back by years would cause a delay of years.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #free: number;
  /** In the order of their last failures. */
  readonly #entries = new Map<string, Entry>();

  /** @param free failures a minute without a delay */
  constructor(clock: Clock, free: number) {
    this.#clock = clock;
    this.#free = free;
  }

  /** The remaining delay of a key, in milliseconds. */
  waitMs(key: string): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? 0 : Math.max(0, entry.untilMs - monotonicMs(this.#clock));
  }

  /** How many free failures a key has left; 0 from its first delay until it is forgotten. */
  left(key: string): number {
    const entry = this.#current(key);
    if (entry === undefined) return this.#free;
    return entry.delays > 0 ? 0 : this.#free - entry.failuresMs.length;
  }

  /** Grows with a key's failures, and faster with its delays. */
  weight(key: string): number {
    const entry = this.#current(key);
    return entry === undefined ? 0 : entry.delays * this.#free + entry.failuresMs.length;
  }

  /** Counts a failure. With `isFree` false it causes a delay even if it is the first. */
  fail(key: string, isFree: boolean): void {
    const nowMs = monotonicMs(this.#clock);
    const entry = this.#current(key) ?? { failuresMs: [], delays: 0, untilMs: 0 };
    entry.failuresMs = [...entry.failuresMs, nowMs].slice(-this.#free);
    if (!isFree || entry.delays > 0 || entry.failuresMs.length >= this.#free) {
      entry.untilMs = nowMs + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** entry.delays);
      entry.delays += 1;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_KEYS && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** The entry without expired failures; undefined when nothing of it counts any more. */
  #current(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const sinceMs = monotonicMs(this.#clock) - (entry.failuresMs.at(-1) ?? 0);
    if (sinceMs >= (entry.delays === 0 ? MINUTE_MS : FORGOTTEN_MS)) {
      this.#entries.delete(key);
      return undefined;
    }
    if (entry.delays === 0) {
      const minuteAgoMs = monotonicMs(this.#clock) - MINUTE_MS;
      entry.failuresMs = entry.failuresMs.filter((timeMs) => timeMs > minuteAgoMs);
    }
    return entry;
  }
}
