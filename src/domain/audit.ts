import type { Id } from "./id.ts";

/** What the audit log records: sign-ins, and changes of access, of prices, and of the ledger as a whole. */
export const AUDIT_KINDS = [
  "sign_in",
  "sign_in_failed",
  "sign_out",
  "member_added",
  "password_changed",
  "member_removed",
  "role_changed",
  "locations_set",
  "link_made",
  "key_made",
  "key_revoked",
  "sessions_ended",
  "wiring_set",
  "wiring_removed",
  "room_renamed",
  "price_planned",
  "price_cancelled",
  "paid_time_moved",
  "test_begun",
  "test_ended",
  "commissioned",
  "letterhead_set",
  "terms_set",
  "month_closed",
  "record_voided",
  "sale_added",
  "record_refunded",
  "data_imported",
  "ledger_restored",
  "ledger_rebuilt",
  "time_zone_changed",
  "secret_rotated",
  "clock_corrected",
  "findings_acknowledged",
  "sink_changed",
  "updated",
  "update_failed",
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/**
 * Only the newest entries of these kinds are kept, because nothing bounds how often they are
 * made. All others are in the chain and stay for ever.
 */
const PASSING_KINDS: ReadonlySet<AuditKind> = new Set([
  "sign_in",
  "sign_in_failed",
  "sign_out",
  "sessions_ended",
]);

export function isLasting(kind: AuditKind): boolean {
  return !PASSING_KINDS.has(kind);
}

/** The actor's way: over HTTP, by a command on the gateway, or the service acting by itself. */
export const AUDIT_WAYS = ["network", "command", "service"] as const;
export type AuditWay = (typeof AUDIT_WAYS)[number];

/** The origin of an action. */
export interface Actor {
  readonly way: AuditWay;
  /** The signed-in member; null without a session. */
  readonly memberId: Id | null;
  /** The client's address on the network; the system's user of a command; empty for the service itself. */
  readonly from: string;
}

/** The appliance, acting by itself, for example when its certificate is renewed. */
export const SERVICE_ACTOR: Actor = { way: "service", memberId: null, from: "" };

/** Longest `from`: an IPv6 address with a zone, or a system user's name. */
const MAX_FROM = 100;

/** `memberId` is null before a sign-in. */
export function networkActor(address: string, memberId: Id | null): Actor {
  return { way: "network", memberId, from: address.slice(0, MAX_FROM) };
}

/** A command, by the name of the system's user that runs it. */
export function commandActor(systemUser: string): Actor {
  return { way: "command", memberId: null, from: systemUser.slice(0, MAX_FROM) };
}

/**
 * The values of an entry, by name. Never a password, token, key, link or
 * other secret. `times` is how many equal entries this one stands for.
 */
export type AuditDetails = Readonly<Record<string, string | number | boolean>>;

/** What the appliance itself has to note, beside what the ledger's commands note of themselves. */
export interface AuditNote {
  readonly kind: AuditKind;
  /** Whose account it is about; null for the appliance as a whole, or an account that does not exist. */
  readonly userId: Id | null;
  readonly details: AuditDetails;
  readonly actor: Actor;
}

/** One line of the audit log. */
export interface AuditEntry {
  /** Its place in the log of all accounts. */
  readonly auditId: number;
  /** Its number among the account's lasting entries, or the appliance's, from 1 without a hole; null for a passing one. */
  readonly number: number | null;
  readonly kind: AuditKind;
  readonly timeMs: number;
  /** The clock was not trusted then, and the time is still not known. */
  readonly provisional: boolean;
  /** Whose data it is about; null for the appliance as a whole. */
  readonly userId: Id | null;
  readonly way: AuditWay;
  /** E-mail, at that time, of the member that did it; null without one. */
  readonly who: string | null;
  /** Address, or the system's user. */
  readonly from: string;
  readonly details: AuditDetails;
}

/** An entry with its boot, as one ledger hands it to another, which numbers it. `details` is JSON. */
export interface StoredAudit extends Omit<AuditEntry, "number" | "provisional" | "details"> {
  readonly boot: number | null;
  readonly bootId: string | null;
  readonly zeroMs: number | null;
  readonly lastMs: number | null;
  readonly begunMs: number | null;
  readonly details: string;
  readonly repeats: number;
}

/** Which entries are wanted, newest first. */
export interface AuditSearch {
  /**
   * Only entries that this user may see: its own, and those
   * of the appliance that tell nothing of other accounts.
   */
  readonly userId?: Id;
  /** Only entries before this number; null for the newest. */
  readonly before: number | null;
  /** Only entries of this moment or later, in Unix milliseconds; null for all. */
  readonly sinceMs: number | null;
  readonly limit: number;
}
