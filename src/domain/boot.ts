/** One boot of the gateway, as far as the ledger knows it. */
export interface Boot {
  /** The kernel's boot id. */
  readonly bootId: string;
  /** Wall time of the boot's monotonic zero, in Unix milliseconds; null for a boot whose clock was never trusted. */
  readonly zeroMs: number | null;
  /** How far the boot's monotonic time is known to have come, in milliseconds. */
  readonly lastMs: number;
}

/** A moment by the kernel's monotonic time, which counts within its boot only. */
export interface BootMoment {
  readonly bootId: string;
  readonly monotonicMs: number;
}

/** Wall time of a moment of a boot whose zero is known, in whole Unix milliseconds. */
export function wallTimeMs(zeroMs: number, monotonicMs: number): number {
  return Math.max(0, Math.round(zeroMs + monotonicMs));
}

/**
 * How long ago something was at least, in milliseconds, whatever the wall clock was set to since. Exact within
 * a boot, and between two boots whose zeros are known; otherwise only the time that the machine was seen
 * running counts. `boots` are in their order; of a moment whose boot is not among them, only that it was in an
 * earlier one is known.
 */
export function leastAgeMs(begun: BootMoment, now: BootMoment, boots: readonly Boot[]): number {
  const first = boots.findIndex(({ bootId }) => bootId === begun.bootId);
  const last = boots.findIndex(({ bootId }) => bootId === now.bootId);
  if (first === -1) return now.monotonicMs;
  let ageMs = 0;
  let fromMs = begun.monotonicMs;
  /** The last moment on the way whose wall time is known, and the age at it. */
  let known: { readonly timeMs: number; readonly ageMs: number } | undefined;
  for (const boot of boots.slice(first, last + 1)) {
    if (boot.zeroMs !== null) {
      const timeMs = boot.zeroMs + fromMs;
      if (known !== undefined) ageMs = Math.max(ageMs, known.ageMs + timeMs - known.timeMs);
      known = { timeMs, ageMs };
    }
    const untilMs = boot.bootId === now.bootId ? now.monotonicMs : boot.lastMs;
    ageMs += Math.max(0, untilMs - fromMs);
    fromMs = 0;
  }
  return ageMs;
}
