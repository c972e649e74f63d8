import type { SettlementContent } from "../../src/contract/settlement.ts";
import { NO_HASH } from "../../src/domain/chain-entry.ts";
import type { NewRecord, RecordEntry } from "../../src/domain/record.ts";
import { anchorOf, correctionText, evidenceText, hashOf, recordText } from "../../src/ledger/engine/chain.ts";
import type { SentBatch, SentEntry } from "../../src/notify/central-sink.ts";
import { aRecordEntry } from "../domain/record-entry.ts";

const OWNER = "0".repeat(24);

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
          userId: OWNER,
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

  /** Gives a part of a sale back, whose number is its position here. */
  refund(sale: number, micros: number, overrides: Partial<RecordEntry> = {}): number {
    return this.sell({
      ...{ origin: "refund", valorMicros: -micros, refundOf: sale, reason: "se quejó", line: null },
      ...overrides,
    });
  }

  /** Closes a month that is that stretch of time, by the entries up to `mark`; these sales and net sum are settled. */
  close(
    month: string,
    [from, until]: readonly [number, number],
    mark = this.#position,
    sales = 0,
    net = 0,
  ): number {
    const split = { net, base: net, vat: 0, clinic: 0, company: net };
    const none = { net: 0, base: 0, vat: 0, clinic: 0, company: 0 };
    const content: SettlementContent = {
      ...{ month, time: until, timeZone: "Europe/Madrid", currency: { code: "EUR", decimals: 2 } },
      ...{ first: from, from, until, previous: null, since: mark, mark: { position: mark, hash: NO_HASH } },
      numbers: null,
      totals: {
        ...{ sales, gross: net, refunds: 0, refunded: 0, voided: 0, voidedValue: 0, byHand: 0 },
        ...{ byHandValue: 0, provisional: 0, first: 0, last: 0, net },
        ...{ own: split, corrected: none, due: split },
      },
      ...{ locations: [], rooms: [], otherRooms: null, correctedMonths: [], corrections: [] },
      ...{ moreCorrections: 0, gaps: [], moreGaps: 0 },
    };
    return this.#add((position) =>
      evidenceText({
        ...{ kind: "month_closed", position, timeMs: until, bootId: "boot 1", begunMs: 5, userId: OWNER },
        ...{ way: "network", who: "ana@example.org", from: "::1", number: position },
        details: JSON.stringify({ month, report: JSON.stringify(content) }),
      }),
    );
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
