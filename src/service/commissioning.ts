import { setImmediate as turn } from "node:timers/promises";
import type { Actor } from "../domain/audit.ts";
import type { BootMoment } from "../domain/boot.ts";
import type { Change } from "../domain/change.ts";
import {
  type Cancel,
  type Clock,
  type ClockTrust,
  monotonicMs,
  SECOND_MS,
  type Timers,
} from "../domain/clock.ts";
import {
  type CommissionedRoom,
  type Commissioner,
  type CommissionScope,
  type CommissionState,
  isAsTicked,
  type NewAcceptanceReport,
  type RoomKey,
  type StoredCommission,
  type StoredRoom,
  type Tick,
} from "../domain/commission.ts";
import { CommissionWatch } from "../domain/commission-watch.ts";
import type { Device } from "../domain/device.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { beyondLimit } from "../domain/limit.ts";
import type { Lines, RawLevel } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import { inOrder } from "../domain/text.ts";
import { contactOf, type Mend } from "../domain/verdict.ts";
import { DEFAULT_REARM_MS, type NewWiring } from "../domain/wiring.ts";

/** How often open pages hear that something was seen, and free lines are looked at. */
const ROUND_MS = 250;
/** A room keeps its price and its paid time, whatever is mended of its line. */
const KEPT = { valorMicros: null, paidMinutes: null };

export interface CommissioningDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly trust: ClockTrust;
  readonly bootId: string;
  readonly reader: Pick<
    LedgerReader,
    "commissions" | "commissionRooms" | "devices" | "lineTests" | "wirings"
  >;
  readonly writer: Pick<
    LedgerWriter,
    | "beginCommission"
    | "endCommission"
    | "joinCommission"
    | "pauseCommission"
    | "rewire"
    | "setWiring"
    | "tickRoom"
  >;
  readonly lines: Pick<Lines, "listenRaw" | "readFree" | "status" | "wire" | "wiredNames">;
  readonly log: Log;
  /** Tells open pages of changes without a commit. */
  readonly tell: (changes: readonly Change[]) => void;
}

/** An open commissioning. */
interface CommissionSession {
  readonly scope: CommissionScope;
  readonly watch: CommissionWatch;
  /** When it ends by itself, in monotonic milliseconds. */
  readonly endMs: number;
  /** Until when each of its lines is under test, in monotonic milliseconds. */
  readonly untilMs: ReadonlyMap<string, number>;
}

/**
 * The commissionings of all accounts. The ledger keeps which are open, what was ticked off, and which
 * lines are under test; that outlives the process. What was seen of the lines does not, and is seen again.
 */
export class Commissioning implements Commissioner {
  readonly #dependencies: CommissioningDependencies;
  readonly #sessions = new Map<Id, CommissionSession>();
  #stopListening: Cancel = () => {};
  #cancelRound: Cancel = () => {};
  #isRound = false;
  #following: Promise<void> = Promise.resolve();

  constructor(dependencies: CommissioningDependencies) {
    this.#dependencies = dependencies;
  }

  /** Continues the commissionings that an earlier process left open. */
  async open(): Promise<void> {
    this.#stopListening = this.#dependencies.lines.listenRaw((level) => this.#take(level));
    await this.#follow();
  }

  close(): void {
    this.#stopListening();
    this.#cancelRound();
    this.#sessions.clear();
  }

  /** Call after each commit: tests and wirings may have changed. */
  apply(changes: readonly Change[]): void {
    const isConcerned = ({ kind }: Change) => kind === "wiring" || kind === "tests" || kind === "commission";
    if (changes.some(isConcerned)) void this.#follow();
  }

  async begin(
    userId: Id,
    asked: CommissionScope,
    lifeMs: number,
    by: Actor,
    beyond: ReadonlySet<string> | null = null,
  ): Promise<void> {
    const { clock, lines, reader, writer } = this.#dependencies;
    const named = asked.lines && (await lines.wiredNames(asked.lines));
    if (named?.some((line) => beyond?.has(line))) throw beyondLimit("A line is of another location.");
    const wired = reader.wirings(userId).map(({ line }) => line);
    // Within a limit the lines are named, so that no other one comes under test when it is wired.
    const within = beyond && wired.filter((line) => !beyond.has(line));
    const scope = { ...asked, lines: named ? [...new Set(named)] : within };
    const under = scope.lines ?? wired;
    if (under.length + scope.freeLines.length === 0) {
      throw new FlancoError("conflict", "There is no line to commission.", {
        hint: "Wire a line to a room first, or name free lines.",
      });
    }
    await writer.beginCommission(userId, scope, under, lifeMs, by);
    const endMs = monotonicMs(clock) + lifeMs;
    this.#sessions.set(userId, { scope, watch: this.#watchOf(userId), endMs, untilMs: new Map() });
    await this.#follow();
  }

  async state(userId: Id): Promise<CommissionState> {
    const { clock, reader } = this.#dependencies;
    const stored = reader.commissions().find((one) => one.userId === userId);
    const nowMs = monotonicMs(clock);
    const known = this.#sessions.get(userId);
    const session = known !== undefined && known.endMs > nowMs ? known : undefined;
    const aheadMs = clock.nowMs() - nowMs;
    const rooms = await this.#roomsOf(userId, session);
    const roomOn = new Map(rooms.map((room) => [room.wired?.line, room]));
    return {
      begunMs: stored?.begunMs ?? null,
      untilMs: session === undefined ? null : Math.round(session.endMs + aheadMs),
      lines: stored?.lines ?? null,
      freeLines: stored?.freeLines ?? [],
      moved: (session?.watch.moves ?? []).map(({ line, active, atMs }) => {
        const { dId, deviceName, room } = roomOn.get(line) ?? {};
        const isWired = dId !== undefined && deviceName !== undefined && room !== undefined;
        return {
          line,
          level: active,
          timeMs: Math.round(atMs + aheadMs),
          room: isWired ? { dId, deviceName, room } : null,
        };
      }),
      rooms,
    };
  }

  async ask(userId: Id, key: RoomKey): Promise<void> {
    const { deviceId, wired } = this.#find(userId, key);
    const session = this.#sessionOf(userId);
    const sinceMs = monotonicMs(this.#dependencies.clock);
    session.watch.ask({ deviceId, room: key.room, sinceMs }, wired?.line ?? null);
    this.#tell(userId);
  }

  async tick(userId: Id, key: RoomKey, note: string): Promise<void> {
    const { clock, trust, writer } = this.#dependencies;
    const { deviceId, wired } = this.#find(userId, key);
    const judgement = this.#judge(userId, deviceId, key.room, wired);
    if (judgement.verdict === null) {
      throw new FlancoError("conflict", `Nothing is known of room ${key.room} yet.`, {
        hint: "Switch its relay on, wait a second, and switch it off.",
      });
    }
    const tick: Tick = {
      ...judgement,
      deviceId,
      room: key.room,
      note,
      timeMs: clock.nowMs(),
      provisional: !trust.trusted(),
      wired: wired && contactOf(wired),
    };
    await writer.tickRoom(userId, tick);
  }

  async mend(userId: Id, key: RoomKey, by: Actor): Promise<void> {
    const { deviceId, wired } = this.#find(userId, key);
    const { mend } = this.#judge(userId, deviceId, key.room, wired);
    if (mend === null) {
      throw new FlancoError("conflict", `Nothing is proposed for room ${key.room}.`, {
        hint: "Ask for the room, and switch its relay.",
      });
    }
    if (mend.setting === "line") await this.#exchange(userId, key, wired, mend, by);
    else if (wired !== null) {
      const { lines, writer } = this.#dependencies;
      const { activeLow, bias, debounceMs } = mend;
      const { dId, room: actuatorId } = key;
      const wiring = { ...wired, activeLow, bias, debounceMs, dId, actuatorId, ...KEPT };
      await lines.wire([wired.line], () => writer.setWiring([{ userId, wiring }], by));
    }
  }

  async finish(userId: Id, report: NewAcceptanceReport, by: Actor): Promise<number> {
    const number = await this.#dependencies.writer.endCommission(userId, report, by);
    await this.#follow();
    if (number === null) throw new FlancoError("internal", "The report has no number.");
    return number;
  }

  async pause(userId: Id, by: Actor): Promise<void> {
    await this.#dependencies.writer.pauseCommission(userId, by);
    await this.#follow();
  }

  async end(userId: Id, by: Actor): Promise<void> {
    await this.#dependencies.writer.endCommission(userId, null, by);
    await this.#follow();
  }

  /**
   * Gives the room the line that moved. A room that had that
   * line gets this room's. Prices stay with their rooms.
   */
  async #exchange(userId: Id, key: RoomKey, own: StoredRoom["wired"], mend: Mend, by: Actor): Promise<void> {
    const { lines, reader, writer, clock } = this.#dependencies;
    const other = reader.wirings(userId).find(({ line }) => line === mend.line);
    const { activeLow, bias, debounceMs } = other ?? mend;
    const contact = { activeLow, bias, debounceMs };
    await lines.wire([mend.line], async ([line = mend.line]) => {
      const taken: NewWiring = {
        ...contact,
        line,
        dId: key.dId,
        actuatorId: key.room,
        ...KEPT,
        rearmMs: own?.rearmMs ?? DEFAULT_REARM_MS,
      };
      const given = other === undefined || own === null ? [] : [{ ...other, ...contactOf(own), ...KEPT }];
      const unwired = [own, other].flatMap((wiring) => wiring?.line ?? []);
      const wired = [taken, ...given];
      const { scope, endMs } = this.#sessionOf(userId);
      const lifeMs = Math.max(SECOND_MS, Math.floor(endMs - monotonicMs(clock)));
      const under = wired.map((wiring) => wiring.line);
      const widened = { ...scope, lines: scope.lines && [...new Set([...scope.lines, ...under])] };
      // Submitted without a pause, so that one commit wires the lines and puts them under test.
      await Promise.all([
        writer.rewire(userId, unwired, wired, by),
        writer.beginCommission(userId, widened, under, lifeMs, by),
      ]);
    });
  }

  #judge(userId: Id, deviceId: Id, room: string, wired: StoredRoom["wired"]) {
    return this.#watchOf(userId).judge({ deviceId, room }, wired, monotonicMs(this.#dependencies.clock));
  }

  #watchOf(userId: Id): CommissionWatch {
    return this.#sessions.get(userId)?.watch ?? new CommissionWatch();
  }

  /** By location and device. Other requests have their turn after each device: an account may have thousands of rooms. */
  async #roomsOf(userId: Id, session: CommissionSession | undefined): Promise<readonly CommissionedRoom[]> {
    const { clock, lines, reader } = this.#dependencies;
    const watched = new Set(lines.status().watched);
    const known = { watched, session, watch: this.#watchOf(userId), nowMs: monotonicMs(clock) };
    const devices = reader
      .devices(userId)
      .toSorted((a, b) => inOrder(a.locationName, b.locationName) || inOrder(a.name, b.name));
    const rooms: CommissionedRoom[] = [];
    for (const device of devices) {
      const stored = reader.commissionRooms(device.id);
      rooms.push(...stored.map((room) => commissionedRoom(device, room, known)));
      await turn();
    }
    return rooms;
  }

  #find(userId: Id, { dId, room }: RoomKey): Pick<StoredRoom, "wired"> & { readonly deviceId: Id } {
    const { reader } = this.#dependencies;
    const deviceId = reader.devices(userId).find((one) => one.dId === dId)?.id;
    const rooms = deviceId === undefined ? [] : reader.commissionRooms(deviceId);
    const found = rooms.find((one) => one.room === room);
    if (deviceId === undefined || found === undefined) {
      throw new FlancoError("not_found", `There is no room ${room} of a device "${dId}".`);
    }
    return { deviceId, wired: found.wired };
  }

  #sessionOf(userId: Id): CommissionSession {
    const session = this.#sessions.get(userId);
    if (session !== undefined && session.endMs > monotonicMs(this.#dependencies.clock)) return session;
    throw new FlancoError("conflict", "No line is under test for a commissioning.", {
      hint: "Begin it, or go on with it, first.",
    });
  }

  #take(level: RawLevel): void {
    for (const { untilMs, watch } of this.#sessions.values())
      if (untilMs.has(level.line)) watch.takeEdge(level);
  }

  /**
   * Brings the sessions up to the ledger. Calls run one after
   * another, because each sees what the one before did.
   */
  #follow(): Promise<void> {
    this.#following = this.#following
      .then(() => this.#followNow())
      .catch((err: unknown) => this.#dependencies.log.error({ err }, "a commissioning cannot go on"));
    return this.#following;
  }

  async #followNow(): Promise<void> {
    const { clock, bootId, reader } = this.#dependencies;
    const now = { bootId, monotonicMs: monotonicMs(clock) };
    const open = reader.commissions();
    for (const userId of this.#sessions.keys()) {
      if (!open.some((stored) => stored.userId === userId)) this.#sessions.delete(userId);
    }
    for (const stored of open) await this.#followOne(stored, now);
    this.#keepRound();
  }

  /**
   * Brings one session up to its commissioning in the
   * ledger, and puts lines that were wired since under test.
   */
  async #followOne({ userId, ...scope }: StoredCommission, now: BootMoment): Promise<void> {
    const { reader, writer } = this.#dependencies;
    const before = this.#sessions.get(userId);
    const isInScope = (line: string) => scope.lines === null || scope.lines.includes(line);
    const tests = reader.lineTests(now, userId).filter(({ line }) => isInScope(line));
    const untilMs = new Map(tests.map(({ line, remainingMs }) => [line, now.monotonicMs + remainingMs]));
    const wired = reader.wirings(userId).map(({ line }) => line);
    // Without a wired line its end stays as it was.
    const endMs = wired.some(isInScope) ? Math.max(0, ...untilMs.values()) : (before?.endMs ?? 0);
    const lifeMs = Math.floor(endMs - now.monotonicMs);
    if (lifeMs <= 0) {
      this.#sessions.delete(userId);
      return;
    }
    // Near its end, those that are not under test are lines whose tests have just ended.
    const added =
      scope.lines === null && lifeMs >= SECOND_MS ? wired.filter((line) => !untilMs.has(line)) : [];
    // The commit of these tests calls `apply` in turn.
    if (added.length > 0) await writer.joinCommission(userId, added);
    const watch = before?.watch ?? new CommissionWatch();
    this.#sessions.set(userId, { scope, watch, endMs, untilMs });
  }

  #keepRound(): void {
    if (this.#isRound || this.#sessions.size === 0) return;
    this.#isRound = true;
    this.#cancelRound = this.#dependencies.timers.after(ROUND_MS, () => void this.#round());
  }

  async #round(): Promise<void> {
    const nowMs = monotonicMs(this.#dependencies.clock);
    let hasEnded = false;
    for (const [userId, { scope, watch, endMs, untilMs }] of this.#sessions) {
      if (watch.asked !== null) await this.#sampleFreeLines(scope.freeLines, watch);
      if (watch.hasNews(nowMs)) this.#tell(userId);
      if ([endMs, ...untilMs.values()].some((ms) => ms <= nowMs)) {
        hasEnded = true;
        this.#tell(userId);
      }
    }
    this.#isRound = false;
    if (hasEnded) void this.#follow();
    else this.#keepRound();
  }

  /** One look at each free line. A line that was wired meanwhile, or that another program has, is passed over. */
  async #sampleFreeLines(freeLines: readonly string[], watch: CommissionWatch): Promise<void> {
    const { clock, lines } = this.#dependencies;
    const levels = await lines.readFree(freeLines).catch(() => new Map<string, boolean>());
    for (const [line, level] of levels) watch.takeSample(line, level, monotonicMs(clock));
  }

  #tell(userId: Id): void {
    this.#dependencies.tell([{ kind: "commission", userId }]);
  }
}

/** What is known of an account's lines. */
interface KnownLines {
  /** The lines that are watched. */
  readonly watched: ReadonlySet<string>;
  /** Undefined where no line is under test for a commissioning. */
  readonly session: CommissionSession | undefined;
  /** What was seen of the lines, also of a session that has ended. */
  readonly watch: CommissionWatch;
  /** Monotonic milliseconds. */
  readonly nowMs: number;
}

/** A room of a device as its account's commissioning shows it. */
function commissionedRoom(
  { id: deviceId, dId, name: deviceName, locationName }: Device,
  { room, active, withoutLine, wired, tick }: StoredRoom,
  { watched, session, watch, nowMs }: KnownLines,
): CommissionedRoom {
  const line = wired?.line ?? null;
  const asked = session?.watch.asked;
  return {
    dId,
    deviceId,
    deviceName,
    locationName,
    room,
    withoutLine,
    wired,
    level: line !== null && watched.has(line) ? (session?.watch.levelOf(line) ?? active) : null,
    isUnderTest: line !== null && isUnderTest(session, line, nowMs),
    isAsked: asked?.deviceId === deviceId && asked.room === room,
    judgement: watch.judge({ deviceId, room }, wired, nowMs),
    tick: tick !== null && isAsTicked(tick, wired) ? tick : null,
  };
}

function isUnderTest(session: CommissionSession | undefined, line: string, nowMs: number): boolean {
  const untilMs = session?.untilMs.get(line);
  return untilMs !== undefined && untilMs > nowMs;
}
