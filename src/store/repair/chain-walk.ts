import type { Database } from "better-sqlite3";
import {
  anchorOf,
  type CorrectionEntry,
  correctionText,
  hexHashOf,
  NO_HASH,
  type RecordEntry,
  readHead,
  recordText,
} from "../ledger/chain.ts";

/** A row of the ledger as the walk reads it: the entry, and what was derived from its corrections. */
export interface WalkedRecord extends RecordEntry {
  /** The moment that it counts at. */
  readonly timeMs: number;
  readonly voidedBy: number | null;
  /** Hexadecimal. */
  readonly hash: string;
}

type WalkedCorrection = CorrectionEntry & { readonly hash: string };

/** The first place where the chain does not hold. */
export interface BrokenChain {
  readonly position: number;
  readonly what: string;
}

/** What corrections say of one record. */
interface Corrected {
  timeMs: number | null;
  voidedBy: number | null;
}

/**
 * Follows the chain of hashes from its first entry and stops telling at the first that was altered, removed
 * or inserted. Fed with the records in their order, so that one pass over a large ledger serves all checks.
 */
export class ChainWalk {
  readonly #db: Database;
  readonly #corrections: WalkedCorrection[];
  readonly #corrected = new Map<number, Corrected>();
  /** `lost` entries by the position after the hole. */
  readonly #holes = new Map<number, WalkedCorrection>();
  #next = 0;
  #position = 0;
  #hash = NO_HASH.toString("hex");
  #broken: BrokenChain | null = null;

  /** Reads all corrections into memory: they are few beside the records. */
  constructor(db: Database) {
    this.#db = db;
    this.#corrections = db
      .prepare<[], WalkedCorrection>(
        `SELECT correction_id AS position, kind, record_id AS recordId, time_ms AS timeMs, lost_from AS lostFrom,
                lost_to AS lostTo, anchor, reason, noted_ms AS notedMs, lower(hex(hash)) AS hash
           FROM correction ORDER BY correction_id`,
      )
      .all();
    for (const correction of this.#corrections) this.#learn(correction);
  }

  /** The next record, in the order of record_id. */
  record(record: WalkedRecord): void {
    if (this.#broken !== null) return;
    this.#correctionsBefore(record.position);
    this.#follow(record.position, record.hash, () => recordText(record));
    const { timeMs = null, voidedBy = null } = this.#corrected.get(record.position) ?? {};
    if (record.timeMs !== (timeMs ?? record.createdTimeMs)) {
      this.#break(record.position, "counts at a time that neither it nor a correction says");
    }
    if (record.voidedBy !== voidedBy) {
      this.#break(record.position, "is marked as void, or as counting, and its corrections say otherwise");
    }
  }

  /** After the last record: what is left of the corrections, and the head. */
  finish(): { readonly entries: number; readonly broken: BrokenChain | null } {
    this.#correctionsBefore(Number.POSITIVE_INFINITY);
    const head = readHead(this.#db);
    if (this.#broken === null && head.position > this.#position) {
      this.#break(this.#position + 1, `was removed, and all after it up to ${head.position}`);
    }
    if (head.position < this.#position) this.#break(head.position + 1, "was inserted after the newest entry");
    if (head.hash.toString("hex") !== this.#hash)
      this.#break(head.position, "is not the entry that was the newest");
    return { entries: this.#position, broken: this.#broken };
  }

  #learn(correction: WalkedCorrection): void {
    const { kind, recordId, position, timeMs, lostTo } = correction;
    if (kind === "lost") {
      if (lostTo !== null) this.#holes.set(lostTo + 1, correction);
      return;
    }
    if (recordId === null) return;
    const corrected = this.#corrected.get(recordId) ?? { timeMs: null, voidedBy: null };
    if (kind === "time") corrected.timeMs = timeMs;
    else corrected.voidedBy ??= position;
    this.#corrected.set(recordId, corrected);
  }

  #correctionsBefore(position: number): void {
    for (; this.#broken === null; this.#next += 1) {
      const correction = this.#corrections[this.#next];
      if (correction === undefined || correction.position >= position) return;
      this.#follow(correction.position, correction.hash, () => correctionText(correction));
    }
  }

  #follow(position: number, hash: string, textOf: () => string): void {
    if (position <= this.#position) {
      this.#break(position, "was inserted: its number was taken");
      return;
    }
    const text = textOf();
    if (position > this.#position + 1) {
      if (!this.#isToldHole(position, hash, text)) {
        this.#break(this.#position + 1, "was removed");
        return;
      }
    } else if (hexHashOf(this.#hash, text) !== hash) {
      this.#break(position, "was altered, or put in place of another");
      return;
    }
    this.#position = position;
    this.#hash = hash;
  }

  #isToldHole(position: number, hash: string, text: string): boolean {
    const hole = this.#holes.get(position);
    return (
      hole?.lostFrom === this.#position + 1 &&
      hole.anchor?.equals(anchorOf(Buffer.from(hash, "hex"), text)) === true
    );
  }

  #break(position: number, what: string): void {
    this.#broken ??= { position, what };
  }
}
