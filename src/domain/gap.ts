/** A stretch in which edges of a line were lost, kept beside the records so that nobody has to guess. */
export interface Gap {
  readonly gapId: number;
  readonly line: string;
  /**
   * In Unix milliseconds: of an overflow the last edge that was seen before, and the first after; of an outage
   * the last moment at which somebody is known to have watched, and the one from which on somebody did again.
   */
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
  /** Number of edges lost: exact, from the kernel's sequence numbers. Null for an outage: nobody knows. */
  readonly missed: number | null;
  /** How many of them were rising: sales that have no record. Null for an outage. */
  readonly missedRises: number | null;
  readonly reason: GapReason;
}

/**
 * `overflow`: edges came faster than they were read, and the kernel's buffer was full. `outage`: nobody watched
 * the line, and nothing kept its edges.
 */
export type GapReason = "overflow" | "outage";
