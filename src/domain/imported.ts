import type { Device } from "./device.ts";
import type { Id } from "./id.ts";
import type { NewRecord } from "./record.ts";
import { MAX_TEXT } from "./text.ts";

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
  /** The name of a location that exists or is imported too. */
  readonly locationName: string;
  readonly rooms: readonly string[];
}

export interface ImportedPlaces {
  /** The file or folder that they come from, for the audit log. */
  readonly source: string;
  readonly locations: readonly ImportedLocation[];
  readonly devices: readonly ImportedDevice[];
}

/** What an imported device is here. */
export interface PlacedDevice {
  readonly imported: ImportedDevice;
  /** Null for one that is still to be added. */
  readonly id: Id | null;
  readonly dId: string;
}

/**
 * Finds each imported device among those that the account has, in their order: by its id, or by dId and
 * location. A device of another location is another box, and its dId gets that name where it is taken.
 */
export function placeDevices(
  here: readonly Pick<Device, "id" | "dId" | "locationName">[],
  imported: readonly ImportedDevice[],
): readonly PlacedDevice[] {
  const byId = new Map(here.map((device) => [device.id, device]));
  const taken = new Map(
    here.map(({ dId, id, locationName }) => [dId, { id: id as Id | null, locationName }]),
  );
  return imported.map((device) => {
    const same = byId.get(device.id);
    if (same !== undefined) return { imported: device, id: same.id, dId: same.dId };
    const { dId, locationName } = device;
    const other = taken.get(dId);
    const isOther = other !== undefined && other.locationName !== locationName;
    const placed = isOther ? [...`${dId} (${locationName})`].slice(0, MAX_TEXT).join("") : dId;
    const { id } = taken.get(placed) ?? { id: null };
    taken.set(placed, { id, locationName });
    return { imported: device, id, dId: placed };
  });
}

/** A record of another ledger or system. */
export interface ImportedRecord extends NewRecord {
  /** Identifies it in the account for all time, so that a record is imported once. */
  readonly key: string;
  /** What else it may be known by; absent for none. */
  readonly alias?: RecordAlias;
  readonly endedTimeMs: number | null;
  readonly provisional: boolean;
  /** Why it is void; null while it counts. */
  readonly voidReason: string | null;
  /** Of a refund: what its sale is known by, which is imported before it. */
  readonly refundOf: Pick<ImportedRecord, "key" | "alias"> | null;
  readonly reason: string | null;
}

/**
 * What a record may be known by beside its key: the account's number in this ledger, with the begin of
 * the entry's hash; or, for a row of a table, its content and how many rows before it have the same.
 */
export type RecordAlias =
  | { readonly kind: "own"; readonly number: number; readonly hash: string }
  | { readonly kind: "content"; readonly before: number };

/** What is compared of a record that is here. */
export type ComparedField = Exclude<keyof NewRecord, "deviceId"> | "voidReason" | "refundOf";

/**
 * A record that is here with another content, or counts here and is void there; or a refund
 * whose sale is not here, or is less than the refund. It is left out.
 */
export interface DifferingRecord {
  /** Its place in the list that was imported. */
  readonly place: number;
  readonly fields: readonly ComparedField[];
}

/** What an import of records did, or would do. The others are there already. */
export interface ImportedCount {
  readonly added: number;
  readonly differing: readonly DifferingRecord[];
}

/** Whether two names of a place are one to a spreadsheet, which makes 101 of 0101 and 100000 of 1E5. */
export function isSameToSpreadsheet(name: string, other: string): boolean {
  return name === other || Number(name) === Number(other);
}

/** Sales of another system are of this century: a time before it is one in seconds. 1 January 2000. */
const FIRST_MS = 946_684_800_000;
/** What a time of a record of another system must be. */
export const TIME_FORM = "must be milliseconds, such as 1773230400000 for 11 March 2026";
export const BEFORE_2000 = `${TIME_FORM}: this one is before 2000, as seconds are`;

/** Whether a record of another system may have this time. */
export function isPlausibleTime(timeMs: number): boolean {
  return timeMs >= FIRST_MS;
}

/** Whether a key is one of a ledger, where a sale of a wrong clock may have any time. */
export function isLedgerKey(key: string): boolean {
  return LEDGER_KEY.test(key);
}

/** Digits of an entry's hash in a key: two histories of one ledger may give one number to two sales. */
const HASH_DIGITS = 16;
const LEDGER_KEY = /^([0-9a-f]{32})\/(\d{1,13})\/([0-9a-f]{16})$/;
const ROW_KEY = /^csv\/[0-9a-f]{64}\/(\d{1,9})$/;

/**
 * The key of a record of a ledger, for other ledgers.
 * @param ledgerId the first identity that the ledger had: it keeps that wherever it is moved
 * @param hash of the record's entry
 */
export function ledgerKey(ledgerId: string, number: number, hash: string): string {
  return `${ledgerId}/${number}/${hash.slice(0, HASH_DIGITS)}`;
}

/** The key of a table's row without one, by the hash of its content, and how many rows with that content came before. */
export function rowKey(content: string, before: number): string {
  return `csv/${content}/${before + 1}`;
}

/** What else a record with this key may be known by, in the ledger that has these identities. */
export function aliasOf(key: string, ownIds: readonly string[]): RecordAlias | undefined {
  const [, ledgerId = "", number, hash = ""] = LEDGER_KEY.exec(key) ?? [];
  if (ownIds.includes(ledgerId)) return { kind: "own", number: Number(number), hash };
  const [, time] = ROW_KEY.exec(key) ?? [];
  return time === undefined ? undefined : { kind: "content", before: Number(time) - 1 };
}
