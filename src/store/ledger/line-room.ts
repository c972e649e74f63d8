import type { Database } from "better-sqlite3";
import { HOUR_MS } from "../../domain/clock.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import type { Boots } from "./boot.ts";

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
  readonly #now: Boots["now"];
  readonly #all: { all(): LineRoom[] };
  readonly #ofLine: { get(line: string): LineRoom | undefined };
  readonly #earlier = new Map<string, EarlierRoom[]>();

  constructor(db: Database, boots: Pick<Boots, "now">) {
    const rooms = `
      SELECT line, w.user_id AS userId, w.device_id AS deviceId, actuator_id AS actuatorId, valor_micros AS valorMicros,
             rearm_ms AS rearmMs, d.name AS deviceName, d.location_name AS locationName
        FROM wiring w JOIN device d USING (device_id)`;
    this.#now = () => boots.now();
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
    const output = act();
    const now = this.#now();
    // Without a running boot there are no edges.
    if (now === undefined) return output;
    // The time comes in whole milliseconds, rounded down: a sale in the last one is kept.
    const untilMs = now.monotonicMs + 1;
    const after = new Map(this.#all.all().map((room) => [room.line, JSON.stringify(room)]));
    for (const room of before) {
      if (after.get(room.line) !== JSON.stringify(room)) this.#keep({ room, untilMs });
    }
    return output;
  }

  #keep(earlier: EarlierRoom): void {
    const { line } = earlier.room;
    const kept = this.#earlier.get(line) ?? [];
    const recent = kept.filter(({ untilMs }) => untilMs > earlier.untilMs - MAX_AGE_MS);
    this.#earlier.set(line, [...recent, earlier].slice(-MAX_EARLIER));
  }
}
