import type { Id } from "./id.ts";
import type { NewRecord, StoredRecord } from "./record.ts";

/** A location of another ledger or system. */
export interface ImportedLocation {
  readonly name: string;
  readonly description: string;
}

/** A device of another ledger or system. */
export interface ImportedDevice {
  /** Its id there: kept where it is free, so that what refers to it still does. */
  readonly id: Id;
  readonly dId: string;
  readonly name: string;
  /** A location that is there or comes with it. */
  readonly locationName: string;
  readonly rooms: readonly string[];
}

export interface ImportedPlaces {
  /** The file or folder that they come from, for the audit log. */
  readonly source: string;
  readonly locations: readonly ImportedLocation[];
  readonly devices: readonly ImportedDevice[];
}

/** The id that each device has here, by the one that it has there. */
export type DeviceIds = Readonly<Record<Id, Id>>;

/** A record as it leaves the ledger. */
export interface ExportedRecord extends StoredRecord {
  /** The key that it was imported by; null for one that was made here. */
  readonly importKey: string | null;
}

/** A record of another ledger or system. */
export interface ImportedRecord extends NewRecord {
  /** Names it for all time in the account: a record is imported once. */
  readonly key: string;
  readonly endedTimeMs: number | null;
  readonly provisional: boolean;
  /** Why it is void; null while it counts. */
  readonly voidReason: string | null;
}
