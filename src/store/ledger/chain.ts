import { hash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../../domain/amount.ts";
import type { ProvenBackup } from "../../domain/backup.ts";
import {
  type ChainHead,
  type CorrectionEntry,
  type EvidenceEntry,
  NO_HASH,
  type RecordEntry,
} from "../../domain/chain-entry.ts";

/**
 * The column of each field of a record, in the order of the canonical form, which never changes: a further field goes to the
 * end. Inserts and selects of records are made from this list. `boot_id` stands in the table `boot`.
 */
export const RECORD_COLUMNS = {
  position: "record_id",
  userId: "user_id",
  locationName: "location_name",
  deviceName: "device_name",
  deviceId: "device_id",
  room: "room",
  valorMicros: "valor_micros",
  createdTimeMs: "created_ms",
  origin: "origin",
  provisional: "provisional",
  bootId: "boot_id",
  line: "line",
  request: "request",
  sequence: "sequence",
  monotonicNs: "monotonic_ns",
} as const satisfies Record<keyof RecordEntry, string>;

// TypeScript gives the keys of an object as texts.
export const RECORD_FIELDS = Object.keys(RECORD_COLUMNS) as readonly (keyof RecordEntry)[];

/** Columns by their fields' names, for a SELECT. */
export function selectList(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([field, column]) => `${column} AS ${field}`)
    .join(", ");
}

/** The canonical form of a record: JSON of a list, with all digits of its numbers, as SQLite writes it. */
export function recordText(entry: RecordEntry): string {
  const values = ["sale", ...RECORD_FIELDS.map((field) => entry[field])];
  const { monotonicNs } = entry;
  if (monotonicNs === null || Number.isSafeInteger(monotonicNs)) return JSON.stringify(values);
  // After 104 days of a boot. JSON.stringify rounds the digits of such a number.
  return `[${values.map((value) => (typeof value === "number" ? BigInt(value) : JSON.stringify(value))).join(",")}]`;
}

/** The canonical form of a correction. */
export function correctionText(entry: CorrectionEntry): string {
  const { position, kind, recordId, timeMs, lostFrom, lostTo, anchor, reason, notedMs } = entry;
  return JSON.stringify([kind, position, recordId, timeMs, lostFrom, lostTo, anchor, reason, notedMs]);
}

/** The canonical form of an audit entry. */
export function evidenceText(entry: EvidenceEntry): string {
  const { kind, position, timeMs, bootId, begunMs, userId, way, who, from, details } = entry;
  return JSON.stringify([kind, position, timeMs, bootId, begunMs, userId, way, who, from, details]);
}

/** The hash of an entry, from that of the entry before it and its own canonical form. Hashes are hexadecimal texts. */
export function hashOf(before: string, text: string): string {
  // One text and one call: over a long chain Buffers would cost more than the hashing.
  return hash("sha256", before + text);
}

/**
 * What ties the first entry after a hole to the `lost` entry that describes the hole: its own hash was made
 * from one that is gone, so that hash and text are held together instead.
 */
export function anchorOf(entryHash: string, text: string): string {
  return hashOf(entryHash, text);
}

/** The head as the file says it; the entries themselves may say otherwise, see `ChainWalk`. */
export function readHead(db: Database): ChainHead {
  const head = db.prepare<[], ChainHead>("SELECT position, lower(hex(hash)) AS hash FROM chain_head").get();
  return head ?? { position: 0, hash: NO_HASH };
}

/** How many commits the file holds. */
export function readCommits(db: Database): number {
  return db.prepare<[], number>("SELECT commits FROM chain_head").pluck().get() ?? 0;
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

/** What a ledger holds, short enough to compare two of them. */
export type Tally = Pick<ProvenBackup, "position" | "head" | "commits" | "records" | "totalMicros">;

/**
 * Counts and adds the records up, in the caller's transaction. Units and millionths apart, because the sum of a lifetime and
 * of all users may leave 64 bits, and a backup must be proved all the same.
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
    ...{ position, head: hash, commits: readCommits(db) },
    ...{ records: Number(records), totalMicros: String(total) },
  };
}

/**
 * A restored or rebuilt ledger goes on with commits that no copy of the one before has: their numbers are further apart than
 * any ledger will count. `known` is the highest number that a copy has, which may itself be of a restored ledger.
 */
export function passOverCommits(db: Database, known: number): void {
  db.prepare<[number]>(`UPDATE chain_head SET commits = max(commits, ?) + ${2 ** 40}`).run(known);
}

/** Numbers the commits of a rebuild as the ledger did that it stands for. */
export function setCommits(db: Database, commits: number): void {
  db.prepare<[number]>("UPDATE chain_head SET commits = ?").run(commits);
}

/**
 * The end of the chain in the writer thread, where entries are appended. As with rollups, a command's
 * entries count once it has succeeded (`keep`), and a batch's once the head is in its transaction (`flush`).
 */
export class Chain {
  readonly #save: { run(position: number, hash: string, commits: number): unknown };
  /** In the file. */
  #stored: ChainHead;
  /** With the commands of this transaction that succeeded. */
  #kept: ChainHead;
  /** With the command that runs. */
  #head: ChainHead;
  #commits: number;

  constructor(db: Database) {
    this.#save = db.prepare<[number, string, number]>(
      "UPDATE chain_head SET position = ?, hash = unhex(?), commits = ?",
    );
    this.#commits = readCommits(db);
    this.#stored = this.#kept = this.#head = readHead(db);
  }

  /** The number of the next entry. */
  get next(): number {
    return this.#head.position + 1;
  }

  /** Links a record and gives its hash. Its position must be `next`; its row must be inserted in the same transaction. */
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
  }

  /** The newest entry, with the commands of this transaction that succeeded. */
  get head(): ChainHead {
    return this.#kept;
  }

  /** Commits that the file holds. */
  get commits(): number {
    return this.#commits;
  }

  /** Writes the head, and counts the commit. Call within the transaction of its entries, and `commit` after it. */
  flush(): void {
    this.#save.run(this.#kept.position, this.#kept.hash, this.#commits + 1);
  }

  commit(): void {
    this.#stored = this.#kept;
    this.#commits += 1;
  }

  /** The transaction was rolled back. */
  discard(): void {
    this.#head = this.#kept = this.#stored;
  }

  #append(position: number, text: string): ChainHead {
    this.#head = { position, hash: hashOf(this.#head.hash, text) };
    return this.#head;
  }
}
