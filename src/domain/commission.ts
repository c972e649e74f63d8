import type { Actor } from "./audit.ts";
import { HOUR_MS } from "./clock.ts";
import type { Id } from "./id.ts";
import type { Contact, Judgement } from "./verdict.ts";

/** How long lines are under test for a commissioning, unless it is ended before. */
export const DEFAULT_COMMISSION_MS = 2 * HOUR_MS;
/** The longest time for which lines are under test. */
export const MAX_TEST_MS = 8 * HOUR_MS;
/** Free lines that are looked at, at most: each look costs the kernel a request. */
export const MAX_FREE_LINES = 64;

/** A wired line under test: what it does is no sale. */
export interface LineTest {
  readonly userId: Id;
  readonly line: string;
  readonly deviceId: Id;
  readonly deviceName: string;
  readonly room: string;
  /** Until the test ends by itself, in milliseconds. */
  readonly remainingMs: number;
}

/** A rise of a line under test: it would have been a sale. */
export interface TestedEdge {
  readonly line: string;
  readonly deviceId: Id;
  readonly room: string;
  readonly timeMs: number;
  readonly provisional: boolean;
}

/** A room as a person names it: its device's dId, and its number. */
export interface RoomKey {
  readonly dId: string;
  readonly room: string;
}

/** What a commissioning is about. */
export interface CommissionScope {
  /** The wired lines; null for all of the account, also those that are wired meanwhile. */
  readonly lines: readonly string[] | null;
  /** Lines without a room that are looked at too. */
  readonly freeLines: readonly string[];
}

/** A commissioning as the ledger keeps it until it is ended. */
export interface StoredCommission extends CommissionScope {
  readonly userId: Id;
  readonly begunMs: number;
}

/** A room that was ticked off. */
export interface Tick extends Judgement {
  readonly deviceId: Id;
  readonly room: string;
  /** The room's line as it was then; null for a room without one. */
  readonly wired: Contact | null;
  readonly note: string;
  readonly timeMs: number;
  readonly provisional: boolean;
}

/** A room as the ledger has it for a commissioning. */
export interface StoredRoom {
  readonly room: string;
  readonly active: boolean;
  /** Whether it has no line on purpose. */
  readonly withoutLine: boolean;
  /** Its line; null without one. */
  readonly wired: (Contact & { readonly rearmMs: number }) | null;
  /** Null until it is ticked off. */
  readonly tick: Tick | null;
}

export interface CommissionedRoom extends RoomKey, Pick<StoredRoom, "withoutLine" | "wired"> {
  readonly deviceId: Id;
  readonly deviceName: string;
  readonly locationName: string;
  /** Null for a line that is not watched. */
  readonly level: boolean | null;
  readonly isUnderTest: boolean;
  readonly isAsked: boolean;
  readonly judgement: Judgement;
  /** Null also where the room's wiring was changed since. */
  readonly tick: Tick | null;
}

/** A line that moved. */
export interface MovedLine {
  readonly line: string;
  readonly room: (RoomKey & { readonly deviceName: string }) | null;
  readonly level: boolean;
  readonly timeMs: number;
}

export interface CommissionState {
  /** Unix milliseconds; null where none is open. */
  readonly begunMs: number | null;
  /** When the test of its lines ends, in Unix milliseconds; null where it has ended. */
  readonly untilMs: number | null;
  readonly lines: CommissionScope["lines"];
  readonly freeLines: readonly string[];
  /** Newest first. */
  readonly moved: readonly MovedLine[];
  readonly rooms: readonly CommissionedRoom[];
}

/** The names that sign a report. */
export interface Signatures {
  readonly technician: string;
  readonly clinic: string;
}

/**
 * Rooms of a report: all, and those that are ticked off as good, ticked
 * off otherwise, and not ticked off though they have or want a line.
 */
export interface CommissionCounts {
  readonly rooms: number;
  readonly good: number;
  readonly attention: number;
  readonly untested: number;
}

/** An acceptance report as it enters the ledger. `text` is JSON of what stands in it. */
export interface NewAcceptanceReport extends Signatures {
  readonly counts: CommissionCounts;
  /** The locations of its rooms by their names: who may not see one of them does not see the report. */
  readonly locations: readonly string[];
  readonly text: string;
}

/** The line of a list of reports. */
export interface AcceptanceReportHead extends Signatures, CommissionCounts {
  /** That of its audit entry. */
  readonly number: number;
  readonly timeMs: number;
  readonly provisional: boolean;
}

/** A report as the ledger has it. */
export interface StoredAcceptanceReport
  extends Pick<AcceptanceReportHead, "number" | "timeMs" | "provisional"> {
  /** E-mail, at that time, of the member that made it; null without one. */
  readonly who: string | null;
  readonly from: string;
  /** The hash of its entry of the chain, hexadecimal. */
  readonly hash: string;
  readonly text: string;
}

/** The commissionings of all accounts. */
export interface Commissioner {
  /**
   * Puts the lines under test and measures them. Earlier ticks stay. Rejects as
   * `beginCommission` does, and with `forbidden` where it is to be of a line of `beyond`.
   */
  begin(
    userId: Id,
    scope: CommissionScope,
    lifeMs: number,
    by: Actor,
    beyond?: ReadonlySet<string> | null,
  ): Promise<void>;
  state(userId: Id): Promise<CommissionState>;
  /** Says which room is switched next. Rejects with `not_found`, or `conflict` without a line under test. */
  ask(userId: Id, key: RoomKey): Promise<void>;
  /** Ticks a room off with its verdict of now. Rejects with `not_found`, or `conflict` without a verdict. */
  tick(userId: Id, key: RoomKey, note: string): Promise<void>;
  /** Applies what is proposed for a room. Rejects with `conflict` where nothing is. */
  mend(userId: Id, key: RoomKey, by: Actor): Promise<void>;
  /**
   * Ends it with a report, and gives the number of the report's
   * audit entry. Rejects with `conflict` where none is open.
   */
  finish(userId: Id, report: NewAcceptanceReport, by: Actor): Promise<number>;
  /** Ends the tests of its lines. What was ticked off stays, for when it goes on. */
  pause(userId: Id, by: Actor): Promise<void>;
  /** Ends it without a report. Does nothing where none is open. */
  end(userId: Id, by: Actor): Promise<void>;
}

/** The rooms of a report, counted. */
export function countRooms(
  rooms: readonly Pick<CommissionedRoom, "tick" | "withoutLine">[],
): CommissionCounts {
  const ticked = rooms.flatMap(({ tick }) => (tick === null ? [] : [tick]));
  const good = ticked.filter(({ verdict }) => verdict === "good").length;
  const untested = rooms.filter(({ tick, withoutLine }) => tick === null && !withoutLine).length;
  return { rooms: rooms.length, good, attention: ticked.length - good, untested };
}

/** Whether the room is still wired as it was when it was ticked off. */
export function isAsTicked({ wired }: Tick, wiring: Contact | null): boolean {
  if (wired === null || wiring === null) return wired === wiring;
  const names = ["line", "activeLow", "bias", "debounceMs"] as const;
  return names.every((name) => wired[name] === wiring[name]);
}
