import type { Actor, AuditEntry, AuditKind, AuditNote, AuditSearch } from "./audit.ts";
import type { Boot, BootMoment } from "./boot.ts";
import type { Month } from "./day.ts";
import type { Device, DeviceChange, NewDevice } from "./device.ts";
import type { Gap } from "./gap.ts";
import type { Id } from "./id.ts";
import type { Location, LocationChange, NewLocation } from "./location.ts";
import type { Overview, OverviewPeriod, PlaceFilter } from "./overview.ts";
import type {
  FoundMoved,
  FoundRecords,
  Idempotency,
  MovedSearch,
  NewRecord,
  Provisional,
  RecordFilter,
  RecordSearch,
  Voided,
} from "./record.ts";
import type { EdgeSource, Meaning, Sighting } from "./sale.ts";
import type { LedgerStatus } from "./status.ts";
import type { Period, Summary } from "./summary.ts";
import type { NewSession, NewUser, Session, User, UserCredentials } from "./user.ts";
import type { OwnedWiring, Wiring } from "./wiring.ts";

/**
 * Everything that changes the ledger. Each promise resolves after the fsynced commit that holds the
 * change, never before; when it rejects, nothing of the change is stored. Rejections are
 * FlancoErrors; `overloaded` when the bounded queue is full, `unavailable` when the file takes no writes.
 *
 * What takes a `by` is noted in the audit log, in the same commit, as done by that actor: by the service itself where
 * nobody is named.
 */
export interface LedgerWriter {
  addUser(user: NewUser, by?: Actor): Promise<User>;
  /** The one user that makes itself: refused as `conflict` once any user exists. */
  addFirstUser(user: NewUser, by?: Actor): Promise<User>;
  setPassword(userId: Id, passwordHash: string, by?: Actor): Promise<void>;
  /** Refused as `conflict` while the user owns devices, unless these go too. Records stay. */
  removeUser(userId: Id, withDevices: boolean, by?: Actor): Promise<void>;

  /**
   * Begins a session for who proved to know the password of that hash. Rejects with `unauthorized` when
   * it is not the stored one: the password was changed meanwhile, or the user removed.
   */
  addSession(session: NewSession, passwordHash: string, by?: Actor): Promise<Session>;
  removeSession(sid: Id, by?: Actor): Promise<void>;
  /** Removes every session, because the secret that signs them is another one. Resolves with how many there were. */
  endSessions(by: Actor): Promise<number>;

  addLocation(userId: Id, location: NewLocation): Promise<Id>;
  /** Its devices take a new name on in the same commit; records keep the name that they were made with. */
  changeLocation(userId: Id, locationId: Id, change: LocationChange): Promise<void>;
  removeLocation(userId: Id, locationId: Id): Promise<void>;

  addDevice(userId: Id, device: NewDevice): Promise<Id>;
  /** Records keep the names that they were made with. Rejects with `not_found`, also for the location. */
  changeDevice(userId: Id, dId: string, change: DeviceChange): Promise<void>;
  /** Its wiring goes with it; its records stay. */
  removeDevice(userId: Id, dId: string, by?: Actor): Promise<void>;

  addRecord(userId: Id, record: NewRecord, idempotency: Idempotency | null): Promise<PostedRecord>;

  /**
   * Takes a record back: a new entry of the chain, the record itself stays as it is. Rejects with
   * `not_found`, and with `conflict` for one that is void already.
   */
  voidRecord(recordId: number, reason: string, by?: Actor): Promise<void>;
  /**
   * Moves the provisional records of one boot, once, to where they belong now that the clock is trusted:
   * `zeroMs` is the wall time of the boot's monotonic zero. Resolves with how many were moved.
   */
  settleTimes(bootId: string, zeroMs: number): Promise<number>;
  /**
   * Keeps which boot runs, how far it has come, and the wall time of its monotonic zero: null while the clock
   * is not trusted, which takes back nothing. From a zero on, levels of that boot are placed by it.
   */
  noteBoot(bootId: string, zeroMs: number | null): Promise<void>;
  /**
   * Removes sessions that have ended and idempotency keys older than 7 days, in small pieces. Nothing while the
   * noted boot has no zero. Resolves with how many were removed.
   */
  purge(): Promise<number>;

  /** Wires lines, or changes the settings of those that are wired to this very room: all of them, or none. */
  setWiring(wirings: readonly OwnedWiring[], by?: Actor): Promise<void>;
  removeWiring(userId: Id, line: string, by?: Actor): Promise<void>;

  /** Notes what is no change of the ledger: all of them, or none. */
  noteAudit(notes: readonly AuditNote[]): Promise<void>;

  /** A number for one watching of a line, never given twice. */
  openRequest(): Promise<number>;
  /** Takes in levels of lines in their order, and all they cause: all of them in one transaction, or none. */
  takeIn(sightings: readonly Sighting[]): Promise<readonly Taken[]>;
}

export interface PostedRecord {
  readonly recordId: number;
  /** True when the same post had been stored before. */
  readonly repeated: boolean;
}

export interface Taken {
  readonly meaning: Meaning;
  readonly recordId: number | null;
}

/** What one commit changed, told after it. The live page and the recorder listen. */
export type Change =
  | {
      readonly kind: "record";
      readonly userId: Id;
      readonly recordId: number;
      readonly record: NewRecord;
    }
  | {
      readonly kind: "actuator";
      readonly userId: Id;
      readonly deviceId: Id;
      readonly actuatorId: string;
      readonly value: boolean;
      readonly timeMs: number;
    }
  | { readonly kind: "void"; readonly userId: Id; readonly recordId: number; readonly voided: Voided }
  | { readonly kind: "time"; readonly userId: Id; readonly recordId: number; readonly timeMs: number }
  | { readonly kind: "gap"; readonly userId: Id; readonly gap: Gap }
  | { readonly kind: "wiring" }
  | { readonly kind: "places"; readonly userId: Id }
  | { readonly kind: "sessions"; readonly userId: Id }
  | { readonly kind: "user"; readonly userId: Id };

/** One page of a listing, newest first. */
export interface PageRequest {
  /** Only what stands before this record or gap id; null for the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** Everything that is read. Each call sees the last commit, on a read-only connection. */
export interface LedgerReader {
  userCount(): number;
  users(): readonly User[];
  user(userId: Id): User | undefined;
  /** Finds by e-mail without regard to case. */
  credentials(email: string): UserCredentials | undefined;
  sessions(): readonly Session[];

  locations(userId: Id): readonly Location[];
  devices(userId: Id): readonly Device[];

  /** The months with archived records of a user, oldest first: sums hold these records, lists do not. */
  archivedMonths(userId: Id): readonly Month[];

  /** Undefined when the period holds no record. */
  summary(userId: Id, period: Period, nowMs: number): Summary | undefined;
  /** A period and the one before it, of all that was sold or of some of it; zeros where nothing was. */
  overview(userId: Id, period: OverviewPeriod, filter: PlaceFilter, nowMs: number): Overview;
  /**
   * A piece of a search by time, of bounded work. Between two pieces others may write: what is sold meanwhile
   * moves nothing that is still to come.
   */
  findRecords(userId: Id, search: RecordSearch): FoundRecords;
  /** A piece of the records that were moved while a search went on. */
  findMoved(userId: Id, search: MovedSearch): FoundMoved;
  /** Number of the newest entry; 0 before the first. */
  newestEntry(): number;
  /** How many records of some days count, from the sums: voided ones do not. */
  countRecords(userId: Id, filter: Omit<RecordFilter, "room">): number;
  /** Local date and time of a moment in the ledger's zone: `2026-11-21T09:05:00.000`. */
  localTime(timeMs: number): string;
  gaps(userId: Id, page: PageRequest): readonly Gap[];

  /** All wirings, or one user's, by line. */
  wirings(userId?: Id): readonly Wiring[];
  /** The last sighting of a wired line that was taken in; undefined before its first. */
  lastSighting(line: string): EdgeSource | undefined;

  /** Every boot that the ledger knows, in their order. */
  boots(): readonly Boot[];
  /** The last moment at which a service with this ledger is known to have run; undefined before the first. */
  lastAlive(): BootMoment | undefined;
  /** How many of a user's records have no trusted time, or of all users; `bootId` is the boot that runs. */
  provisional(bootId: string, userId?: Id): Provisional;
  /** What is told at a look, of one user or of all; `bootId` is the boot that runs. Counts are bounded. */
  ledgerStatus(bootId: string, nowMs: number, userId?: Id): LedgerStatus;

  /** A page of the audit log, newest first. */
  audit(search: AuditSearch): readonly AuditEntry[];
  /** The newest entry of one kind; undefined where none is kept. */
  lastAudit(kind: AuditKind): AuditEntry | undefined;
}
