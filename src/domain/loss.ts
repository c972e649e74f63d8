/** Entries of the ledger that were in a damaged part of its file and are gone. */
export interface Loss {
  /** Number of the entry that tells of it. */
  readonly position: number;
  /** When it was noticed, in Unix milliseconds. */
  readonly notedMs: number;
  /** The numbers that are gone, both included. */
  readonly lostFrom: number;
  readonly lostTo: number;
  /** From when to when, and where the damaged file is kept, for people. */
  readonly reason: string;
}
