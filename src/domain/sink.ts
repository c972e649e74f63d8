import type { ChainEntry, ChainHead } from "./chain-entry.ts";
import type { Change } from "./change.ts";
import type { SinkName } from "./sink-setting.ts";

/** A system outside of the gateway that batches are sent to. */
export interface Sink<Batch, Answer = void> {
  readonly name: SinkName;
  /** How long a delivery may take, in milliseconds; half a minute where it is absent. */
  readonly deliverMs?: number;
  /** By how much this clock was ahead of the other side's at the last call; null or absent if unknown. */
  readonly clockOffMs?: number | null;
  /** Begins what the sink does besides delivering batches. Throws nothing, and does not wait. */
  open?(): void;
  /** Called after each commit; the last changes may be missing when the service ends. Throws nothing. */
  apply?(changes: readonly Change[]): void;
  /**
   * Resolves once the other side has stored the batch durably. Otherwise its content is delivered again,
   * perhaps in other batches, so the other side drops what it has. Must end soon after `signal` is aborted.
   * Rejects with a FlancoError of one line, without secrets; `unprocessable`: this batch is refused for
   * good.
   */
  deliver(batch: Batch, signal: AbortSignal): Promise<Answer>;
  /** Sends a visible test, or proves that a batch would be taken. Gives one line that says what was done. */
  test(signal: AbortSignal): Promise<string>;
  /** Ends its connections. Called once, when nothing is under way. */
  close(): Promise<void>;
}

/** Entries of one ledger that follow each other in its chain. */
export interface EntryBatch {
  /** The identity of the ledger. With an entry's position and hash it is the identity of the entry. */
  readonly ledger: string;
  /** The ledger's earlier identities, the latest first. Entries from then are the same ones. */
  readonly earlierLedgers: readonly string[];
  /** At least one, in the order of the chain. */
  readonly entries: readonly ChainEntry[];
  /** Entries that wait behind this batch. */
  readonly waiting: number;
}

/**
 * Gets every entry of the chain. `deliver` gives the newest entry that the other side has, from which the
 * forwarder continues, also back where the other side was restored; null: it has the batch.
 */
export type EntrySink = Sink<EntryBatch, ChainHead | null>;

/** Sends tests to the sinks that are configured. */
export interface SinkTester {
  /** Gives one line that says what was done. Rejects with `not_found`, or `conflict` during another test. */
  test(name: SinkName): Promise<string>;
}
