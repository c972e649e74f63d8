import type { Day } from "./day.ts";

/** One sale: a relay that went high, worth `valor`. Never changed, never deleted; what is learned later is a correction. */
export interface NewRecord {
  readonly locationName: string;
  readonly deviceName: string;
  readonly deviceId: string;
  /** The room: the id of the actuator. */
  readonly room: string;
  readonly valorMicros: number;
  readonly createdTimeMs: number;
}

/** A record as it stands in the ledger. */
export interface StoredRecord extends NewRecord {
  /** Position in the ledger: grows by commit order. */
  readonly recordId: number;
  /** When the relay went low again; null while it is high, and for posted records. */
  readonly endedTimeMs: number | null;
  /** Where it came from: posted by a client, an edge, or a line found high at start. */
  readonly origin: RecordOrigin;
  /** True while its time is not trusted: it was made before the clock was set, and will be moved once. */
  readonly provisional: boolean;
  /** When and why it was voided; null while it counts. */
  readonly voided: Voided | null;
}

/** Records whose time is not trusted. */
export interface Provisional {
  /** Made in the boot that runs: they are moved once its clock is set. */
  readonly waiting: number;
  /** Made in a boot that ended before its clock was set: nobody can say when they were. They stay where they are. */
  readonly unplaced: number;
}

/** A record that was taken back: it stays to be seen and counts in no sum. */
export interface Voided {
  readonly timeMs: number;
  readonly reason: string;
}

export type RecordOrigin = "posted" | "edge" | "found_at_start";

/** A client's promise that two posts are one: the same user, key and body store one record. */
export interface Idempotency {
  /** 1 to 255 characters. */
  readonly key: string;
  /** SHA-256 of the record's canonical form, hexadecimal. */
  readonly bodyHash: string;
}

/** Which records are looked for; null where any will do. */
export interface RecordFilter {
  /** Local days, both included. */
  readonly from: Day | null;
  readonly to: Day | null;
  readonly location: string | null;
  readonly deviceId: string | null;
  readonly room: string | null;
}

/** Where a record stands by time: those of one moment by their number. */
export interface RecordPosition {
  readonly timeMs: number;
  readonly recordId: number;
}

/** One piece of a search, newest first by time. */
export interface RecordSearch {
  readonly filter: RecordFilter;
  /** Only what stands before it; null from the newest on. */
  readonly before: RecordPosition | null;
  readonly limit: number;
}

/** A record as a search finds it. */
export interface FoundRecord extends StoredRecord {
  /** Number of the entry that moved it to its time once the clock was set; null for one that stands where it was made. */
  readonly movedBy: number | null;
}

export interface FoundRecords {
  /** At most `limit`; fewer, or none, also where there are more: only so many are looked at in one piece. */
  readonly records: readonly FoundRecord[];
  /** Where to go on; null when nothing is left. */
  readonly next: RecordPosition | null;
}

/** One piece of what was moved to another time since some entry, in the order in which that was done. */
export interface MovedSearch {
  readonly filter: RecordFilter;
  /** Number of that entry. Records that are newer than it are not looked for. */
  readonly since: number;
  /** `movedBy` of the last one that is known; `since` at first. */
  readonly after: number;
  readonly limit: number;
}

export interface FoundMoved {
  readonly records: readonly FoundRecord[];
  /** `after` for the next piece; null when nothing is left. */
  readonly next: number | null;
}
