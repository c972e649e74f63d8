import type { Actor, AuditEntry, AuditKind, AuditNote, AuditSearch, StoredAudit } from "./audit.ts";
import type { Boot, BootMoment, ReclockedBoot } from "./boot.ts";
import type { ChainEntry } from "./chain-entry.ts";
import type {
  AcceptanceReportHead,
  CommissionScope,
  NewAcceptanceReport,
  StoredAcceptanceReport,
  StoredCommission,
  StoredRoom,
  Tick,
} from "./commission.ts";
import type { Day } from "./day.ts";
import type { Device, DeviceChange, NewDevice, RoomDays, RoomToday } from "./device.ts";
import type { Gap } from "./gap.ts";
import type { Id } from "./id.ts";
import type { LineTest, TestedEdge } from "./line.ts";
import type { Location, LocationChange, NewLocation } from "./location.ts";
import type { Member, MemberChange, NewMember } from "./member.ts";
import type { Overview, OverviewRequest, Period, Sold, Summary } from "./overview.ts";
import type {
  DeviceIds,
  ExportedRecord,
  FoundMoved,
  FoundRecords,
  Idempotency,
  ImportedPlaces,
  ImportedRecord,
  LedgerMark,
  MovedSearch,
  NewRecord,
  RecordFilter,
  RecordSearch,
} from "./record.ts";
import type { LastSighting, Meaning, Sighting } from "./sale.ts";
import type { LedgerStatus } from "./status.ts";
import type { Credentials, Letterhead, NewSession, NewUser, StandingSession } from "./user.ts";
import type { NewWiring, OwnedWiring, RoomPrice, Wiring } from "./wiring.ts";

/**
 * Everything that changes the ledger, as the writer thread runs it. A command that throws (a FlancoError)
 * leaves no trace. One with a `by`, its actor (the service where absent), also writes an audit entry.
 */
export interface LedgerCommands {
  /** Makes an account with its first member, an owner. */
  addUser(user: NewUser, by?: Actor): Member;
  /** Rejects with `conflict` once any account exists. */
  addFirstUser(user: NewUser, by?: Actor): Member;
  /** The member's sessions end, and its link. */
  setPassword(memberId: Id, passwordHash: string, by?: Actor): void;
  /** Adds a member to an account. Rejects with `conflict` for a known e-mail, and beyond 100 members. */
  addMember(userId: Id, member: NewMember, by?: Actor): Member;
  /**
   * Another role ends the member's sessions. Rejects with `not_found` for a member of another account, and
   * with `conflict` for the last owner with a password.
   */
  changeMember(userId: Id, memberId: Id, change: MemberChange, by?: Actor): void;
  /** Rejects as `changeMember` does. */
  removeMember(userId: Id, memberId: Id, by?: Actor): void;
  /** Ends all sessions of a member, and gives how many. */
  endSessionsOf(userId: Id, memberId: Id, by?: Actor): number;
  /** Adds a link by its token's hash: within a day it sets the member's password once. Another one ends. */
  addLink(userId: Id, memberId: Id, tokenHash: string, by?: Actor): void;
  /** Sets the password of the member with this link, and ends the link. Rejects with `unauthorized`. */
  useLink(tokenHash: string, passwordHash: string, by?: Actor): Member;
  /** Removes an account. Rejects with `conflict` while it has devices, unless `withDevices`. Records stay. */
  removeUser(userId: Id, withDevices: boolean, by?: Actor): void;

  /**
   * Begins a session if the hash that the password was compared with is still stored, else `unauthorized`.
   */
  addSession(session: NewSession, passwordHash: string, by?: Actor): StandingSession;
  removeSession(sid: Id, by?: Actor): void;
  /** Removes every session, after a change of the signing secret. Resolves with their number. */
  endSessions(by: Actor): number;

  /** Sets what stands at the head of the account's reports. */
  setLetterhead(userId: Id, letterhead: Letterhead, by?: Actor): void;

  addLocation(userId: Id, location: NewLocation): Id;
  /** Its devices take a new name in the same commit; records keep the old one. */
  changeLocation(userId: Id, locationId: Id, change: LocationChange): void;
  removeLocation(userId: Id, locationId: Id): void;

  addDevice(userId: Id, device: NewDevice): Id;
  /** Records keep the old names. Rejects with `not_found`, also for the location. */
  changeDevice(userId: Id, dId: string, change: DeviceChange, by?: Actor): void;
  /** Removes its wiring too; its records stay. */
  removeDevice(userId: Id, dId: string, by?: Actor): void;

  addRecord(userId: Id, record: NewRecord, idempotency: Idempotency | null): PostedRecord;

  /** Adds missing locations (by name) and devices (by dId). Rejects as `addLocation` and `addDevice` do. */
  importPlaces(userId: Id, places: ImportedPlaces, by?: Actor): DeviceIds;
  /** Adds the records that the account lacks, by their keys, and gives how many. */
  importRecords(userId: Id, records: readonly ImportedRecord[], by?: Actor): number;

  /**
   * Adds a correction that voids a record. Rejects with `not_found`, also for a record of another user than
   * `owner` (where given), and with `conflict` for a void one.
   */
  voidRecord(recordId: number, reason: string, by?: Actor, owner?: Id): void;
  /**
   * Gives provisional records of one boot their times; `zeroMs` is the wall time of its monotonic zero. It
   * moves some at a time, so that other writes come between; `more`: there may be others.
   */
  settleTimes(bootId: string, zeroMs: number): { readonly moved: number; readonly more: boolean };
  /**
   * Stores the current boot. `zeroMs`: wall time of its monotonic zero, null while the clock is not trusted
   * (a stored zero stays); `setZeroMs`: the same by a later setting of the clock. `aliveMs`: the monotonic
   * time up to which every edge is committed; the batch's own where absent.
   */
  noteBoot(bootId: string, zeroMs: number | null, aliveMs?: number, setZeroMs?: number | null): void;
  /**
   * Moves the sales of a boot to the times by another zero, after its clock was set again: some at a time.
   * `after` is 0 at first, then what the last call gave. Rejects with `not_found` where the clock was not
   * set again.
   */
  correctClock(bootId: string, zeroMs: number, after: number, by?: Actor): ClockCorrected;
  /** Removes some ended sessions, and idempotency keys after 7 days of monotonic time. Gives how many. */
  purge(): number;

  /** Wires lines, or changes the settings of lines that are wired to the same room: all of them, or none. */
  setWiring(wirings: readonly OwnedWiring[], by?: Actor): void;
  removeWiring(userId: Id, line: string, by?: Actor): void;
  /** Unwires lines, then wires lines: all or nothing. A room without a price takes the usual one before. */
  rewire(userId: Id, unwired: readonly string[], wirings: readonly NewWiring[], by?: Actor): void;
  /** Gives the rooms of wired lines a price from now on: all of them, or none. */
  setPrices(userId: Id, lines: readonly string[], valorMicros: number, by?: Actor): void;
  /** Plans a price for the rooms of these lines from a local day to come: all of them, or none. */
  planPrices(userId: Id, lines: readonly string[], valorMicros: number, from: Day, by?: Actor): void;
  /** Cancels a planned price of all rooms that have it, before its day. Rejects with `not_found`. */
  cancelPrices(userId: Id, from: Day, valorMicros: number, by?: Actor): void;

  /** Puts wired lines under test for `lifeMs` at most: what they do is no sale. Rejects with `not_found`. */
  beginTest(userId: Id, lines: readonly string[], lifeMs: number, by?: Actor): void;
  /** Ends the tests of these lines, or of all of the account. Does nothing where none is under test. */
  endTest(userId: Id, lines: readonly string[] | null, by?: Actor): void;

  /**
   * Opens a commissioning, or changes the open one's scope, and tests `lines`. Rejects as `beginTest` does.
   */
  beginCommission(
    userId: Id,
    scope: CommissionScope,
    lines: readonly string[],
    lifeMs: number,
    by?: Actor,
  ): void;
  /** Ticks a room off, in place of an earlier tick. Rejects with `conflict` where no commissioning is open. */
  tickRoom(userId: Id, tick: Tick): void;
  /**
   * Ends the commissioning with its lines' tests, and forgets its ticks. With a report, which becomes an
   * entry of the chain, it gives that entry's number, and rejects with `conflict` where none is open.
   */
  endCommission(userId: Id, report: NewAcceptanceReport | null, by?: Actor): number | null;

  /** Writes audit entries that go with no other change of the ledger: all of them, or none. */
  noteAudit(notes: readonly AuditNote[]): void;

  /** Links lasting audit entries that a restore has brought. They are passed whole for the tail. */
  linkEvidence(entries: readonly StoredAudit[]): void;

  /** Stores since when a wired line is not watched, until its gap is stored; null: it is watched. */
  noteUnwatched(line: string, since: BootMoment | null): void;
  /** Takes in sightings in order, with their records, gaps and levels: all in one transaction, or none. */
  takeIn(sightings: readonly Sighting[]): readonly Taken[];

  /** Changes nothing: resolves once what was sent before is committed. */
  ping(): void;
}

/**
 * The same commands for other threads. A promise resolves after the fsynced commit, and rejects where
 * nothing is stored: with the command's error, `overloaded` (the bounded queue is full) or `unavailable`.
 */
export type LedgerWriter = {
  readonly [N in keyof LedgerCommands]: (
    ...input: Parameters<LedgerCommands[N]>
  ) => Promise<ReturnType<LedgerCommands[N]>>;
};

export interface PostedRecord {
  readonly recordId: number;
  /** True when the same post had been stored before. */
  readonly repeated: boolean;
}

/** The result of one call of `correctClock`: `after` is null once all are moved. */
export interface ClockCorrected {
  readonly moved: number;
  readonly after: number | null;
}

export interface Taken {
  /** `tested`: a rise of a line under test, which is no sale. */
  readonly meaning: Meaning | "tested";
  readonly recordId: number | null;
}

/** All reads of the ledger. Each call sees the last commit, on a read-only connection. */
export interface LedgerReader {
  /** The number of accounts. */
  userCount(): number;
  /** All members, or one account's, oldest first. */
  members(userId?: Id): readonly Member[];
  member(memberId: Id): Member | undefined;
  /** Finds by e-mail without regard to case. */
  credentials(email: string): Credentials | undefined;
  /** All members of an account, with what proves their passwords. */
  accountCredentials(userId: Id): readonly Credentials[];
  sessions(): readonly StandingSession[];
  /** Whether a link has this token hash. Of an expired one this may be true for a minute longer. */
  hasLink(tokenHash: string): boolean;

  letterhead(userId: Id): Letterhead;

  locations(userId: Id): readonly Location[];
  devices(userId: Id): readonly Device[];
  /** Every room with its sums of today, from the newest 20,000 records of the day at most. */
  roomsToday(userId: Id, nowMs: number): readonly RoomToday[];

  /** On which of the last `days` days (of 24 hours back from `nowMs`) each room sold, by today's names. */
  roomDays(userId: Id, days: number, nowMs: number): readonly RoomDays[];

  /** Undefined when the period has no record. */
  summary(userId: Id, period: Period, nowMs: number): Summary | undefined;
  /** A period beside the one before it; zeros where nothing was sold. */
  overview(userId: Id, request: OverviewRequest, nowMs: number): Overview;
  /** One page of a search by time, of bounded work. Sales between two pages do not disturb later pages. */
  findRecords(userId: Id, search: RecordSearch): FoundRecords;
  /** One page of the records that were moved since the search began. */
  findMoved(userId: Id, search: MovedSearch): FoundMoved;
  /** The account's records with higher numbers than `afterId`, in their order. */
  exportedRecords(userId: Id, afterId: number, limit: number): readonly ExportedRecord[];
  /** How many of these keys are of records that the account has imported. */
  importedCount(userId: Id, keys: readonly string[]): number;
  /** The identity of this ledger, then those that it had on earlier gateways, the latest first. */
  ledgerIds(): readonly string[];
  /** The hash of one entry, of 64 digits; undefined where there is none of that number. `NO_HASH` of 0. */
  entryHash(position: number): string | undefined;
  /** The entries after one number up to another, included: at least one, at most `limit`, fewer if long. */
  entriesAfter(after: number, upTo: number, limit: number): readonly ChainEntry[];
  /** Number of the newest entry; 0 before the first. */
  newestEntry(): number;
  /** The newest entry, as a mark. */
  mark(): LedgerMark;
  /** The hash of the newest entry, hexadecimal: it stands for all entries so far, of all accounts. */
  chainHead(): string;
  /** The sum of the records of some days, without voided ones, from the rollups. Throws `conflict` for a sum that leaves 64 bits. */
  sumRecords(userId: Id, filter: Omit<RecordFilter, "room" | "roomPart">): Sold;
  /** Local date and time of a moment in the ledger's zone: `2026-11-21T09:05:00.000`. */
  localTime(timeMs: number): string;
  /** One page, newest first: only ids below `before`, or the newest where it is null. */
  gaps(userId: Id, page: { readonly before: number | null; readonly limit: number }): readonly Gap[];

  /** All wirings or one user's, by line. With `nowMs` (Unix milliseconds) planned prices hold by then. */
  wirings(userId?: Id, nowMs?: number): readonly Wiring[];
  /** The prices of one room, newest first, or all that are planned for days after the one of `nowMs`. Bounded. */
  prices(
    userId: Id,
    of: { readonly dId: string; readonly room: string } | null,
    nowMs: number,
  ): readonly RoomPrice[];
  /** The lines under test at this moment, of one user or of all, ordered by line. */
  lineTests(now: BootMoment, userId?: Id): readonly LineTest[];
  /** The newest rises of lines under test, newest first: at most `limit`, of one user or of all (null). */
  testedEdges(userId: Id | null, limit: number): readonly TestedEdge[];
  /** The commissionings that are open, of all accounts. */
  commissions(): readonly StoredCommission[];
  /** The rooms of a device, in order, with their ticks of the commissioning that is open. */
  commissionRooms(deviceId: Id): readonly StoredRoom[];
  /** The newest acceptance reports of an account, newest first. */
  acceptanceReports(userId: Id, limit: number): readonly AcceptanceReportHead[];
  /** By the number of its audit entry; undefined for one of another account. */
  acceptanceReport(userId: Id, auditId: number): StoredAcceptanceReport | undefined;
  /** A wired line's last committed sighting, with its physical level; undefined before the first. */
  lastSighting(line: string): LastSighting | undefined;
  /** The highest number of a request of which a level is committed; 0 before the first. */
  lastRequest(): number;
  /** Since when wired lines are not watched, by line. */
  unwatched(): ReadonlyMap<string, BootMoment>;

  /** Whether a record was posted with this `Idempotency-Key` in the last days. */
  isPosted(userId: Id, key: string): boolean;

  /** The newest 1,000 boots, in order. */
  boots(): readonly Boot[];
  /** Boots whose clock was trusted, but of which some records, ends or gaps have not been given their times. */
  unsettledBoots(): readonly { readonly bootId: string; readonly zeroMs: number }[];
  /** The last moment at which a service is known to have run with this ledger; undefined before the first. */
  lastAlive(): BootMoment | undefined;
  /** Boots whose clock was set to another time after it was trusted, in order. */
  reclocked(): readonly ReclockedBoot[];
  /** The ledger's part of the status, of one user or of all. `bootId` is the current boot. Counts are bounded. */
  ledgerStatus(bootId: string, nowMs: number, userId?: Id): LedgerStatus;

  /** A secret of this ledger, by which record numbers are permuted for accounts. */
  numberKey(): string;

  /** A page of the audit log, newest first. */
  audit(search: AuditSearch): readonly AuditEntry[];
  /** The newest entry of one kind; undefined where there is none. */
  lastAudit(kind: AuditKind): AuditEntry | undefined;
  /** The last `limit` addresses that users have signed in from, by the audit log, the latest last. */
  signedInFrom(limit: number): readonly string[];
}
