import type { AuditKind, AuditWay } from "./audit.ts";
import type { Id } from "./id.ts";
import type { RecordEntry } from "./record.ts";

/** What stands before the first entry. */
export const NO_HASH = "0".repeat(64);

/**
 * `void`: a record counts no more. `time`: a provisional record's time is known now. `lost`: entries were
 * in a damaged part of the file and are gone.
 */
export type CorrectionKind = "void" | "time" | "lost";

/** Something that was learned after a record was made. Takes a number of its own in the same chain. */
export interface CorrectionEntry {
  readonly position: number;
  readonly kind: CorrectionKind;
  /** The record that it is about; null for `lost`. */
  readonly recordId: number | null;
  readonly timeMs: number | null;
  /** The numbers that `lost` covers, both included. */
  readonly lostFrom: number | null;
  readonly lostTo: number | null;
  /** What holds the entry after the hole in its place, see `anchorOf`. */
  readonly anchor: string | null;
  readonly reason: string;
  readonly notedMs: number;
}

/** An audit entry that lasts. It has a number of its own in the same chain. */
export interface EvidenceEntry {
  readonly position: number;
  readonly kind: AuditKind;
  readonly timeMs: number;
  readonly bootId: string | null;
  readonly begunMs: number | null;
  readonly userId: Id | null;
  readonly way: AuditWay;
  readonly who: string | null;
  readonly from: string;
  /** As it is stored: JSON. */
  readonly details: string;
  /** Its number among the lasting entries of the account, or of the appliance. */
  readonly number: number;
}

/** The newest entry. */
export interface ChainHead {
  /** 0 for an empty ledger. */
  readonly position: number;
  readonly hash: string;
}

/** What every entry of the chain has, whatever it says. Hashes are 64 lower-case hexadecimal digits. */
interface Link {
  /** From 1, without holes but those that a `lost` entry names. */
  readonly position: number;
  /** SHA-256 of the previous entry's hash followed by `text`. */
  readonly hash: string;
  /** The hash of the entry before it; `NO_HASH` before the first, null where that entry is lost. */
  readonly previousHash: string | null;
  /** The canonical form: JSON of a list. Its SHA-256 with the hash before it is `hash`. */
  readonly text: string;
}

/** An entry as the ledger holds it, with what proves its place in the chain. Never changes. */
export type ChainEntry = Link &
  (
    | { readonly kind: "record"; readonly record: RecordEntry }
    | { readonly kind: "correction"; readonly correction: CorrectionEntry }
    | { readonly kind: "evidence"; readonly evidence: EvidenceEntry }
  );
