import { NO_HASH } from "../../src/domain/chain-entry.ts";
import type { NewRecord, RecordEntry } from "../../src/domain/record.ts";
import { anchorOf, correctionText, hashOf, recordText } from "../../src/ledger/engine/chain.ts";
import type { SentBatch, SentEntry } from "../../src/notify/central-sink.ts";
import { aRecordEntry } from "../domain/record-entry.ts";

/** The chain of a gateway's ledger, without the ledger. */
export class TestChain {
  readonly ledger: string;
  entries: SentEntry[] = [];
  #position = 0;
  #hash = NO_HASH;

  constructor(ledger = "a".repeat(32)) {
    this.ledger = ledger;
  }

  get position(): number {
    return this.#position;
  }

  sell(overrides: Partial<RecordEntry> = {}): number {
    return this.#add((position) =>
      recordText(
        aRecordEntry({
          position,
          userId: "0".repeat(24),
          bootId: "b",
          line: "GPIO17",
          request: 1,
          sequence: position,
          monotonicNs: position * 1_000_000,
          number: position,
          ...overrides,
        }),
      ),
    );
  }

  sellMany(count: number, overrides: (index: number) => Partial<NewRecord> = () => ({})): this {
    for (let index = 0; index < count; index += 1) this.sell(overrides(index));
    return this;
  }

  void(recordId: number): number {
    return this.#correct({ kind: "void", recordId });
  }

  move(recordId: number, timeMs: number): number {
    return this.#correct({ kind: "time", recordId, timeMs });
  }

  /** Entries are lost with a damaged file, and the ledger tells of it. */
  lose(from: number, to: number): void {
    this.entries = this.entries.filter(({ position }) => position < from || position > to);
    this.entries = this.entries.map((entry) =>
      entry.position === to + 1 ? { ...entry, previousHash: null } : entry,
    );
  }

  tellOfLoss(lostFrom: number, lostTo: number): number {
    const after = this.entries.find(({ position }) => position === lostTo + 1);
    return this.#correct({
      kind: "lost",
      lostFrom,
      lostTo,
      anchor: after === undefined ? null : anchorOf(after.hash, after.text),
    });
  }

  /** The ledger as a backup has it that was made at that entry: it may go on on its own. */
  restoredAt(position: number, ledger = this.ledger): TestChain {
    const restored = new TestChain(ledger);
    restored.entries = this.entries.filter((entry) => entry.position <= position);
    restored.#position = position;
    restored.#hash = restored.entries.at(-1)?.hash ?? NO_HASH;
    return restored;
  }

  /** The entries after one, as the forwarder gives them. */
  batch(after = 0, limit = 1_000): SentBatch {
    const entries = this.entries.filter(({ position }) => position > after).slice(0, limit);
    return { ledger: this.ledger, after, entries, newest: this.#position };
  }

  #correct(correction: {
    readonly kind: "void" | "time" | "lost";
    readonly recordId?: number;
    readonly timeMs?: number;
    readonly lostFrom?: number;
    readonly lostTo?: number;
    readonly anchor?: string | null;
  }): number {
    const {
      kind,
      recordId = null,
      timeMs = null,
      lostFrom = null,
      lostTo = null,
      anchor = null,
    } = correction;
    return this.#add((position) =>
      correctionText({
        position,
        kind,
        recordId,
        timeMs,
        lostFrom,
        lostTo,
        anchor,
        reason: 'un "motivo", según él',
        notedMs: 0,
      }),
    );
  }

  #add(textOf: (position: number) => string): number {
    const previousHash = this.#hash;
    this.#position += 1;
    const text = textOf(this.#position);
    this.#hash = hashOf(previousHash, text);
    this.entries.push({ position: this.#position, hash: this.#hash, previousHash, text });
    return this.#position;
  }
}
