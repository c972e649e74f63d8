export const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
/** The same for numbers, which keep the fraction of a millisecond. */
export const NS_PER_MS = Number(NANOSECONDS_PER_MILLISECOND);
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
/** 24 hours. A local day may be longer or shorter. */
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

/**
 * The two times of the program. Wall time stamps things. Monotonic time measures durations, because the wall time of a
 * gateway without a clock chip may be set by years while it runs.
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

/** Undoes what was asked for. Calling it again does nothing. */
export type Cancel = () => void;

export interface Timers {
  /** Calls back once, `delayMs` of monotonic time from the call at the earliest. */
  after(delayMs: number, callback: () => void): Cancel;
}
