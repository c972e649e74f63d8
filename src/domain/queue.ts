/** A bounded queue on the way to the ledger. */
export interface Queue {
  readonly waiting: number;
  readonly limit: number;
}
