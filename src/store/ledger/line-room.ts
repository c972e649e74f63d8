import type { Database } from "better-sqlite3";
import type { BootMoment } from "../../domain/boot.ts";
import { HOUR_MS } from "../../domain/clock.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import type { WriteContext } from "./commands.ts";
import { type GapEnd, gapWriter } from "./gap.ts";
import { lineStates } from "./line-state.ts";

/** Earlier rooms of one line that are kept, at most. */
const MAX_EARLIER = 100;
/** How long an earlier room is kept: edges come within seconds, and a ledger that takes no edges takes no changes. */
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

/**
 * The rooms of the wired lines, and what they were until shortly before: an edge is recorded with the price and the names
 * that held when it happened, also when they changed while it was on its way.
 */
export class LineRooms {
  readonly #all: { all(): LineRoom[] };
  readonly #ofLine: { get(line: string): LineRoom | undefined };
  readonly #states: ReturnType<typeof lineStates>;
  readonly #gaps: ReturnType<typeof gapWriter>;
  readonly #context: WriteContext;
  readonly #earlier: { get(line: string, bootId: string, monotonicMs: number): LineRoom | undefined };
  readonly #ended: { get(line: string, bootId: string, monotonicMs: number): unknown };
  readonly #insert: { run(earlier: LineRoom & { boot: number; untilMs: number }): unknown };
  readonly #insertUnwired: { run(row: { line: string; boot: number; untilMs: number }): unknown };
  readonly #forget: { run(row: { line: string; boot: number; beforeMs: number }): unknown };

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
    this.#earlier = db.prepare<[string, string, number], LineRoom>(
      `SELECT line, user_id AS userId, device_id AS deviceId, actuator_id AS actuatorId, valor_micros AS valorMicros,
              rearm_ms AS rearmMs, device_name AS deviceName, location_name AS locationName
         FROM earlier_room WHERE line = ? AND boot = (SELECT boot FROM boot WHERE boot_id = ?) AND until_ms > ?
        ORDER BY until_ms LIMIT 1`,
    );
    this.#ended = db.prepare<[string, string, number]>(
      `SELECT 1 FROM earlier_room
        WHERE line = ? AND boot = (SELECT boot FROM boot WHERE boot_id = ?) AND until_ms <= ? LIMIT 1`,
    );
    this.#insert = db.prepare(
      `INSERT OR IGNORE INTO earlier_room (line, until_ms, boot, user_id, device_id, actuator_id, valor_micros, rearm_ms,
                                           device_name, location_name)
       VALUES (@line, @untilMs, @boot, @userId, @deviceId, @actuatorId, @valorMicros, @rearmMs, @deviceName, @locationName)`,
    );
    // Only after an earlier room: where a line comes to another room at once, it was never without one.
    this.#insertUnwired = db.prepare(
      `INSERT INTO earlier_room (line, until_ms, boot, user_id, device_id, actuator_id, valor_micros, rearm_ms,
                                 device_name, location_name)
       SELECT @line, @untilMs, @boot, '', '', '', 0, 0, '', ''
        WHERE (SELECT max(until_ms) FROM earlier_room WHERE line = @line AND boot = @boot) < @untilMs`,
    );
    this.#forget = db.prepare(
      `DELETE FROM earlier_room
        WHERE boot <> @boot OR until_ms <= @beforeMs
           OR line = @line AND until_ms <= (SELECT until_ms FROM earlier_room WHERE line = @line
                                             ORDER BY until_ms DESC LIMIT 1 OFFSET ${MAX_EARLIER - 1})`,
    );
  }

  now(line: string): LineRoom | undefined {
    return this.#ofLine.get(line);
  }

  /** The room of a line at a moment; undefined where it had none. */
  at(line: string, { bootId, monotonicMs }: BootMoment): LineRoom | undefined {
    const room = this.#earlier.get(line, bootId, monotonicMs) ?? this.now(line);
    return room?.userId === "" ? undefined : room;
  }

  /** Whether the line is known to have been unwired at a moment: without a room of now, by what it was before. */
  wasUnwired(line: string, { bootId, monotonicMs }: BootMoment): boolean {
    return this.#ended.get(line, bootId, monotonicMs) !== undefined;
  }

  /** The same commands; what they change is kept as it was, in the same transaction. */
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
    const wired = new Set(before.map(({ line }) => line));
    for (const line of after.keys()) if (!wired.has(line)) this.#keepUnwired(line);
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
    const now = this.#context.boots.nowStored();
    // Without a running boot there are no edges.
    if (now === undefined) return;
    const { line } = room;
    this.#forget.run({ line, boot: now.boot, beforeMs: now.begunMs - MAX_AGE_MS });
    // The time comes in whole milliseconds, rounded down: a sale in the last one is kept.
    this.#insert.run({ ...room, boot: now.boot, untilMs: now.begunMs + 1 });
  }

  #keepUnwired(line: string): void {
    const now = this.#context.boots.nowStored();
    if (now !== undefined) this.#insertUnwired.run({ line, boot: now.boot, untilMs: now.begunMs });
  }
}
