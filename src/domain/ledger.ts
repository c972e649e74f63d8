import type { Credentials, Letterhead, NewOwner, NewSession, StandingSession } from "./account.ts";
import type { Actor, AuditEntry, AuditNote, AuditSearch, StoredAudit } from "./audit.ts";
import type { Boot, BootMoment, ReclockedBoot } from "./boot.ts";
import type { ChainEntry } from "./chain-entry.ts";
import type {
  AcceptanceReportHead,
  CommissionScope,
  LineTest,
  NewAcceptanceReport,
  StoredAcceptanceReport,
  StoredCommission,
  StoredRoom,
  TestedEdge,
  Tick,
} from "./commission.ts";
import type { Day, Month } from "./day.ts";
import type { Device, DeviceChange, NewDevice, RoomDays, RoomToday } from "./device.ts";
import type { Gap } from "./gap.ts";
import type { Id } from "./id.ts";
import type { ImportedCount, ImportedPlaces, ImportedRecord, PlacedDevice } from "./imported.ts";
import type { Asker } from "./job-slots.ts";
import type { LocationLimit } from "./limit.ts";
import type { Location, LocationChange, NewLocation } from "./location.ts";
import type { Member, MemberChange, NewMember } from "./member.ts";
import type { Overview, OverviewRequest, Period, Sales, Summary } from "./overview.ts";
import type {
  ExportedRecord,
  FoundMoved,
  FoundRecords,
  GivenToRecord,
  Idempotency,
  LedgerMark,
  MovedSearch,
  NewRecord,
  NewRefund,
  RecordActs,
  RecordFilter,
  RecordSearch,
  SaleByHand,
} from "./record.ts";
import type { LastSighting, Meaning, Sighting } from "./sale.ts";
import type { NewSettlement, SettlementDetails, SettlementHead, StoredSettlement } from "./settlement.ts";
import type { LedgerStatus, LedgerTroubles } from "./status.ts";
import type { LocationTerms, Terms } from "./terms.ts";
import type { NewTariff, NewWiring, OwnedWiring, RoomName, RoomPrice, Wiring } from "./wiring.ts";

/**
 * Everything that changes the ledger, as the writer thread
 * runs it. Each throws FlancoError, and then leaves no trace.
 *
 * A sale has the room, the price and the names of its commit. So a command that
 * changes these waits until the edges that were seen before it are committed.
 *
 * A command with a `by` also writes an audit entry, in the same
 * commit. `by` is its actor; the service where it is absent.
 */
export interface LedgerCommands {
  /** Makes an account with its first member, an owner. */
  addUser(user: NewOwner, by?: Actor): Member;
  /** Rejects with `conflict` once any account exists. */
  addFirstUser(user: NewOwner, by?: Actor): Member;
  /** The member's sessions end, and its link. */
  setPassword(memberId: Id, passwordHash: string, by?: Actor): void;
  /** Adds a member to an account. Rejects with `conflict` for a known e-mail, and beyond 100 members. */
  addMember(userId: Id, member: NewMember, by?: Actor): Member;
  /**
   * Another role ends the member's sessions. Rejects with `not_found` for a member of another
   * account, and with `conflict` where the account would have no owner with a password, where an owner would
   * be limited, where a location has or had the name of another one, and where a program would get another role, or the reverse.
   */
  changeMember(userId: Id, memberId: Id, change: MemberChange, by?: Actor): void;
  /** Rejects as `changeMember` does. */
  removeMember(userId: Id, memberId: Id, by?: Actor): void;
  /** Ends all sessions of a member, and the key of a program; gives how many sessions there were. */
  endSessionsOf(userId: Id, memberId: Id, by?: Actor): number;
  /**
   * Adds a link, by the hash of its token: it lets a person set the member's
   * password once, within a day. An earlier link of the member ends.
   */
  addLink(userId: Id, memberId: Id, tokenHash: string, by?: Actor): void;
  /**
   * Sets the password of the member whose link has this token hash, and
   * ends the link. Rejects with `unauthorized` where no link is valid.
   */
  useLink(tokenHash: string, passwordHash: string, by?: Actor): Member;
  /**
   * Gives a program another key, by its hash: its sessions end. Rejects with `not_found`
   * for a member of another account, and for one that is no program.
   */
  setKey(userId: Id, memberId: Id, keyHash: string, by?: Actor): void;
  /**
   * Removes an account with its members. Rejects with `conflict` while
   * it owns devices, unless these are removed too. Records stay.
   */
  removeUser(userId: Id, withDevices: boolean, by?: Actor): void;

  /**
   * Begins a session after the password was compared with that hash. Rejects with `unauthorized`
   * when it is not the stored hash: the password was changed meanwhile, or the member removed.
   */
  addSession(session: NewSession, passwordHash: string, by?: Actor): StandingSession;
  removeSession(sid: Id, by?: Actor): void;
  /** Notes that a program uses its session at this moment. */
  noteUse(memberId: Id): void;
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

  /** Adds missing locations (by name) and devices (`placeDevices`). Rejects as `addLocation` and `addDevice` do. */
  importPlaces(userId: Id, places: ImportedPlaces, by?: Actor): readonly PlacedDevice[];
  /** Adds the records that the account lacks. One whose key is here with another content is left out. */
  importRecords(userId: Id, records: readonly ImportedRecord[], by?: Actor): ImportedCount;

  /**
   * Adds a sale by hand, also in a month that is closed: there it arrives late. Rejects with `invalid` for a
   * time to come, and where no price is known; with `not_found` for an unknown room or gap.
   */
  addSale(userId: Id, sale: SaleByHand, idempotency: Idempotency | null, by?: Actor): PostedRecord;
  /**
   * Adds a refund of this moment. Rejects with `not_found`, and with `conflict` for
   * a void record, a refund, and more than what is left of the sale.
   */
  refundRecord(
    userId: Id,
    recordId: number,
    refund: NewRefund,
    idempotency: Idempotency | null,
    by?: Actor,
  ): PostedRecord;

  /**
   * Adds an entry to the chain that voids a record, and one for each of its refunds.
   * Rejects with `not_found`, and with `conflict` for a voided record.
   */
  voidRecord(recordId: number, reason: string, by?: Actor): void;
  /**
   * Gives provisional records of one boot their times, once the clock is trusted:
   * `zeroMs` is the wall time of the boot's monotonic zero. Takes some records at a
   * time, so that other writes come between; `more` says whether there may be others.
   * Sales that may have fallen into paid time are decided: those that did are void. Null for
   * a boot that is over and whose clock was never trusted: then monotonic time alone decides.
   */
  settleTimes(bootId: string, zeroMs: number | null): { readonly moved: number; readonly more: boolean };
  /**
   * Stores the current boot, its monotonic time, and the wall time of its monotonic zero. With a zero,
   * levels of that boot get their times from it. `zeroMs` is null while the clock is not trusted; a stored
   * zero stays. `setZeroMs` is the zero by a later setting of the clock, null while the first one
   * holds. A null after a later setting means that the clock was set back: then the later zero is the first again.
   * `aliveMs` is the monotonic time
   * up to which every edge of the lines is committed; the batch's own time where it is absent.
   */
  noteBoot(bootId: string, zeroMs: number | null, aliveMs?: number, setZeroMs?: number | null): void;
  /**
   * Gives the sales of a boot their times by another wall time of its monotonic zero, after its clock was
   * set again. That setting then needs no more attention. Takes some sales at a time: `after` is 0 at first,
   * then what the last call gave. Rejects with `not_found` where the clock of that boot was not set again.
   */
  correctClock(bootId: string, zeroMs: number, after: number, by?: Actor): ClockCorrected;
  /**
   * Removes sessions that have ended and idempotency keys older than 7 days, some at a time, and
   * gives how many: 0 when none is left. Ages are monotonic: a wrong clock ends nothing early.
   */
  purge(): number;

  /** Wires lines, or changes the settings of lines that are wired to the same room: all of them, or none. */
  setWiring(wirings: readonly OwnedWiring[], by?: Actor): void;
  removeWiring(userId: Id, line: string, by?: Actor): void;
  /**
   * Unwires lines of an account, then wires lines: all of it, or nothing. Rejects as the
   * commands for each do. A room that never had a price takes the usual one from before.
   */
  rewire(userId: Id, unwired: readonly string[], wirings: readonly NewWiring[], by?: Actor): void;
  /**
   * Gives the rooms of wired lines a price from now on,
   * and leaves their other settings: all of them, or none.
   */
  setPrices(userId: Id, lines: readonly string[], tariff: NewTariff, by?: Actor): void;
  /** Plans a price for the rooms of these lines from a local day to come: all of them, or none. */
  planPrices(userId: Id, lines: readonly string[], tariff: NewTariff, from: Day, by?: Actor): void;
  /** Cancels a planned price of all rooms that have it, before its day. Rejects with `not_found`. */
  cancelPrices(userId: Id, from: Day, valorMicros: number, by?: Actor): void;
  /**
   * Moves the rest of a room's paid time to another room of the account: the first one is free, and a rise in the other
   * one is the same sale until then. Rejects with `not_found`, and with `conflict` where nothing is paid of the
   * first room, or the other one is paid itself.
   */
  movePaidTime(userId: Id, from: RoomName, to: RoomName, by?: Actor): void;

  /**
   * Opens a commissioning, which stays open until it is ended, and puts `lines` under test, for `lifeMs` at
   * most: what they do from now on is no sale. One that is open goes on with the new scope, and tests of lines
   * outside of it, and of lines that are wired no more, end. Rejects with `not_found` where a line is not wired
   * to a room of the account: then none is under test.
   */
  beginCommission(
    userId: Id,
    scope: CommissionScope,
    lines: readonly string[],
    lifeMs: number,
    by?: Actor,
  ): void;
  /**
   * Puts lines that were wired meanwhile under test until the account's tests end. Does nothing where none
   * runs: an end in the meantime holds for these lines too. Rejects as `beginCommission` does.
   */
  joinCommission(userId: Id, lines: readonly string[]): void;
  /** Ticks a room off, in place of an earlier tick. Rejects with `conflict` where no commissioning is open. */
  tickRoom(userId: Id, tick: Tick): void;
  /** Ends the tests of the account's lines, and leaves the commissioning open. */
  pauseCommission(userId: Id, by?: Actor): void;
  /**
   * Ends the commissioning with the tests of the account's lines, and forgets what was ticked
   * off. A report is kept as an entry of the chain; gives that entry's number. With a
   * report it rejects with `conflict` where none is open; without, it does nothing.
   */
  endCommission(userId: Id, report: NewAcceptanceReport | null, by?: Actor): number | null;

  /**
   * Sets what is agreed with a location's clinic. Rejects with `not_found`,
   * and with `conflict` for terms from a month that is closed.
   */
  setTerms(userId: Id, locationId: Id, terms: Terms, by?: Actor): void;
  /**
   * Closes a month: its settlement is kept as an entry of the chain; gives that entry's number.
   * Rejects with `conflict` where the settlement before is another one than `previous`.
   */
  closeMonth(userId: Id, settlement: NewSettlement, by?: Actor): number | null;

  /** Writes audit entries that go with no other change of the ledger: all of them, or none. */
  noteAudit(notes: readonly AuditNote[]): void;

  /**
   * Appends lasting audit entries that a restore has brought to
   * the chain. They are passed whole, because the tail needs them.
   */
  linkEvidence(entries: readonly StoredAudit[]): void;

  /**
   * Stores since when a wired line is not watched; null: it
   * is watched. A stored time stays until its gap is stored.
   */
  noteUnwatched(line: string, since: BootMoment | null): void;
  /**
   * Stores that no wired line was watched since the ledger's last sign of life,
   * where no earlier time is stored. Call it before this boot's first sign of life.
   */
  keepUnwatched(lastAlive?: BootMoment): void;
  /**
   * Takes in sightings in their order, with the records, gaps and
   * levels that follow from them: all in one transaction, or none.
   */
  takeIn(sightings: readonly Sighting[]): readonly SightingResult[];

  /** Changes nothing: resolves once what was sent before is committed. */
  ping(): void;
}

/**
 * The same commands for every other thread. Each promise resolves after the fsynced commit that holds the
 * change, never before; when it rejects, nothing of the change is stored. Rejections are FlancoErrors: the
 * command's own, `overloaded` when the bounded queue is full, `unavailable` when the file takes no writes.
 */
export type LedgerWriter = {
  readonly [N in keyof LedgerCommands]: (
    ...input: Parameters<LedgerCommands[N]>
  ) => Promise<ReturnType<LedgerCommands[N]>>;
};

export interface PostedRecord extends GivenToRecord {
  /** True when the same post had been stored before. */
  readonly repeated: boolean;
}

/** The result of one call of `correctClock`: `after` is null once all are moved. */
export interface ClockCorrected {
  readonly moved: number;
  readonly after: number | null;
}

export interface SightingResult {
  /** `tested`: a rise of a line under test, which is no sale. */
  readonly meaning: Meaning | "tested";
  readonly recordId: number | null;
}

/** All reads of the ledger. Each call sees the last commit, on a read-only connection. */
export interface LedgerReader {
  /** The number of accounts. */
  accountCount(): number;
  /** All members, or one account's, oldest first. */
  members(userId?: Id): readonly Member[];
  member(memberId: Id): Member | undefined;
  /** Finds by e-mail without regard to case. */
  credentials(email: string): Credentials | undefined;
  /** All members of an account, with what proves their passwords. */
  accountCredentials(userId: Id): readonly Credentials[];
  sessions(): readonly StandingSession[];
  /** What the members are limited to who are: all of them, or one. */
  limits(memberId?: Id): ReadonlyMap<Id, LocationLimit>;
  /**
   * Whether there is a link whose token has this hash. A used link is
   * removed. Of one that has expired this may give true for a minute longer.
   */
  hasLink(tokenHash: string): boolean;

  letterhead(userId: Id): Letterhead;

  locations(userId: Id): readonly Location[];
  devices(userId: Id): readonly Device[];
  /** Every room of the user's devices with its sums of today, of the newest 20,000 records at most. */
  roomsToday(userId: Id, nowMs: number, limit?: LocationLimit | null): readonly RoomToday[];

  /**
   * On which of the last `days` days each room has sold, by the names that
   * rooms have today. Days are counted in spans of 24 hours back from `nowMs`.
   */
  roomDays(userId: Id, days: number, nowMs: number, within?: readonly string[] | null): readonly RoomDays[];

  /** Undefined when the period has no record. `within` is as `OverviewFilter` has it. */
  summary(userId: Id, period: Period, nowMs: number, within?: readonly string[] | null): Summary | undefined;
  /** A period beside the one before it; zeros where nothing was sold. */
  overview(userId: Id, request: OverviewRequest, nowMs: number): Overview;
  /** The first day with sales that count, within some locations and `from` a day on; null before that. */
  firstDay(userId: Id, within: RecordFilter["within"], from?: Day): Day | null;
  /** One page of a search by time, of bounded work. Records sold meanwhile do not disturb later pages. */
  findRecords(userId: Id, search: RecordSearch): FoundRecords;
  /** A record and what people did with it: at most its newest 100 refunds. Throws `not_found`. */
  recordActs(userId: Id, recordId: number): RecordActs;
  /** One page of the records that were moved since the search began. */
  findMoved(userId: Id, search: MovedSearch): FoundMoved;
  /** The account's records with higher numbers than `afterId`, in their order. */
  exportedRecords(userId: Id, afterId: number, limit: number): readonly ExportedRecord[];
  /** What `importRecords` would do. */
  importedCount(userId: Id, records: readonly ImportedRecord[]): ImportedCount;
  /** The identity of this ledger, then those that it had on earlier gateways, the latest first. */
  ledgerIds(): readonly string[];
  /** The hash of one entry, of 64 digits; undefined where there is none of that number. `NO_HASH` of 0. */
  entryHash(position: number): string | undefined;
  /**
   * The entries after one number up to another one, which it includes, in their order:
   * at least one where there is one, at most `limit`, and fewer where they are long.
   */
  entriesAfter(after: number, upTo: number, limit: number): readonly ChainEntry[];
  /** Number of the newest entry; 0 before the first. */
  newestEntry(): number;
  /** The newest entry, as a mark. */
  mark(): LedgerMark;
  /** The hash of the newest entry, hexadecimal: it stands for every entry so far, of all accounts. */
  chainHead(): string;
  /** The sum of the records of some days, without voided ones, from the rollups. Exact at any size. */
  sumRecords(userId: Id, filter: Omit<RecordFilter, "room" | "roomPart" | "number" | "state">): Sales;
  /** Local date and time of a moment in the ledger's zone: `2026-11-21T09:05:00.000`. */
  localTime(timeMs: number): string;
  /** One page, newest first: only ids below `before`, or the newest where it is null. */
  gaps(userId: Id, page: { readonly before: number | null; readonly limit: number }): readonly Gap[];

  /**
   * All wirings, or one user's, ordered by line. With `nowMs` (Unix milliseconds)
   * their prices are those that a sale at this moment has, planned ones included.
   */
  wirings(userId?: Id, nowMs?: number): readonly Wiring[];
  /** The prices of one room, newest first, or all that are planned for days after the one of `nowMs`. Bounded. */
  prices(
    userId: Id,
    of: { readonly dId: string; readonly room: string } | null,
    nowMs: number,
  ): readonly RoomPrice[];
  /** The price that a room had at a time, in millionths; null where it never had one. */
  priceAt(userId: Id, room: { readonly dId: string; readonly room: string }, timeMs: number): number | null;
  /** The lines under test at this moment, of one user or of all, ordered by line. */
  lineTests(now: BootMoment, userId?: Id): readonly LineTest[];
  /** The newest rises of lines under test, newest first: at most `limit`. */
  testedEdges(userId: Id, limit: number): readonly TestedEdge[];
  /** The commissionings that are open, of all accounts. */
  commissions(): readonly StoredCommission[];
  /** The rooms of a device, in order, with their ticks of the commissioning that is open. */
  commissionRooms(deviceId: Id): readonly StoredRoom[];
  /** The newest acceptance reports of an account, newest first: with `within`, of rooms at these locations alone. */
  acceptanceReports(
    userId: Id,
    limit: number,
    within?: readonly string[] | null,
  ): readonly AcceptanceReportHead[];
  /** By the number of its audit entry; undefined where the account has none of it. */
  acceptanceReport(
    userId: Id,
    number: number,
    within?: readonly string[] | null,
  ): StoredAcceptanceReport | undefined;
  /** All terms of the account's locations, the latest of each first. */
  terms(userId: Id): readonly LocationTerms[];
  /** The newest closed months, newest first. */
  settlements(userId: Id, limit: number): readonly SettlementHead[];
  /** A closed month with its settlement. Throws `not_found` where it is not closed. */
  settlement(userId: Id, month: Month): StoredSettlement;
  /**
   * Makes the settlement of the next month, `month`, as if it were closed now; or with null in the place of details the
   * one of a closed month anew, from what was in the ledger up to its mark and without what was counted. Throws
   * `conflict` where the month is closed, or not the next, `not_found` where null asks for one that is not closed, and
   * `invalid` where money was counted at a location that is not settled.
   */
  draftSettlement(userId: Id, month: Month, details: SettlementDetails | null): NewSettlement;
  /** A wired line's last committed sighting, with its physical level; undefined before its first. */
  lastSighting(line: string): LastSighting | undefined;
  /** The highest number of a request of which a level is committed; 0 before the first. */
  lastRequest(): number;
  /** Since when wired lines are not watched, by line. */
  unwatched(): ReadonlyMap<string, BootMoment>;

  /** The `recordId` of an account's record of this number. Throws `not_found`. */
  recordOf(userId: Id, number: number): number;
  /** Whether a record was posted with this `Idempotency-Key` in the last days. */
  isPosted(userId: Id, key: string): boolean;

  /** The newest 1,000 boots, in order. */
  boots(): readonly Boot[];
  /**
   * Boots whose clock was trusted, but of which some records, ends or gaps have not been given their times; and those of which
   * sales may have fallen into paid time, with a null where their clock was never trusted. The running boot only in the first case.
   */
  unsettledBoots(): readonly { readonly bootId: string; readonly zeroMs: number | null }[];
  /** The last moment at which a service is known to have run with this ledger; undefined before the first. */
  lastAlive(): BootMoment | undefined;
  /** How many commits the ledger holds. */
  commits(): number;
  /** Boots whose clock was set to another time after it was trusted, in order. */
  reclocked(): readonly ReclockedBoot[];
  /** The ledger's part of the status, of one user or of all. `bootId` is the current boot. Counts are bounded. */
  ledgerStatus(
    bootId: string,
    nowMs: number,
    userId?: Id,
    limit?: LocationLimit | null,
  ): LedgerStatus & { readonly troubles: LedgerTroubles };

  /** A page of the audit log, newest first. */
  audit(search: AuditSearch): readonly AuditEntry[];
  /** The last `limit` addresses that users have signed in from, by the audit log, the latest last. */
  signedInFrom(limit: number): readonly string[];
}

/** Reads whose cost grows with the names, records and acceptance reports of an account. */
export type CostlyRead =
  | "summary"
  | "overview"
  | "roomsToday"
  | "roomDays"
  | "sumRecords"
  | "ledgerStatus"
  | "audit"
  | "acceptanceReports"
  | "draftSettlement";

/**
 * The same reads, of which none delays another request, however
 * long it takes. They reject with `overloaded` when many wait.
 */
export type CostlyReads = {
  readonly [N in CostlyRead]: (...input: Parameters<LedgerReader[N]>) => Promise<ReturnType<LedgerReader[N]>>;
} & {
  /** Does work whose reads are this member's: those of an account are made by turns. Others are the account's own. */
  as<T>(asker: Asker, work: () => T): T;
};

/** The same reads, where a ledger's file answers at once and a company's database answers later. */
export type SyncOrAsync<Reads> = {
  readonly [N in keyof Reads]: Reads[N] extends (...input: infer Input) => infer Answer
    ? (...input: Input) => Answer | Promise<Answer>
    : never;
};

/** The ledger's reads, of which the costly ones may answer later. */
export type ApiReader = Omit<LedgerReader, CostlyRead> & SyncOrAsync<Pick<LedgerReader, CostlyRead>>;
