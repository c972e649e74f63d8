/** A time in which edges of a line were lost, stored beside the records. */
export interface Gap {
  /** Its number among the account's gaps, from 1. */
  readonly number: number;
  readonly line: string;
  /**
   * Unix milliseconds. Of an overflow: the last edge before it and the first
   * one after it. Else the last moment up to which all edges of the line
   * are known, and the moment from which they are known again.
   */
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
  /** Number of edges lost: exact, from the kernel's sequence numbers. Null where it is not known. */
  readonly missed: number | null;
  /** How many of them were rising, each a sale without a record. Null where `missed` is. */
  readonly missedRises: number | null;
  readonly reason: GapReason;
  /** How many sales were added by hand for it, and count. */
  readonly added: number;
}

/**
 * `overflow`: edges came faster than they were read, and the kernel's buffer
 * was full. `outage`: the line was not watched, and nothing buffered its edges.
 * `swallowed`: the line changed, and neither hardware nor kernel reported an edge.
 */
export const GAP_REASONS = ["overflow", "outage", "swallowed"] as const;
export type GapReason = (typeof GAP_REASONS)[number];

/** Counts of the newest gaps; the ledger counts a bounded number. */
export interface GapCount {
  readonly all: number;
  readonly last30Days: number;
  /** Edges that hardware or kernel did not report, found by a look at the level. */
  readonly swallowedLastDay: number;
}

/** Each gap is one edge, of which a look at the level has told. */
export type SwallowedEdges = Pick<LostEdges, "gaps" | "lines" | "toTimeMs">;

export interface LostEdges {
  readonly gaps: number;
  readonly edges: number;
  /** How many of them were rising, each a sale without a record. */
  readonly sales: number;
  readonly lines: readonly string[];
  /** The end of the last such gap, in Unix milliseconds. */
  readonly toTimeMs: number;
}

export interface UnwatchedTime {
  readonly gaps: number;
  readonly lines: readonly string[];
  /** From the beginning of the first to the end of the last, in Unix milliseconds. */
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
}

/** Entries of the ledger that were lost with a damaged part of its file. */
export interface Loss {
  /** Number of the entry that records the loss. */
  readonly position: number;
  /** When it was noticed, in Unix milliseconds. */
  readonly notedMs: number;
  /** First and last number of the lost entries. */
  readonly lostFrom: number;
  readonly lostTo: number;
  /** The time that they span, and where the damaged file is kept; for people. */
  readonly reason: string;
}
