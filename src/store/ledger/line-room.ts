import type { Database } from "better-sqlite3";
import { HOUR_MS } from "../../domain/clock.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import type { WriteContext } from "./commands.ts";
import { type GapEnd, gapWriter } from "./gap.ts";
import { lineStates } from "./line-state.ts";

/** Earlier rooms of one line that are kept, at most. */
const MAX_EARLIER = 100;
/** For how long: edges reach the ledger within seconds, and while it takes no writes it takes no changes either. */
const MAX_AGE_MS = HOUR_MS;

/** The room that a line is wired to, with all that a record of it carries. */
export interface LineRoom {
  readonly line: string;
  readonly userId: Id;
  readonly deviceId: Id;
  readonly actuatorId: string;
  readonly valorMicros: number;
  readonly rearmMs: number;
  readonly deviceName: string;
  readonly locationName: string;
}

interface EarlierRoom {
  readonly room: LineRoom;
  /** Monotonic time of the change that ended it. */
  readonly untilMs: number;
}

/**
 * The rooms of the wired lines, and what they were until shortly before: an edge is recorded with the price and the names
 * that held when it happened, also when they changed while it was on its way. Kept in memory: a service that begins takes
 * in what the kernel has kept of the lines before it takes changes.
 */
export class LineRooms {
  readonly #all: { all(): LineRoom[] };
  readonly #ofLine: { get(line: string): LineRoom | undefined };
  readonly #states: ReturnType<typeof lineStates>;
  readonly #gaps: ReturnType<typeof gapWriter>;
  readonly #context: WriteContext;
  readonly #earlier = new Map<string, EarlierRoom[]>();

  constructor(db: Database, context: WriteContext) {
    const rooms = `
      SELECT line, w.user_id AS userId, w.device_id AS deviceId, actuator_id AS actuatorId, valor_micros AS valorMicros,
             rearm_ms AS rearmMs, d.name AS deviceName, d.location_name AS locationName
        FROM wiring w JOIN device d USING (device_id)`;
    this.#context = context;
    this.#states = lineStates(db);
    this.#gaps = gapWriter(db, context);
    this.#all = db.prepare<[], LineRoom>(rooms);
    this.#ofLine = db.prepare<[string], LineRoom>(`${rooms} WHERE line = ?`);
  }

  now(line: string): LineRoom | undefined {
    return this.#ofLine.get(line);
  }

  /** The room of a line at a moment of this boot, in monotonic milliseconds. */
  at(line: string, monotonicMs: number): LineRoom | undefined {
    const earlier = this.#earlier.get(line)?.find(({ untilMs }) => monotonicMs < untilMs);
    return earlier?.room ?? this.now(line);
  }

  /**
   * The same commands; what they change is kept as it was. A change that is rolled back later does no harm: what is kept
   * is then what still holds.
   */
  watching<C extends Partial<LedgerCommands>>(commands: C): C {
    const watched = Object.entries(commands).map(([name, run]) => [
      name,
      (...input: unknown[]) => this.#watch(() => (run as (...input: unknown[]) => unknown)(...input)),
    ]);
    // The same names, each with its function's own arguments and answer.
    return Object.fromEntries(watched) as C;
  }

  #watch<T>(act: () => T): T {
    const before = this.#all.all();
    const outages = [...this.#states.unwatched()].map(
      ([line, since]) => ({ line, since, state: this.#states.stateOf(line) }) as const,
    );
    const output = act();
    const after = new Map(this.#all.all().map((room) => [room.line, room]));
    for (const room of before) {
      const changed = after.get(room.line);
      if (JSON.stringify(changed) !== JSON.stringify(room)) this.#keep(room);
      if (changed?.deviceId === room.deviceId && changed.actuatorId === room.actuatorId) continue;
      const outage = outages.find(({ line }) => line === room.line);
      if (outage?.state !== undefined) this.#gaps.outage(this.#endOf(room), outage.since, outage.state);
    }
    return output;
  }

  /** A gap of a line ends when the line is unwired: what it does from then on is no sale. */
  #endOf({ line, userId }: LineRoom): GapEnd {
    const { boots, nowMs } = this.#context;
    const moment = boots.now() ?? null;
    const provisional = moment !== null && boots.timeOf(moment.bootId, moment.monotonicMs) === null;
    return { line, userId, timeMs: nowMs(), moment, provisional };
  }

  #keep(room: LineRoom): void {
    const now = this.#context.boots.now();
    // Without a running boot there are no edges.
    if (now === undefined) return;
    // The time comes in whole milliseconds, rounded down: a sale in the last one is kept.
    const untilMs = now.monotonicMs + 1;
    const kept = this.#earlier.get(room.line) ?? [];
    const recent = kept.filter((earlier) => earlier.untilMs > untilMs - MAX_AGE_MS);
    this.#earlier.set(room.line, [...recent, { room, untilMs }].slice(-MAX_EARLIER));
  }
}
