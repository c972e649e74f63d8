/** A stretch in which edges of a line were lost, kept beside the records so that nobody has to guess. */
export interface Gap {
  readonly gapId: number;
  readonly line: string;
  /** The last edge that was seen before, and the first after, in Unix milliseconds. */
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
  /** Number of edges lost: exact, from the kernel's sequence numbers. */
  readonly missed: number;
  /** How many of them were rising: sales that have no record. */
  readonly missedRises: number;
  readonly reason: GapReason;
}

/** `overflow`: edges came faster than they were read, and the kernel's buffer was full. */
export type GapReason = "overflow";
