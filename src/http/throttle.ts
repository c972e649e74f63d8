import { type Clock, monotonicMs } from "../domain/clock.ts";

const MINUTE_MS = 60_000;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** Who failed nothing for so long begins anew. */
const FORGIVEN_MS = 600_000;
/** Keys that are remembered; beyond it whoever failed longest ago is forgotten. */
const MAX_KEYS = 4_096;

interface Entry {
  /** Monotonic times of the latest failures, oldest first: as many as are free. */
  failuresMs: number[];
  /** Delays in a row. */
  strikes: number;
  untilMs: number;
}

/**
 * Failures by key: so many a minute are free, the one that uses them up begins a delay of a second, and each
 * further one a delay twice as long, of at most a minute. In memory, bounded, and on monotonic time, since a wall
 * clock that is set back by years would make a delay of years.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #free: number;
  /** Whoever failed last stands last. */
  readonly #entries = new Map<string, Entry>();

  /** `free`: failures a minute without a delay. */
  constructor(clock: Clock, free: number) {
    this.#clock = clock;
    this.#free = free;
  }

  /** How long nothing of this key is to be looked at, in milliseconds. */
  waitMs(key: string): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? 0 : Math.max(0, entry.untilMs - monotonicMs(this.#clock));
  }

  /** How many failures more are free; 0 while delays follow one another, and where none is left. */
  left(key: string): number {
    const entry = this.#current(key);
    if (entry === undefined) return this.#free;
    return entry.strikes > 0 ? 0 : this.#free - entry.failuresMs.length;
  }

  /** Failures that count against a key, delays above all: who has fewer may go first. */
  weight(key: string): number {
    const entry = this.#current(key);
    return entry === undefined ? 0 : entry.strikes * this.#free + entry.failuresMs.length;
  }

  /** Notes a failure. `isFree` false: it begins a delay, however few there were. */
  fail(key: string, isFree: boolean): void {
    const nowMs = monotonicMs(this.#clock);
    const entry = this.#current(key) ?? { failuresMs: [], strikes: 0, untilMs: 0 };
    entry.failuresMs.push(nowMs);
    const overdrawn = !isFree || entry.strikes > 0 || entry.failuresMs.length >= this.#free;
    entry.failuresMs = entry.failuresMs.slice(-this.#free);
    if (overdrawn) {
      entry.untilMs = nowMs + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** entry.strikes);
      entry.strikes += 1;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > MAX_KEYS) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** The entry without what is past; undefined when nothing is left of it. */
  #current(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const nowMs = monotonicMs(this.#clock);
    const lastMs = entry.failuresMs.at(-1) ?? 0;
    if (nowMs - lastMs >= FORGIVEN_MS || (entry.strikes === 0 && nowMs - lastMs >= MINUTE_MS)) {
      this.#entries.delete(key);
      return undefined;
    }
    // While delays follow one another the last failure says how long ago that is.
    if (entry.strikes === 0)
      entry.failuresMs = entry.failuresMs.filter((timeMs) => nowMs - timeMs < MINUTE_MS);
    return entry;
  }
}
