import type { ChainEntry, ChainHead } from "./chain-entry.ts";
import type { Change } from "./change.ts";
import type { SinkName } from "./sink-setting.ts";

/** A zone or currency that is another one here than at a sink. */
export interface SettingDifference {
  readonly here: string;
  readonly there: string;
}

/** A system outside of the gateway that batches are sent to. */
export interface Sink<Batch, Answer = void> {
  readonly name: SinkName;
  /** How long a delivery may take, in milliseconds; half a minute where it is absent. */
  readonly deliverMs?: number;
  /**
   * By how much this machine's clock was ahead of the other side's
   * at the last call; null, or absent, where that is not known.
   */
  readonly clockOffMs?: number | null;
  /** Settings by which the other side counts otherwise, as it said at the last call. */
  readonly differences?: readonly SettingDifference[];
  /** Begins what the sink does besides delivering batches. Throws nothing, and does not wait. */
  open?(): void;
  /**
   * Called after each commit with its changes. The last ones
   * may be missing when the service ends. Throws nothing.
   */
  apply?(changes: readonly Change[]): void;
  /**
   * Resolves once the other side has stored the whole batch durably, and rejects where that
   * is not known: its content is then delivered again, perhaps in other batches. The other
   * side therefore drops what it has. Must end soon after `signal` is aborted. Rejects with a
   * FlancoError whose message is one line for people and holds no secret; its code is
   * `unprocessable` where the other side refuses this batch for good, and would take another.
   */
  deliver(batch: Batch, signal: AbortSignal): Promise<Answer>;
  /**
   * Sends a test that the other side shows as such, or, where nothing can be shown, proves that it
   * would take a batch. Resolves with one line that says what was done. Rejects as `deliver` does.
   */
  test(signal: AbortSignal): Promise<string>;
  /**
   * Ends its connections. Called once, when nothing is under way.
   * @param isForGood whether the sink was turned off: it takes back what it left at the other side
   */
  close(isForGood?: boolean): Promise<void>;
}

/** Entries of one ledger that follow each other in its chain. */
export interface EntryBatch {
  /** The identity of the ledger. With an entry's position and hash it is the identity of the entry. */
  readonly ledger: string;
  /**
   * The identities that this ledger had on the gateways before, the latest
   * first. Entries from that time are the same ones, by position and hash.
   */
  readonly earlierLedgers: readonly string[];
  /** At least one, in the order of the chain. */
  readonly entries: readonly ChainEntry[];
  /** Entries that wait behind this batch. */
  readonly waiting: number;
}

/**
 * A sink that gets every entry of the chain. `deliver` resolves with the newest entry up to which the
 * other side has the chain, where it knows that, or null: it has the batch. The forwarder continues
 * after that entry, be it before the batch because the other side went back to a backup, or behind it.
 */
export type EntrySink = Sink<EntryBatch, ChainHead | null>;

/** Sends tests to the sinks that are configured. */
export interface SinkTester {
  /**
   * Resolves with one line that says what was done. Rejects with `not_found`
   * for a sink that is not configured, `conflict` while one is under way.
   */
  test(name: SinkName): Promise<string>;
}
