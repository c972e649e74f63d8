/** One boot of the gateway, as stored in the ledger. */
export interface Boot {
  /** The kernel's boot id. */
  readonly bootId: string;
  /** Wall time of the boot's monotonic zero, in Unix milliseconds; null where its clock was never trusted. */
  readonly zeroMs: number | null;
  /** The latest monotonic time that is known of the boot, in milliseconds. */
  readonly lastMs: number;
}

/** Some sales: how many, and the times of the first and the last in Unix milliseconds; null for none. */
export interface SalesSpan {
  readonly records: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** Sales of a boot that stand by another setting of its clock. */
export interface MisplacedSales extends SalesSpan {
  /** By how much the farthest one would move, in milliseconds; negative to an earlier time. */
  readonly byMs: number;
}

/**
 * A boot whose clock was set to another time, by a minute or more, after it was first trusted. If
 * it was set back after sales by the other time, both zeros are the same, and so are both spans.
 */
export interface ReclockedBoot {
  readonly bootId: string;
  /** Wall time of the boot's monotonic zero as first trusted, and as set later, in Unix milliseconds. */
  readonly zeroMs: number;
  readonly setZeroMs: number;
  /** The sales from before the later setting, which would have other times by it. */
  readonly before: MisplacedSales;
  /** The sales from after the later setting, which would have other times by the first one. */
  readonly since: MisplacedSales;
}

/** A moment in the kernel's monotonic time, which is comparable only within its boot. */
export interface BootMoment {
  readonly bootId: string;
  readonly monotonicMs: number;
}

/** Wall time of a boot's moment, in whole Unix milliseconds. */
export function wallTimeMs(zeroMs: number, monotonicMs: number): number {
  return Math.max(0, Math.round(zeroMs + monotonicMs));
}

/**
 * The least age of a moment in milliseconds, independent of later settings of the wall clock. Exact
 * within a boot, and between two boots whose zeros are known; otherwise only the known running time of
 * the machine counts. `boots` are in order. A moment whose boot is not among them was in an earlier boot.
 */
export function leastAgeMs(begun: BootMoment, now: BootMoment, boots: readonly Boot[]): number {
  const first = boots.findIndex(({ bootId }) => bootId === begun.bootId);
  const last = boots.findIndex(({ bootId }) => bootId === now.bootId);
  if (first === -1) return now.monotonicMs;
  let ageMs = 0;
  let fromMs = begun.monotonicMs;
  /** The last moment so far whose wall time is known, and the age at that moment. */
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
