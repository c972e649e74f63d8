import { hash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../../domain/amount.ts";
import type { ProvenBackup } from "../../domain/backup.ts";
import {
  type ChainHead,
  type CorrectionEntry,
  type EvidenceEntry,
  NO_HASH,
} from "../../domain/chain-entry.ts";
import { RECORD_FIELDS, type RecordEntry } from "../../domain/record.ts";
import { Numbers } from "./numbers.ts";

/** Columns by their fields' names, for a SELECT; of one of its tables, with a `prefix` as `r.`. */
export function selectList(columns: Readonly<Record<string, string>>, prefix = ""): string {
  return Object.entries(columns)
    .map(([field, column]) => `${prefix}${column} AS ${field}`)
    .join(", ");
}

/** The canonical form of a record: JSON of a list, with all digits of its numbers, as SQLite writes it. */
export function recordText(entry: RecordEntry): string {
  const values = ["sale", ...RECORD_FIELDS.map((field) => entry[field])];
  const { monotonicNs } = entry;
  if (monotonicNs === null || Number.isSafeInteger(monotonicNs)) return JSON.stringify(values);
  // `monotonicNs` is beyond the safe integers after 104 days
  // of a boot, and JSON.stringify would round its digits.
  return `[${values.map((value) => (typeof value === "number" ? BigInt(value) : JSON.stringify(value))).join(",")}]`;
}

/** The canonical form of a correction. */
export function correctionText(entry: CorrectionEntry): string {
  const { position, kind, recordId, timeMs, lostFrom, lostTo, anchor, reason, notedMs } = entry;
  return JSON.stringify([kind, position, recordId, timeMs, lostFrom, lostTo, anchor, reason, notedMs]);
}

/** The canonical form of an audit entry. */
export function evidenceText(entry: EvidenceEntry): string {
  const { kind, position, timeMs, bootId, begunMs, userId, way, who, from, details, number } = entry;
  return JSON.stringify([kind, position, timeMs, bootId, begunMs, userId, way, who, from, details, number]);
}

/** The hash of an entry, from that of the entry before it and its own canonical form. Hexadecimal. */
export function hashOf(before: string, text: string): string {
  // One text and one call: over a long chain Buffers would cost more than the hashing.
  return hash("sha256", before + text);
}

/**
 * Ties the first entry after a hole to the `lost` entry that describes the
 * hole. The hash of that first entry cannot be checked, because it was made
 * from an entry that is gone; so this is a hash over its hash and its text.
 */
export function anchorOf(entryHash: string, text: string): string {
  return hashOf(entryHash, text);
}

/**
 * Reads the head: the newest entry, or the mark `rolled_up` where that is newer, because the
 * newest entries are gone. So no number is given twice, and the missing entries stay a hole.
 */
export function headReader(db: Database): () => ChainHead {
  const newest = db.prepare<[], ChainHead>(selectNewest([...NEWEST, MARK]));
  return () => newest.get() ?? { position: 0, hash: NO_HASH };
}

/** The head, read once. */
export function readHead(db: Database): ChainHead {
  return headReader(db)();
}

const NEWEST = [
  "SELECT record_id AS position, hash, 0 AS is_mark FROM record ORDER BY record_id DESC LIMIT 1",
  "SELECT correction_id, hash, 0 FROM correction ORDER BY correction_id DESC LIMIT 1",
  "SELECT position, hash, 0 FROM audit WHERE position IS NOT NULL ORDER BY position DESC LIMIT 1",
];
const MARK = "SELECT position, hash, 1 FROM rolled_up WHERE position > 0";

function selectNewest(parts: readonly string[]): string {
  return `SELECT position, lower(hex(hash)) AS hash FROM (${parts.map((part) => `SELECT * FROM (${part})`).join(" UNION ALL ")})
           ORDER BY position DESC, is_mark LIMIT 1`;
}

/**
 * The mark `rolled_up`: the entry up to which the rollups
 * hold the records, once the chain's head, and its commit.
 */
export interface RollupMark extends ChainHead {
  readonly commits: number;
}

export function readRolledUp(db: Database): RollupMark {
  const stored = db.prepare<[], RollupMark>(
    "SELECT position, lower(hex(hash)) AS hash, commits FROM rolled_up",
  );
  return stored.get() ?? { position: 0, hash: NO_HASH, commits: 0 };
}

/**
 * The number of the newest commit. A commit with entries adds their number to it,
 * and a commit without adds one. So commits that only add entries need not store it.
 */
export function readCommits(db: Database): number {
  const { position, commits } = readRolledUp(db);
  return commits + readHead(db).position - position;
}

/** The same by the entries that the file holds: lower where the newest ones are gone. */
export function readHeldCommits(db: Database): number {
  const { position, commits } = readRolledUp(db);
  const newest = db.prepare<[], ChainHead>(selectNewest(NEWEST)).get();
  return commits + (newest?.position ?? 0) - position;
}

/** The hash of one entry, hexadecimal; undefined where the ledger holds none of that number. */
export function entryHash(db: Database, position: number): string | undefined {
  return db
    .prepare<{ position: number }, string>(
      `SELECT lower(hex(hash)) FROM record WHERE record_id = @position
       UNION ALL SELECT lower(hex(hash)) FROM correction WHERE correction_id = @position
       UNION ALL SELECT lower(hex(hash)) FROM audit WHERE position = @position`,
    )
    .pluck()
    .get({ position });
}

/** What a ledger holds, in a form by which two ledgers are compared. */
export type Tally = Pick<ProvenBackup, "position" | "head" | "commits" | "records" | "totalMicros">;

/**
 * Counts the records and adds them up, in the caller's transaction. Units and millionths are added up apart,
 * because the sum of all users and years may leave 64 bits, and a backup must be proved all the same.
 */
export function tallyOf(db: Database): Tally {
  const { position, hash } = readHead(db);
  const {
    records = 0n,
    units,
    micros,
  } = db
    .prepare<[], { records: bigint; units: bigint | null; micros: bigint | null }>(
      `SELECT count(*) AS records, sum(valor_micros / ${MICROS_PER_UNIT}) FILTER (WHERE voided_by IS NULL) AS units,
                sum(valor_micros % ${MICROS_PER_UNIT}) FILTER (WHERE voided_by IS NULL) AS micros FROM record`,
    )
    .safeIntegers()
    .get() ?? {};
  const total = (units ?? 0n) * BigInt(MICROS_PER_UNIT) + (micros ?? 0n);
  return {
    position,
    head: hash,
    commits: readCommits(db),
    records: Number(records),
    totalMicros: String(total),
  };
}

/**
 * Skips more numbers of commits than any ledger will ever have, so that a restored or rebuilt ledger uses
 * no number that a copy of the ledger before has. `known` is the highest number of a commit in such a copy.
 */
export function passOverCommits(db: Database, known: number): void {
  setCommits(db, Math.max(readCommits(db), known) + 2 ** 40);
}

/** Sets the number of the newest commit, so that a rebuild numbers its commits as the damaged ledger did. */
export function setCommits(db: Database, commits: number): void {
  db.prepare<[number]>("UPDATE rolled_up SET commits = commits + ?").run(commits - readCommits(db));
}

/**
 * The end of the chain in the writer thread, where entries are appended. A command's entries count
 * once it has succeeded (`keep`), and those of a transaction once it is committed (`commit`).
 */
export class Chain {
  /** The numbers that accounts see. */
  readonly numbers: Numbers;
  /** The head in the file. */
  #stored: ChainHead;
  /** The head with the commands of this transaction that succeeded. */
  #kept: ChainHead;
  /** The head with the running command too. */
  #head: ChainHead;
  #commits: number;
  /** The hash of the next entry where the one before it is lost; null where it follows from that one. */
  #nextHash: string | null = null;

  constructor(db: Database) {
    this.numbers = new Numbers(db);
    this.#commits = readCommits(db);
    this.#stored = this.#kept = this.#head = readHead(db);
  }

  /** The number of the next entry. */
  get next(): number {
    return this.#head.position + 1;
  }

  /**
   * Links a record and gives its hash. Its position must be
   * `next`; its row must be inserted in the same transaction.
   */
  appendRecord(entry: RecordEntry): string {
    return this.#append(entry.position, recordText(entry)).hash;
  }

  /** Links a correction, likewise. */
  appendCorrection(correction: Omit<CorrectionEntry, "position">): ChainHead {
    const position = this.next;
    return this.#append(position, correctionText({ position, ...correction }));
  }

  /** Links an audit entry, likewise. */
  appendEvidence(entry: Omit<EvidenceEntry, "position">): ChainHead {
    const position = this.next;
    return this.#append(position, evidenceText({ position, ...entry }));
  }

  keep(): void {
    this.#kept = this.#head;
  }

  forget(): void {
    this.#head = this.#kept;
    this.numbers.forget();
  }

  /** The head with the commands of this transaction that succeeded. */
  get head(): ChainHead {
    return this.#kept;
  }

  /** The same with the command that runs. */
  get newest(): ChainHead {
    return this.#head;
  }

  /** The number of the newest commit, as `readCommits` gives it. */
  get commits(): number {
    return this.#commits;
  }

  /** Whether commands of this transaction have added entries. */
  get hasGrown(): boolean {
    return this.#kept.position > this.#stored.position;
  }

  /** The number of the commit that would end with this entry. */
  commitsAt({ position }: ChainHead): number {
    return this.#commits + position - this.#stored.position;
  }

  commit(): void {
    this.#commits = this.hasGrown ? this.commitsAt(this.#kept) : this.#commits + 1;
    this.#stored = this.#kept;
  }

  /** The transaction was rolled back. */
  discard(): void {
    this.#head = this.#kept = this.#stored;
    this.#nextHash = null;
    this.numbers.forget();
    this.numbers.takeFirst();
  }

  /** Goes on after entries that are lost, in a repair: this was the head once, and `commits` its commit's number. */
  goOnFrom(head: ChainHead, commits: number): void {
    this.#stored = this.#kept = this.#head = head;
    this.#commits = commits;
  }

  /** The same in a transaction whose only entry is this one, because the entry before it is lost. */
  expect({ position, hash }: ChainHead): void {
    this.#head = this.#kept = { position: position - 1, hash: "" };
    this.#nextHash = hash;
  }

  #append(position: number, text: string): ChainHead {
    this.#head = { position, hash: this.#nextHash ?? hashOf(this.#head.hash, text) };
    this.#nextHash = null;
    return this.#head;
  }
}
