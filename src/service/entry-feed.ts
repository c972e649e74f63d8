import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { type ChainEntry, type ChainHead, NO_HASH } from "../domain/chain-entry.ts";
import { type Clock, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { EntryBatch } from "../domain/sink.ts";
import { writeDurably } from "../durable-file.ts";
import type { Feed } from "./forwarder.ts";

/** Entries of a batch. Reading them takes some 2 ms of the event loop, on a Pi some 10 ms. */
const MAX_ENTRIES = 200;
/** A crash sends the entries of this time again. A cursor that is saved at every sale would double what is written to the card. */
const SAVE_EVERY_MS = 10 * SECOND_MS;

/** Delivered entries that are remembered: enough for the chain of a lifetime, as each is twice as far back as the one before. */
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
type Stored = z.infer<typeof cursorSchema>;

export interface ForwardedChain extends JudgingChain {
  /** Number of the newest entry, which may not be durable yet. */
  newestEntry(): number;
  entriesAfter(after: number, upTo: number, limit: number): readonly ChainEntry[];
}

export interface EntryFeedOptions {
  readonly chain: ForwardedChain;
  /** Resolves once everything that the chain showed before is durable. */
  readonly settled: () => Promise<void>;
  /** Holds how far the sink has the chain. */
  readonly file: string;
  readonly clock: Clock;
}

/** The chain as one sink gets it: from its cursor to the newest entry that a power cut cannot take. */
export class EntryFeed implements Feed<EntryBatch, ChainHead | null> {
  readonly #options: EntryFeedOptions;
  readonly #cursor: ForwardCursor;
  /** Monotonic time of the last time that the cursor was saved. */
  #savedMs = Number.NEGATIVE_INFINITY;

  constructor(options: EntryFeedOptions) {
    this.#options = options;
    this.#cursor = new ForwardCursor(options.file);
  }

  open(): void {
    this.#cursor.open(this.#options.chain);
  }

  async next(): Promise<EntryBatch | undefined> {
    const { chain, settled } = this.#options;
    const newest = chain.newestEntry();
    const { position } = this.#cursor.place;
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
    const { chain, clock } = this.#options;
    const place = answer ?? entries.at(-1) ?? this.#cursor.place;
    if (chain.entryHash(place.position) !== place.hash) {
      throw new FlancoError(
        "conflict",
        `The other side stands at an entry ${place.position} that this ledger does not hold.`,
        { hint: "Look whether it holds the entries of another ledger under this one's identity." },
      );
    }
    // Otherwise the same batch would be sent again without end.
    if (place.position === this.#cursor.place.position) {
      throw new FlancoError("unavailable", `The other side took no entry after ${place.position}.`, {
        hint: "Look at its own log.",
      });
    }
    this.#cursor.moveTo({ position: place.position, hash: place.hash }, clock.nowMs());
    this.#save(SAVE_EVERY_MS);
  }

  waiting(): number {
    return Math.max(0, this.#options.chain.newestEntry() - this.#cursor.place.position);
  }

  get deliveredMs(): number | null {
    return this.#cursor.deliveredMs;
  }

  close(): void {
    this.#save(0);
  }

  #save(everyMs: number): void {
    const nowMs = monotonicMs(this.#options.clock);
    if (nowMs - this.#savedMs < everyMs) return;
    this.#cursor.save();
    this.#savedMs = nowMs;
  }
}

/** The chain as a cursor is judged by it. */
export interface JudgingChain {
  ledgerIds(): readonly string[];
  /** The hash of an entry; undefined where the chain has none of that number. */
  entryHash(position: number): string | undefined;
}

/**
 * Up to which entry a sink has the chain. It lies in a file beside the ledger: a backup does not hold it, so that a restored
 * ledger meets the cursor of the one that it replaces. The cursor therefore names its ledger, and not one entry alone but
 * some marks, newest first and further and further apart. The newest mark that the chain has is where the sink continues: a
 * restored ledger repeats few entries and omits none. A file that is missing or unreadable begins again with the first entry.
 */
export class ForwardCursor {
  readonly #file: string;
  #ledger = "";
  #marks: readonly ChainHead[] = [];
  #deliveredMs: number | null = null;
  #isSaved = true;

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads the file and finds where the chain continues. */
  open(chain: JudgingChain): void {
    const stored = readStored(this.#file);
    [this.#ledger = ""] = chain.ledgerIds();
    this.#deliveredMs = stored?.deliveredMs ?? null;
    // Another identity: the same entries are those of another ledger, which the other side lacks.
    const marks = stored?.ledger === this.#ledger ? stored.marks : [];
    const first = marks.findIndex(({ position, hash }) => chain.entryHash(position) === hash);
    this.#marks = first === -1 ? [] : marks.slice(first);
  }

  /** The entry up to which the sink has the chain; position 0 before the first. */
  get place(): ChainHead {
    return this.#marks[0] ?? { position: 0, hash: NO_HASH };
  }

  /** When a batch was delivered last, in Unix milliseconds. */
  get deliveredMs(): number | null {
    return this.#deliveredMs;
  }

  /** Moves to an entry of the chain, also back. Durable once saved: what is sent again after a crash is dropped over there. */
  moveTo(place: ChainHead, nowMs: number): void {
    const earlier = this.#marks.filter(({ position }) => position < place.position);
    this.#marks = place.position === 0 ? [] : thinned([place, ...earlier]);
    this.#deliveredMs = nowMs;
    this.#isSaved = false;
  }

  /** Makes the cursor durable. Throws where the disk refuses that. */
  save(): void {
    if (this.#isSaved) return;
    const stored: Stored = { ledger: this.#ledger, deliveredMs: this.#deliveredMs, marks: [...this.#marks] };
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    writeDurably(this.#file, `${JSON.stringify(stored)}\n`);
    this.#isSaved = true;
  }
}

/** Keeps of each doubling of the distance from the newest mark the furthest one. */
function thinned(marks: readonly ChainHead[]): readonly ChainHead[] {
  const [newest, ...rest] = marks;
  if (newest === undefined) return [];
  const furthest = new Map(
    rest.map((mark) => [Math.floor(Math.log2(newest.position - mark.position)), mark]),
  );
  return [newest, ...furthest.values()].slice(0, MAX_MARKS);
}

function readStored(file: string): Stored | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return cursorSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    // Everything is sent again, and dropped where it is known.
    return undefined;
  }
}
