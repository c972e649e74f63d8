import type { ChainEntry, ChainHead } from "../domain/chain-entry.ts";
import { type Clock, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { EntryBatch } from "../domain/sink.ts";
import type { ForwardCursor, JudgingChain } from "./forward-cursor.ts";
import type { Feed } from "./forwarder.ts";

/** Reading so many takes some two milliseconds of the event loop; on a Pi some ten. */
const MAX_ENTRIES = 200;
/** A crash sends the entries of this time again. A cursor that is saved at every sale would double what is written to the card. */
const SAVE_EVERY_MS = 10 * SECOND_MS;

export interface ForwardedChain extends JudgingChain {
  /** Number of the newest entry, which may not be durable yet. */
  newestEntry(): number;
  entriesAfter(after: number, upTo: number, limit: number): readonly ChainEntry[];
}

export interface EntryFeedOptions {
  readonly chain: ForwardedChain;
  /** Resolves once everything that the chain showed before is durable. */
  readonly settled: () => Promise<void>;
  readonly cursor: ForwardCursor;
  readonly clock: Clock;
}

/** The chain as one sink gets it: from its cursor to the newest entry that a power cut cannot take. */
export class EntryFeed implements Feed<EntryBatch, ChainHead | null> {
  readonly #options: EntryFeedOptions;
  /** Monotonic time of the last time that the cursor was saved. */
  #savedMs = Number.NEGATIVE_INFINITY;

  constructor(options: EntryFeedOptions) {
    this.#options = options;
  }

  open(): void {
    this.#options.cursor.open(this.#options.chain);
  }

  async next(): Promise<EntryBatch | undefined> {
    const { chain, cursor, settled } = this.#options;
    const newest = chain.newestEntry();
    const { position } = cursor.place;
    if (newest <= position) {
      this.#save(SAVE_EVERY_MS);
      return undefined;
    }
    // A commit is seen before it is synced. What a power cut takes must not be known elsewhere.
    await settled();
    const entries = chain.entriesAfter(position, newest, MAX_ENTRIES);
    const [ledger = "", ...earlierLedgers] = chain.ledgerIds();
    const last = entries.at(-1);
    if (last === undefined) return undefined;
    return { ledger, earlierLedgers, entries, waiting: newest - last.position };
  }

  taken({ entries }: EntryBatch, answer: ChainHead | null): void {
    const { chain, cursor, clock } = this.#options;
    const place = answer ?? entries.at(-1) ?? cursor.place;
    if (chain.entryHash(place.position) !== place.hash) {
      throw new FlancoError(
        "conflict",
        `The other side stands at an entry ${place.position} that this ledger does not hold.`,
        { hint: "Look whether it holds the entries of another ledger under this one's identity." },
      );
    }
    // Otherwise the same batch would be sent again without end.
    if (place.position === cursor.place.position) {
      throw new FlancoError("unavailable", `The other side took no entry after ${place.position}.`, {
        hint: "Look at its own log.",
      });
    }
    cursor.moveTo({ position: place.position, hash: place.hash }, clock.nowMs());
    this.#save(SAVE_EVERY_MS);
  }

  waiting(): number {
    const { chain, cursor } = this.#options;
    return Math.max(0, chain.newestEntry() - cursor.place.position);
  }

  get deliveredMs(): number | null {
    return this.#options.cursor.deliveredMs;
  }

  close(): void {
    this.#save(0);
  }

  #save(everyMs: number): void {
    const nowMs = monotonicMs(this.#options.clock);
    if (nowMs - this.#savedMs < everyMs) return;
    this.#options.cursor.save();
    this.#savedMs = nowMs;
  }
}
