/**
 * The two times of the program. Wall time stamps things; monotonic time measures durations, because a
 * gateway without a clock chip may have its wall time set by years while it runs.
 */
export interface Clock {
  /** Wall time in Unix milliseconds. May jump in either direction. */
  nowMs(): number;
  /** CLOCK_MONOTONIC of the kernel in nanoseconds: never steps back, stands at boot's start. */
  monotonicNs(): bigint;
}

/** Whether wall time is what the network says, or what a gateway without a clock chip made up at its start. */
export interface ClockTrust {
  trusted(): boolean;
}

export const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** Monotonic time in milliseconds, for durations and deadlines. */
export function monotonicMs(clock: Clock): number {
  return Number(clock.monotonicNs() / NANOSECONDS_PER_MILLISECOND);
}
