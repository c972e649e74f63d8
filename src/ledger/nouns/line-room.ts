import { isDeepStrictEqual } from "node:util";
import type { Database } from "better-sqlite3";
import type { BootMoment } from "../../domain/boot.ts";
import { HOUR_MS } from "../../domain/clock.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import type { LineState } from "../../domain/sale.ts";
import type { WriteContext } from "../engine/write-context.ts";
import { type GapEnd, gapWriter } from "./gap.ts";
import { lineStates } from "./line-state.ts";

/** The most earlier rooms that are kept of one line. */
const MAX_EARLIER = 100;
/**
 * How long an earlier room is kept: edges come within
 * seconds, and a ledger that takes no edges takes no changes.
 */
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

/** Stands among the earlier rooms of a line for a time in which it had none. */
const NO_ROOM: Omit<LineRoom, "line"> = {
  userId: "",
  deviceId: "",
  actuatorId: "",
  valorMicros: 0,
  rearmMs: 0,
  deviceName: "",
  locationName: "",
};

/**
 * The rooms of the wired lines, now and until an hour ago: an edge is recorded with the room, the
 * price and the names that held when it happened, also when they changed while it was on its way.
 */
export function lineRooms(db: Database, context: WriteContext) {
  const rooms = `
    SELECT line, w.user_id AS userId, w.device_id AS deviceId, actuator_id AS actuatorId, valor_micros AS valorMicros,
           rearm_ms AS rearmMs, d.name AS deviceName, d.location_name AS locationName
      FROM wiring w JOIN device d USING (device_id)`;
  const states = lineStates(db);
  const gaps = gapWriter(db, context);
  const all = db.prepare<[], LineRoom>(rooms);
  const ofLine = db.prepare<[string], LineRoom>(`${rooms} WHERE line = ?`);
  const earlier = db.prepare<[string, string, number], LineRoom>(
    `SELECT line, user_id AS userId, device_id AS deviceId, actuator_id AS actuatorId, valor_micros AS valorMicros,
            rearm_ms AS rearmMs, device_name AS deviceName, location_name AS locationName
       FROM earlier_room WHERE line = ? AND boot = (SELECT boot FROM boot WHERE boot_id = ?) AND until_ms > ?
      ORDER BY until_ms LIMIT 1`,
  );
  const ended = db.prepare<[string, string, number]>(
    `SELECT 1 FROM earlier_room
      WHERE line = ? AND boot = (SELECT boot FROM boot WHERE boot_id = ?) AND until_ms <= ? LIMIT 1`,
  );
  const insert = db.prepare<LineRoom & { boot: number; untilMs: number }>(
    `INSERT OR IGNORE INTO earlier_room (line, until_ms, boot, user_id, device_id, actuator_id, valor_micros, rearm_ms,
                                         device_name, location_name)
     VALUES (@line, @untilMs, @boot, @userId, @deviceId, @actuatorId, @valorMicros, @rearmMs, @deviceName, @locationName)`,
  );
  const lastUntil = db
    .prepare<[string, number], number | null>(
      "SELECT max(until_ms) FROM earlier_room WHERE line = ? AND boot = ?",
    )
    .pluck();
  const forget = db.prepare<{ line: string; boot: number; beforeMs: number }>(
    `DELETE FROM earlier_room
      WHERE boot <> @boot OR until_ms <= @beforeMs
         OR line = @line AND until_ms <= (SELECT until_ms FROM earlier_room WHERE line = @line
                                           ORDER BY until_ms DESC LIMIT 1 OFFSET ${MAX_EARLIER - 1})`,
  );

  /** Runs a command. Keeps each room that it changes, and the gap of an unwatched line that it unwires. */
  function runKeeping<T>(command: () => T): T {
    const before = all.all();
    // Read before the command, because what was seen of a line goes with its wiring.
    const outages = outagesNow();
    const output = command();
    const after = new Map(all.all().map((room) => [room.line, room]));
    for (const room of before) {
      const changed = after.get(room.line);
      if (isDeepStrictEqual(changed, room)) continue;
      keep(room);
      const outage = outages.get(room.line);
      if (outage !== undefined && !isSameRoom(room, changed)) {
        gaps.outage(endOf(room), outage.since, outage.state);
      }
    }
    const wired = new Set(before.map(({ line }) => line));
    for (const line of after.keys()) if (!wired.has(line)) keepUnwired(line);
    return output;
  }

  /** The lines that are not watched, with what was last seen of them. */
  function outagesNow(): ReadonlyMap<string, { readonly since: BootMoment; readonly state: LineState }> {
    const outages = [...states.unwatched()].flatMap(([line, since]) => {
      const state = states.stateOf(line);
      return state === undefined ? [] : [[line, { since, state }] as const];
    });
    return new Map(outages);
  }

  /** A gap of a line ends when the line is unwired: what it does from then on is no sale. */
  function endOf({ line, userId }: LineRoom): GapEnd {
    const { boots, nowMs } = context;
    const moment = boots.now() ?? null;
    const provisional = moment !== null && boots.timeOf(moment.bootId, moment.monotonicMs) === null;
    return { line, userId, timeMs: nowMs(), moment, provisional };
  }

  function keep(room: LineRoom): void {
    const now = context.boots.now();
    // Without a running boot there are no edges.
    if (now === undefined) return;
    forget.run({ line: room.line, boot: now.boot, beforeMs: now.monotonicMs - MAX_AGE_MS });
    // The time is rounded down to whole milliseconds: a sale in the last one is still of this room.
    insert.run({ ...room, boot: now.boot, untilMs: now.monotonicMs + 1 });
  }

  /** Keeps that a line, which gets a room now, had none since its last earlier room. */
  function keepUnwired(line: string): void {
    const now = context.boots.now();
    if (now === undefined) return;
    const sinceMs = lastUntil.get(line, now.boot) ?? null;
    // A line that goes from one room to another at once was never without one.
    if (sinceMs === null || sinceMs >= now.monotonicMs) return;
    insert.run({ ...NO_ROOM, line, boot: now.boot, untilMs: now.monotonicMs });
  }

  return {
    /** The room of a line now; undefined where it has none. */
    now: (line: string): LineRoom | undefined => ofLine.get(line),

    /** The room of a line at a moment; undefined where it had none. */
    at(line: string, { bootId, monotonicMs }: BootMoment): LineRoom | undefined {
      const room = earlier.get(line, bootId, monotonicMs) ?? ofLine.get(line);
      return room?.userId === NO_ROOM.userId ? undefined : room;
    },

    /**
     * For a line without a room at a moment: whether it is known
     * that a room it had before was taken from it by then.
     */
    wasUnwired: (line: string, { bootId, monotonicMs }: BootMoment): boolean =>
      ended.get(line, bootId, monotonicMs) !== undefined,

    /** The same commands, which also keep the rooms that they change as they were, in the same transaction. */
    keepingRooms<C extends Partial<LedgerCommands>>(commands: C): C {
      const keeping = Object.entries(commands).map(([name, run]) => [
        name,
        (...input: unknown[]) => runKeeping(() => (run as (...input: unknown[]) => unknown)(...input)),
      ]);
      // The same names, each with its function's own arguments and answer.
      return Object.fromEntries(keeping) as C;
    },
  };
}

function isSameRoom(room: LineRoom, other: LineRoom | undefined): boolean {
  return other?.deviceId === room.deviceId && other.actuatorId === room.actuatorId;
}

export type LineRooms = ReturnType<typeof lineRooms>;
