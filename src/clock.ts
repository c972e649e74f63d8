import type { Clock } from "./domain/clock.ts";

/** The machine's own clocks. `process.hrtime` is CLOCK_MONOTONIC on Linux, as the kernel stamps edges. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicNs: () => process.hrtime.bigint(),
};
