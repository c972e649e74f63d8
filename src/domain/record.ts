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
