import type { Clock, Timers } from "../domain/clock.ts";

/** The machine's own clocks. `process.hrtime` is CLOCK_MONOTONIC on Linux, as the kernel stamps edges. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicNs: () => process.hrtime.bigint(),
};

/** The timers of the process. A pending one keeps the process alive. */
export const systemTimers: Timers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
