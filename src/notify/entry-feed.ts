import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { type ChainEntry, type ChainHead, NO_HASH } from "../domain/chain-entry.ts";
import { type Clock, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { FlancoError, orNothing } from "../domain/error.ts";
import type { EntryBatch } from "../domain/sink.ts";
import { parseJson } from "../domain/text.ts";
import { makeDirectory, writeDurably } from "../platform/durable-file.ts";
import type { Feed, FeedProgress } from "./forwarder.ts";

/** The most entries of a batch. Reading them holds the event loop for some 2 ms, on a Pi for some 10 ms. */
const MAX_ENTRIES = 200;
/** By how much a batch grows with each that is taken, after it was halved with each that was not. */
const MORE_ENTRIES = 10;
/**
 * How often the cursor is saved: at every sale would double the writes
 * to the card. After a crash the entries of this time are sent again.
 */
const SAVE_EVERY_MS = 10 * SECOND_MS;

/** The most marks of a cursor. Each is twice as far back as the one before, so these are enough for any chain. */
const MAX_MARKS = 48;

const markSchema = z.strictObject({
  position: z.int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
const cursorSchema = z.strictObject({
  ledger: z.string().max(64),
  deliveredMs: z.number().nullable(),
  marks: z.array(markSchema).max(MAX_MARKS),
});
type StoredCursor = z.infer<typeof cursorSchema>;

/** What the feed reads of the ledger. */
export interface ForwardedChain {
  /** The ledger's identity, then those that it had on earlier gateways, the latest first. */
  ledgerIds(): readonly string[];
  /** Number of the newest entry, which may not be durable yet. */
  newestEntry(): number;
  entriesAfter(after: number, upTo: number, limit: number): readonly ChainEntry[];
  /** The hash of an entry; undefined where the chain has none of that number. */
  entryHash(position: number): string | undefined;
}

export interface EntryFeedOptions {
  readonly chain: ForwardedChain;
  /** Resolves once every entry that the chain had at the call is durable. */
  readonly settled: () => Promise<void>;
  /** The file of the sink's cursor. */
  readonly file: string;
  /** Whether a sink without a file begins with what comes from now on, and not with the first entry. */
  readonly beginsNow?: boolean;
  readonly clock: Clock;
}

/**
 * The chain for one sink: from its cursor to the newest durable entry.
 *
 * The cursor is in a file beside the ledger and in no backup, so that a restored ledger
 * finds the cursor of the ledger that it replaces. So the cursor names its ledger, and
 * has several entries as marks, the newest first and further and further apart. The sink
 * continues after the newest mark that the chain has: a restored ledger repeats few
 * entries and omits none. Without a readable file the feed begins with the first entry, or where its sink says so, without a file, with the next one.
 */
export class EntryFeed implements Feed<EntryBatch, ChainHead | null> {
  readonly #options: EntryFeedOptions;
  #ledger = "";
  #marks: readonly ChainHead[] = [];
  #deliveredMs: number | null = null;
  /** The most entries of the next batch: as many as a slow way brings to the other side in time. */
  #limit = MAX_ENTRIES;
  #isSaved = true;
  /** When the cursor was last saved, in monotonic milliseconds. */
  #savedMs = Number.NEGATIVE_INFINITY;

  constructor(options: EntryFeedOptions) {
    this.#options = options;
  }

  /** Reads the file and finds where the chain continues. */
  load(): void {
    const { chain, file, beginsNow = false } = this.#options;
    const isNew = beginsNow && !existsSync(file);
    // Without it every entry is sent again; the other side drops those that it has.
    const stored = parseJson(cursorSchema, orNothing(() => readFileSync(file, "utf8")) ?? "");
    [this.#ledger = ""] = chain.ledgerIds();
    this.#deliveredMs = stored?.deliveredMs ?? null;
    // With another identity the entries are those of another ledger, which the other side lacks.
    const marks = stored?.ledger === this.#ledger ? stored.marks : [];
    const first = marks.findIndex(({ position, hash }) => chain.entryHash(position) === hash);
    this.#marks = first === -1 ? [] : marks.slice(first);
    if (!isNew) return;
    const position = chain.newestEntry();
    const hash = chain.entryHash(position);
    this.#marks = hash === undefined ? [] : [{ position, hash }];
    // What comes until the sink takes something is not new again with the next start.
    this.#isSaved = false;
    this.#save(0);
  }

  async next(): Promise<EntryBatch | undefined> {
    const { chain, settled } = this.#options;
    const newest = chain.newestEntry();
    const { position } = this.#place;
    if (newest <= position) {
      this.#save(SAVE_EVERY_MS);
      return undefined;
    }
    // A commit is readable before it is synced. No other system
    // may learn of a commit that a power cut could undo.
    await settled();
    const entries = chain.entriesAfter(position, newest, this.#limit);
    const [ledger = ""] = chain.ledgerIds();
    const last = entries.at(-1);
    if (last === undefined) return undefined;
    return { ledger, entries, waiting: newest - last.position };
  }

  /**
   * Continues after the entry that the other side names, also
   * where that is before the batch; without one, after the batch.
   */
  taken({ entries }: EntryBatch, answer: ChainHead | null): void {
    const { chain, clock } = this.#options;
    const { position, hash } = answer ?? entries.at(-1) ?? this.#place;
    if (chain.entryHash(position) !== hash) {
      throw new FlancoError(
        "conflict",
        `The other side stands at an entry ${position} that this ledger does not hold.`,
        { hint: "Look whether it holds the entries of another ledger under this one's identity." },
      );
    }
    // Otherwise the same batch would be sent again without end.
    if (position === this.#place.position) {
      throw new FlancoError("unavailable", `The other side took no entry after ${position}.`, {
        hint: "Look at its own log.",
      });
    }
    const earlier = this.#marks.filter((mark) => mark.position < position);
    this.#marks = position === 0 ? [] : thinned([{ position, hash }, ...earlier]);
    this.#deliveredMs = clock.nowMs();
    this.#limit = Math.min(MAX_ENTRIES, this.#limit + MORE_ENTRIES);
    this.#isSaved = false;
    this.#save(SAVE_EVERY_MS);
  }

  notTaken(): void {
    this.#limit = Math.ceil(this.#limit / 2);
  }

  progress(): FeedProgress {
    const waiting = Math.max(0, this.#options.chain.newestEntry() - this.#place.position);
    return { waiting, deliveredMs: this.#deliveredMs, givenUp: 0 };
  }

  close(): void {
    this.#save(0);
  }

  /** The entry up to which the sink has the chain; position 0 before the first. */
  get #place(): ChainHead {
    return this.#marks[0] ?? { position: 0, hash: NO_HASH };
  }

  /** Makes the cursor durable, unless that was done within this time. Throws where the disk refuses it. */
  #save(withinMs: number): void {
    const { file, clock } = this.#options;
    const nowMs = monotonicMs(clock);
    if (nowMs - this.#savedMs < withinMs) return;
    if (!this.#isSaved) {
      const stored: StoredCursor = {
        ledger: this.#ledger,
        deliveredMs: this.#deliveredMs,
        marks: [...this.#marks],
      };
      makeDirectory(dirname(file));
      writeDurably(file, `${JSON.stringify(stored)}\n`);
      this.#isSaved = true;
    }
    this.#savedMs = nowMs;
  }
}

/** Keeps the furthest mark for each doubling of the distance from the newest one. */
function thinned(marks: readonly ChainHead[]): readonly ChainHead[] {
  const [newest, ...rest] = marks;
  if (newest === undefined) return [];
  const furthest = new Map(
    rest.map((mark) => [Math.floor(Math.log2(newest.position - mark.position)), mark]),
  );
  return [newest, ...furthest.values()].slice(0, MAX_MARKS);
}
