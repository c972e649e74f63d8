/** A bounded queue on the way to the ledger. */
export interface Queue {
  readonly waiting: number;
  readonly limit: number;
}

/** The levels of lines on their way to the ledger. */
export interface EdgeQueue extends Queue {
  /** Whether the ledger refuses what waits, or could not take in what it was given last of some line. */
  readonly refused: boolean;
}
