export const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
/** The same for numbers, which keep the fraction of a millisecond. */
export const NS_PER_MS = Number(NANOSECONDS_PER_MILLISECOND);
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
/** 24 hours. A local day may be longer or shorter. */
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;
/** The last moment that a `Date` can have, in Unix milliseconds. */
export const MAX_TIME_MS = 8.64e15;
/** A clock before this date is wrong, because the program is younger. */
export const EARLIEST_MS = Date.UTC(2026, 0, 1);

/**
 * Wall time stamps things: a field `timeMs` is in Unix milliseconds, and `provisional` says that it is not
 * trusted. Monotonic time measures durations, because wall time may be set by years meanwhile.
 */
export interface Clock {
  /** Wall time in Unix milliseconds. May jump in either direction. */
  nowMs(): number;
  /** The kernel's CLOCK_MONOTONIC in nanoseconds. Never steps back, 0 at boot. */
  monotonicNs(): bigint;
}

export interface ClockTrust {
  /** True once the network has set the wall time in this boot. */
  trusted(): boolean;
}

/** Monotonic time in milliseconds, for durations and deadlines. */
export function monotonicMs(clock: Pick<Clock, "monotonicNs">): number {
  return Number(clock.monotonicNs() / NANOSECONDS_PER_MILLISECOND);
}

/** How often the clocks are read for one moment, at most. */
const READINGS = 5;

/**
 * Wall time of a monotonic one, in Unix milliseconds. The two clocks are read one
 * after the other, and the process may be suspended between the readings. So the pair
 * that took longer than a millisecond is read again, and the shortest pair counts.
 */
export function wallMsOf(clock: Clock, timeNs: bigint): number {
  let shortestNs: bigint | undefined;
  let wallMs = 0;
  for (let reading = 0; reading < READINGS; reading += 1) {
    const beforeNs = clock.monotonicNs();
    const nowMs = clock.nowMs();
    const tookNs = clock.monotonicNs() - beforeNs;
    if (shortestNs === undefined || tookNs < shortestNs) {
      shortestNs = tookNs;
      wallMs = nowMs - Math.max(0, Number((beforeNs - timeNs) / NANOSECONDS_PER_MILLISECOND));
    }
    if (tookNs < NANOSECONDS_PER_MILLISECOND) break;
  }
  return wallMs;
}

/** Undoes what was asked for. Calling it again does nothing. */
export type Cancel = () => void;

export interface Timers {
  /** Calls back once, `delayMs` of monotonic time from the call at the earliest. */
  after(delayMs: number, callback: () => void): Cancel;
}

interface PendingTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that passes only when it is told to, in whole milliseconds, for clock and timers alike. */
export class VirtualTime implements Clock, Timers {
  #monotonicMs = 1_000;
  /** How far the wall clock is ahead of the monotonic one. */
  #aheadMs = 0;
  #pending: PendingTimer[] = [];

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
      const [next] = [...this.#pending].sort((a, b) => a.dueMs - b.dueMs);
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

interface Period {
  readonly endsMs: number;
  count: number;
}

/**
 * Counts by key in a time that begins with the key's first count. The counts are in
 * memory, and start again at a restart; the time is monotonic.
 */
export class PeriodCounts {
  readonly #clock: Clock;
  readonly #lengthMs: number;
  readonly #maxKeys: number;
  /** The period that began first comes first. */
  readonly #periods = new Map<string, Period>();

  /** @param maxKeys beyond it the key that began first is forgotten */
  constructor(clock: Clock, lengthMs: number, maxKeys = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#lengthMs = lengthMs;
    this.#maxKeys = maxKeys;
  }

  of(key: string): number {
    return this.#current(key)?.count ?? 0;
  }

  /** How long the key's period lasts on, in milliseconds. */
  leftMs(key: string): number {
    const { endsMs = 0 } = this.#current(key) ?? {};
    return Math.max(0, endsMs - monotonicMs(this.#clock));
  }

  /** Gives the function that takes the count back. */
  add(key: string, count = 1): () => void {
    const period = this.#current(key) ?? this.#begin(key);
    period.count += count;
    return () => {
      period.count -= count;
    };
  }

  #begin(key: string): Period {
    const period = { endsMs: monotonicMs(this.#clock) + this.#lengthMs, count: 0 };
    this.#periods.delete(key);
    this.#periods.set(key, period);
    const [oldest] = this.#periods.keys();
    if (this.#periods.size > this.#maxKeys && oldest !== undefined) this.#periods.delete(oldest);
    return period;
  }

  #current(key: string): Period | undefined {
    const period = this.#periods.get(key);
    return period === undefined || period.endsMs <= monotonicMs(this.#clock) ? undefined : period;
  }
}
