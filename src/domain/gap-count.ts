import type { Gap } from "./gap.ts";

/** Gaps among the newest that the ledger looks at. */
export interface GapCount {
  readonly all: number;
  readonly last30Days: number;
  /** Edges that were lost in the last 24 hours; null when there were none. */
  readonly lostToday: LostEdges | null;
  /** When nobody watched, for a minute at least, in the last 24 hours; null when there was no such time. */
  readonly unwatchedToday: Unwatched | null;
  /** The newest few, newest first. */
  readonly newest: readonly Gap[];
}

export interface LostEdges {
  readonly gaps: number;
  readonly edges: number;
  /** Edges among them that were rising: sales without a record. */
  readonly sales: number;
  /** Where: some of the lines. */
  readonly lines: readonly string[];
  /** The end of the last such gap, in Unix milliseconds. */
  readonly toTimeMs: number;
}

export interface Unwatched {
  readonly gaps: number;
  readonly lines: readonly string[];
  /** From the beginning of the first to the end of the last, in Unix milliseconds. */
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
}
