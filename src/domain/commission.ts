import type { Actor } from "./audit.ts";
import { HOUR_MS } from "./clock.ts";
import type { Id } from "./id.ts";
import type { RawLevel } from "./line.ts";
import {
  type Asking,
  type ContactSettings,
  isFloating,
  type Judgement,
  judgeRoom,
  MAX_SEEN_LEVELS,
  type Observation,
  type SeenLevel,
  SILENT_MS,
  SWITCHING_MS,
} from "./verdict.ts";

/** How long lines are under test for a commissioning, unless it is ended before. */
export const DEFAULT_COMMISSION_MS = 2 * HOUR_MS;
/** Free lines that are looked at, at most: each look costs the kernel a request. */
export const MAX_FREE_LINES = 64;

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
  /** Unix milliseconds. */
  readonly begunMs: number;
}

/** A line as it was wired to a room when that was ticked off. */
export interface TickedWiring extends ContactSettings {
  readonly line: string;
}

/** A room that was ticked off. */
export interface Tick extends Judgement {
  readonly deviceId: Id;
  readonly room: string;
  /** Null for a room without a line. */
  readonly wired: TickedWiring | null;
  readonly note: string;
  /** Unix milliseconds. */
  readonly timeMs: number;
  /** Whether that time is not trusted. */
  readonly provisional: boolean;
}

export interface CommissionedRoom extends RoomKey {
  readonly deviceId: Id;
  readonly deviceName: string;
  readonly locationName: string;
  readonly withoutLine: boolean;
  readonly wired: (TickedWiring & { readonly rearmMs: number }) | null;
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
  /** Unix milliseconds. */
  readonly timeMs: number;
}

export interface CommissionState {
  /** Unix milliseconds; null where none is open. */
  readonly begunMs: number | null;
  /** When the test of its lines ends, in Unix milliseconds; null where it has ended. */
  readonly untilMs: number | null;
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

/** Rooms of a report: all, and those that are ticked off as good, ticked off otherwise, and not ticked off though they have or want a line. */
export interface CommissionCounts {
  readonly rooms: number;
  readonly good: number;
  readonly attention: number;
  readonly untested: number;
}

/** An acceptance report as it enters the ledger. `text` is JSON of what stands in it. */
export interface NewAcceptanceReport extends Signatures {
  readonly counts: CommissionCounts;
  readonly text: string;
}

/** The line of a list of reports. */
export interface AcceptanceReportHead extends Signatures, CommissionCounts {
  /** The number of its audit entry. */
  readonly auditId: number;
  /** Unix milliseconds. */
  readonly timeMs: number;
  readonly provisional: boolean;
}

/** A report as the ledger has it. */
export interface StoredAcceptanceReport
  extends Pick<AcceptanceReportHead, "auditId" | "timeMs" | "provisional"> {
  /** E-mail, at that time, of the member that made it; null without one. */
  readonly who: string | null;
  readonly from: string;
  /** The hash of its entry of the chain, hexadecimal. */
  readonly hash: string;
  readonly text: string;
}

/** The commissionings of all accounts. */
export interface Commissioner {
  /** Puts the lines under test and measures them. What was ticked off before stays. Rejects as `beginTest` does. */
  begin(userId: Id, scope: CommissionScope, lifeMs: number, by: Actor): Promise<void>;
  state(userId: Id): Promise<CommissionState>;
  /** Says which room is switched next. Rejects with `not_found`, and with `conflict` while no line is under test. */
  ask(userId: Id, key: RoomKey): Promise<void>;
  /** Ticks a room off with its verdict of this moment. Rejects with `not_found`, and with `conflict` where there is none. */
  tick(userId: Id, key: RoomKey, note: string): Promise<void>;
  /** Applies what is proposed for a room. Rejects with `conflict` where nothing is. */
  mend(userId: Id, key: RoomKey, by: Actor): Promise<void>;
  /** Ends it with a report, and gives the number of the report's audit entry. Rejects with `conflict` where none is open. */
  finish(userId: Id, report: NewAcceptanceReport, by: Actor): Promise<number>;
  /** Ends it without a report. Does nothing where none is open. */
  end(userId: Id, by: Actor): Promise<void>;
}

/** The rooms of a report, counted. */
export function countRooms(
  rooms: readonly Pick<CommissionedRoom, "tick" | "withoutLine" | "wired">[],
): CommissionCounts {
  const ticked = rooms.flatMap(({ tick }) => (tick === null ? [] : [tick]));
  const good = ticked.filter(({ verdict }) => verdict === "good").length;
  const untested = rooms.filter(({ tick, withoutLine }) => tick === null && !withoutLine).length;
  return { rooms: rooms.length, good, attention: ticked.length - good, untested };
}

/** What of a wiring a tick keeps. */
export function contactOf({ line, activeLow, bias, debounceMs }: TickedWiring): TickedWiring {
  return { line, activeLow, bias, debounceMs };
}

/** Whether the room is still wired as it was when it was ticked off. */
export function isAsTicked({ wired }: Tick, wiring: TickedWiring | null): boolean {
  return JSON.stringify(wired) === JSON.stringify(wiring && contactOf(wiring));
}

/** Movements that are told of. */
const MAX_MOVES = 20;

/** A line that moved, with its last level of that switching. */
export interface Move {
  readonly line: string;
  readonly active: boolean;
  /** Monotonic milliseconds. */
  readonly atMs: number;
}

interface Seen extends Observation {
  readonly levels: SeenLevel[];
  active: boolean;
  overflowed: boolean;
}

interface Asked {
  readonly deviceId: Id;
  readonly room: string;
  readonly sinceMs: number;
}

/** What one commissioning has seen of its lines. It lives in memory: what was ticked off is in the ledger. */
export class CommissionWatch {
  readonly #seen = new Map<string, Seen>();
  #moves: readonly Move[] = [];
  #asked: Asked | null = null;
  /** Monotonic time up to which its news were told. */
  #toldMs = 0;
  #isFresh = false;

  /** Newest first, at most 20. */
  get moves(): readonly Move[] {
    return this.#moves;
  }

  get asked(): Pick<Asked, "deviceId" | "room"> | null {
    return this.#asked;
  }

  /** The newest level of a line; undefined before the first. */
  levelOf(line: string): boolean | undefined {
    return this.#seen.get(line)?.active;
  }

  /** Takes a level as the kernel saw it. */
  take({ line, active, atMs, missed, isFirst }: RawLevel): void {
    const seen = this.#seen.get(line);
    if (seen === undefined || isFirst) {
      this.#seen.set(line, { restActive: active, active, levels: [], overflowed: false });
      return;
    }
    seen.active = active;
    seen.overflowed ||= missed > 0 || seen.levels.length >= MAX_SEEN_LEVELS;
    if (seen.levels.length < MAX_SEEN_LEVELS) seen.levels.push({ active, atMs });
    this.#move({ line, active, atMs });
  }

  /** Takes what one look at a line shows. */
  look(line: string, active: boolean, atMs: number): void {
    const before = this.levelOf(line);
    if (before !== active) this.take({ line, active, atMs, missed: 0, isFirst: before === undefined });
  }

  /** Whether a line moved so often that there is nothing more to learn of it. */
  isFull(line: string): boolean {
    return this.#seen.get(line)?.overflowed === true;
  }

  /** The room that a person switches next: what is seen of its line begins anew. */
  ask(asked: Asked, line: string | null): void {
    this.#asked = asked;
    this.#isFresh = true;
    const seen = line === null ? undefined : this.#seen.get(line);
    if (line === null || seen === undefined) return;
    this.#seen.set(line, { restActive: seen.active, active: seen.active, levels: [], overflowed: false });
  }

  /** @param nowMs monotonic milliseconds */
  judge(
    { deviceId, room }: Pick<Asked, "deviceId" | "room">,
    wired: (ContactSettings & { readonly line: string }) | null,
    nowMs: number,
  ): Judgement {
    const line = wired?.line ?? null;
    const seen = (line === null ? undefined : this.#seen.get(line)) ?? NOTHING_SEEN;
    const asked = this.#asked?.deviceId === deviceId && this.#asked.room === room ? this.#asked : null;
    return judgeRoom(wired, seen, asked && this.#askingOf(asked, line, nowMs), nowMs);
  }

  /** Whether there is something new since the last call: a level, one that has settled, or a room that stayed silent. */
  hasNews(nowMs: number): boolean {
    const [newest] = this.#moves;
    const due = [
      newest === undefined ? 0 : newest.atMs + SWITCHING_MS,
      this.#asked === null ? 0 : this.#asked.sinceMs + SILENT_MS,
    ];
    const news = this.#isFresh || due.some((ms) => ms > this.#toldMs && ms < nowMs);
    this.#isFresh = false;
    this.#toldMs = nowMs;
    return news;
  }

  #move(move: Move): void {
    this.#isFresh = true;
    const index = this.#moves.findIndex(
      ({ line, atMs }) => line === move.line && move.atMs - atMs <= SWITCHING_MS,
    );
    const others = this.#moves.filter((_, at) => at !== index);
    this.#moves = [move, ...others].slice(0, MAX_MOVES);
  }

  #askingOf({ sinceMs }: Asked, line: string | null, nowMs: number): Asking {
    let first: { readonly line: string; readonly atMs: number } | undefined;
    for (const [other, seen] of this.#seen) {
      const moved = other === line ? undefined : seen.levels.find(({ atMs }) => atMs >= sinceMs);
      if (moved === undefined || isFloating(seen)) continue;
      if (first === undefined || moved.atMs < first.atMs) first = { line: other, atMs: moved.atMs };
    }
    return { waitedMs: nowMs - sinceMs, otherLine: first?.line ?? null };
  }
}

const NOTHING_SEEN: Observation = { restActive: false, levels: [], overflowed: false };
