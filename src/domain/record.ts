import type { Day } from "./day.ts";
import type { PaidStretch } from "./device.ts";
import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";

/** One sale, worth `valor`. Never changed and never deleted; corrections are entries of their own. */
export interface NewRecord {
  readonly locationName: string;
  readonly deviceName: string;
  readonly deviceId: string;
  /** The room: the id of the actuator. */
  readonly room: string;
  readonly valorMicros: number;
  readonly createdTimeMs: number;
}

/** A record as it enters the chain: what was known when it was made, and nothing that may change later. */
export interface RecordEntry extends NewRecord {
  /** Its position in the chain, from 1 without holes. */
  readonly position: number;
  readonly userId: Id;
  readonly origin: RecordOrigin;
  /** 1 for a record whose time was not trusted when it was made. */
  readonly provisional: number;
  readonly bootId: string | null;
  readonly line: string | null;
  readonly request: number | null;
  readonly sequence: number | null;
  readonly monotonicNs: number | null;
  /** Its number among the account's records, from 1 without a hole; the same wherever it stands. */
  readonly number: number;
  /** Of a refund, which has a negative valor and is no sale: the number of its sale among the account's records. */
  readonly refundOf: number | null;
  /** Why a person refunded the sale, or added it by hand; null for all others. */
  readonly reason: string | null;
}

/**
 * The ledger's column of each field of a record, in the order of the canonical form, which never
 * changes: a further field goes to the end. Inserts, selects, the full check and a company's
 * database are made from this list. `boot_id` stands in the table `boot`.
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
  number: "number",
  refundOf: "refund_of",
  reason: "reason",
} as const satisfies Record<keyof RecordEntry, string>;

// TypeScript gives the keys of an object as texts.
export const RECORD_FIELDS = Object.keys(RECORD_COLUMNS) as readonly (keyof RecordEntry)[];

/** The fields that say how a record was made, which its readers do not get. */
type OfItsMaking = "userId" | "bootId" | "line" | "request" | "sequence" | "monotonicNs";

/** A record as it stands in the ledger. */
export interface StoredRecord extends Omit<RecordEntry, OfItsMaking | "position" | "provisional"> {
  /** Position in the ledger; grows in commit order. Clients never see it: it counts all accounts. */
  readonly recordId: number;
  /** When the relay went low again; null while it is high, and for records that no relay made here. */
  readonly endedTimeMs: number | null;
  /** True while its time is not trusted: it was made before the clock was set, and is moved once that happens. */
  readonly provisional: boolean;
  /** When and why it was voided; null while it counts. */
  readonly voided: RecordVoid | null;
  /** What of it was given back, in millionths: the sum of its refunds that count. */
  readonly refundedMicros: number;
  /** Until when its room is paid by it, as far as it is known here; null where it is not. */
  readonly paid: Pick<PaidStretch, "untilMs" | "isDoubtful"> | null;
}

/** For a record beyond a member's limit too, in the same words. */
export function unknownRecord(): FlancoError {
  return new FlancoError("not_found", "There is no record of that number.", {
    hint: "The records' numbers are on the page and in GET /api/record.",
  });
}

/** What the ledger gives a record when it stores it. */
export type GivenToRecord = Pick<StoredRecord, "recordId" | "number" | "valorMicros">;

/** A record as it stands in the ledger once it is made. */
export function justMade(
  record: NewRecord,
  made: Pick<StoredRecord, "recordId" | "number" | "origin" | "provisional"> & Partial<StoredRecord>,
): StoredRecord {
  const none = { refundOf: null, reason: null, endedTimeMs: null, voided: null, paid: null };
  return { ...record, ...none, refundedMicros: 0, ...made };
}

/** Records whose time is not trusted. */
export interface ProvisionalCounts {
  /** Made in the current boot: they are moved once its clock is set. */
  readonly waiting: number;
  /** Made in a boot that ended before its clock was set: their time is unknown for good. */
  readonly unplaced: number;
}

/** A sale that a person adds, because neither a relay nor a program has recorded it. */
export interface SaleByHand {
  readonly dId: string;
  readonly room: string;
  readonly timeMs: number;
  /** Null: the price that the room had then. */
  readonly valorMicros: number | null;
  readonly reason: string;
  /** Number of the gap that it was lost in; null for none. */
  readonly gap: number | null;
}

/** What is given back of a sale. */
export interface NewRefund {
  /** More than 0. */
  readonly valorMicros: number;
  readonly reason: string;
}

/** A record with who entered it: an e-mail, or the system's user of a command; null for a record that no person entered. */
export interface ActedRecord {
  readonly record: StoredRecord;
  readonly who: string | null;
}

/** What people did with a record. */
export interface RecordActs extends ActedRecord {
  /** The newest first. */
  readonly refunds: readonly ActedRecord[];
}

/** A voided record stays visible and counts in no sum. */
export interface RecordVoid {
  readonly timeMs: number;
  readonly reason: string;
  /**
   * E-mail of the member, or the system's user of the command, that voided it; null for the gateway
   * itself. A search tells it; absent elsewhere, and in a company's database.
   */
  readonly who?: string | null | undefined;
}

/**
 * Posted by a client, made from an edge, or from a line that was found high at the
 * start, imported from another system, added by an owner, or given back by one.
 */
export const RECORD_ORIGINS = ["posted", "edge", "found_at_start", "imported", "by_hand", "refund"] as const;
export type RecordOrigin = (typeof RECORD_ORIGINS)[number];

/** The same user, key and body store one record, however often they are posted. */
export interface Idempotency {
  /** 1 to 255 characters. */
  readonly key: string;
  /** SHA-256 of the record's canonical form, hexadecimal. */
  readonly bodyHash: string;
}

/** What of its state or origin a record can be searched by. */
export const RECORD_STATES = ["counted", "voided", "provisional", "by_hand", "refund"] as const;
export type RecordState = (typeof RECORD_STATES)[number];

export function isOfState(
  { voided, provisional, origin }: Pick<StoredRecord, "voided" | "provisional" | "origin">,
  state: RecordState,
): boolean {
  if (state === "by_hand" || state === "refund") return origin === state;
  return state === "voided" ? voided !== null : voided === null && (state === "counted" || provisional);
}

/** Which records are wanted; null matches all. */
export interface RecordFilter {
  /** Local days, both included. */
  readonly from: Day | null;
  readonly to: Day | null;
  readonly location: string | null;
  readonly deviceId: string | null;
  readonly room: string | null;
  /** A part of the room's name, without regard to case. */
  readonly roomPart: string | null;
  /** The one of this number; a company's gateways have one each. */
  readonly number?: number | undefined;
  readonly state?: RecordState | undefined;
  /** Of these locations by their names, which are the member's own (`LocationLimit`); null for all. */
  readonly within: readonly string[] | null;
}

/**
 * A record's place in the order by time; records of the same moment are ordered by
 * their number, in a company's database by that of all its ledgers' entries.
 */
export interface RecordPosition {
  readonly timeMs: number;
  readonly number: number;
}

/** One page of a search, newest first by time. */
export interface RecordSearch {
  readonly filter: RecordFilter;
  /** Only records before this position; null begins with the newest. */
  readonly before: RecordPosition | null;
  readonly limit: number;
}

export interface FoundRecord extends StoredRecord {
  /** Number of the entry that moved it to its time once the clock was set; null where none did. */
  readonly movedBy: number | null;
}

export interface FoundRecords {
  /** At most `limit`; fewer, or none, although more follow: each call reads a bounded number of entries. */
  readonly records: readonly FoundRecord[];
  /** The position to continue with; null at the end. */
  readonly next: RecordPosition | null;
}

/** The newest entry's number of each ledger that is read: one on a gateway, several for a company. */
export type LedgerMark = readonly number[];

/**
 * How many numbers each ledger has where entries of many ledgers are numbered
 * together. On a gateway an entry's number is its position; in a company's database
 * it is the gateway's number times this, plus the entry's branch and position.
 */
export const NUMBERS_OF_LEDGER = 2 ** 37;

/** Whether an entry was there when the mark was taken. */
export function isBefore(mark: LedgerMark, entry: number): boolean {
  const newest = mark.find((each) => each >= entry);
  return newest !== undefined && ledgerOf(newest) === ledgerOf(entry);
}

function ledgerOf(entry: number): number {
  return Math.floor(entry / NUMBERS_OF_LEDGER);
}

/** One page of the records that were moved since a mark, in the order of their moves. */
export interface MovedSearch {
  readonly filter: RecordFilter;
  /** Records newer than it are not returned. */
  readonly since: LedgerMark;
  /** `next` of the page before; null at first. */
  readonly after: number | null;
  readonly limit: number;
}

export interface FoundMoved {
  readonly records: readonly FoundRecord[];
  /** `after` of the next page; null at the end. */
  readonly next: number | null;
}

/** A record as it leaves the ledger. */
export interface ExportedRecord extends StoredRecord {
  /** The key that it was imported by; null for one that was made here. */
  readonly importKey: string | null;
  /** Of its entry, 64 hexadecimal digits. */
  readonly hash: string;
  /** The sale that it is a refund of; null for others. */
  readonly refunded: Pick<ExportedRecord, "number" | "importKey" | "hash"> | null;
}
