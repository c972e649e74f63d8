import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../../domain/amount.ts";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import { type Day, formatDay } from "../../domain/day.ts";
import { FlancoError, tooManyError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import { MAX_PLANNED, notWired, type RoomPrice } from "../../domain/wiring.ts";
import type { LocalCalendar } from "./calendar.ts";
import type { LineRoom } from "./line-room.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * The most prices that are kept of one room. Planned prices are
 * kept before all others, so that none is lost before its day.
 */
const MAX_KEPT = 100;
/** The most prices in one answer. */
const MAX_LISTED = 5_000;

/** The planned price that holds on `@day` at `@atMs` for the room of a row `w`. */
const PLANNED = `(SELECT valor_micros FROM price p
   WHERE p.device_id = w.device_id AND p.actuator_id = w.actuator_id AND from_day <= @day
     AND (superseded_ms IS NULL OR superseded_ms > @atMs) ORDER BY from_day DESC LIMIT 1)`;

/**
 * The price of a wiring `w` on `@day` at `@atMs`. Null for
 * both gives the price that was set last without a day.
 */
export const PRICE = `coalesce(${PLANNED}, w.valor_micros)`;

/** A moment, as PRICE takes it. */
export interface PriceMoment {
  readonly day: Day | null;
  readonly atMs: number | null;
}

export function priceMoment(calendar: LocalCalendar, atMs: number | null): PriceMoment {
  return { day: atMs === null ? null : calendar.dayOf(atMs), atMs };
}

export function priceReader(db: Database, calendar: LocalCalendar) {
  const prices = db.prepare<
    { userId: Id; dId: string | null; room: string | null; today: Day },
    Omit<RoomPrice, "isComing">
  >(
    `SELECT d_id AS dId, actuator_id AS room, valor_micros AS valorMicros, from_day AS fromDay,
            coalesce(max(0, CAST(round(zero_ms + begun_ms) AS INTEGER)), set_ms) AS setMs
       FROM price JOIN device USING (device_id) LEFT JOIN boot USING (boot)
      WHERE user_id = @userId AND iif(@room IS NULL, from_day > @today, d_id = @dId AND actuator_id = @room)
      ORDER BY price_id DESC LIMIT ${MAX_LISTED}`,
  );
  return {
    prices(userId, of, nowMs) {
      const today = calendar.dayOf(nowMs);
      return prices
        .all({ userId, dId: of?.dId ?? null, room: of?.room ?? null, today })
        .map((price) => ({ ...price, isComing: price.fromDay !== null && price.fromDay > today }));
    },
  } satisfies Partial<LedgerReader>;
}

/**
 * The latest time of a trusted clock, null before any: a day up to
 * it has come, even if the clock is wrong until it is set again.
 */
function trustedReader(db: Database): () => number | null {
  const last = db
    .prepare<[], number | null>("SELECT max(zero_ms + last_ms) FROM boot WHERE zero_ms IS NOT NULL")
    .pluck();
  return () => last.get() ?? null;
}

/**
 * Gives the time that decides the price of a sale at this moment, in Unix milliseconds. While the clock of
 * the newest boot is not trusted, it is the latest time of a trusted clock; null before any.
 */
export function saleClock(db: Database): (nowMs: number) => number | null {
  const newest = db.prepare<[], number | null>("SELECT zero_ms FROM boot ORDER BY boot DESC LIMIT 1").pluck();
  const lastTrustedMs = trustedReader(db);
  return (nowMs) => (newest.get() === null ? lastTrustedMs() : nowMs);
}

/** Gives the price of a sale: the room's own, or one that was planned for its day. */
export function salePrice(db: Database, { calendar }: Pick<WriteContext, "calendar">) {
  const planned = db
    .prepare<PriceMoment & Room, number | null>(
      `SELECT ${PLANNED} FROM (SELECT @deviceId AS device_id, @actuatorId AS actuator_id) w`,
    )
    .pluck();
  const lastTrustedMs = trustedReader(db);
  return ({ deviceId, actuatorId, valorMicros }: LineRoom, timeMs: number, isTrusted: boolean): number => {
    const atMs = isTrusted ? timeMs : lastTrustedMs();
    return planned.get({ deviceId, actuatorId, ...priceMoment(calendar, atMs) }) ?? valorMicros;
  };
}

type Room = Pick<LineRoom, "deviceId" | "actuatorId">;

/**
 * Gives the price of a sale of a room at this moment, also of
 * one that was unwired; null for one that never had a price.
 */
export function roomPrice(db: Database, context: Pick<WriteContext, "nowMs" | "calendar">) {
  const price = db
    .prepare<PriceMoment & Room, number | null>(
      `SELECT coalesce(${PLANNED}, (SELECT valor_micros FROM price p
          WHERE p.device_id = w.device_id AND p.actuator_id = w.actuator_id AND from_day IS NULL
          ORDER BY price_id DESC LIMIT 1))
         FROM (SELECT @deviceId AS device_id, @actuatorId AS actuator_id) w`,
    )
    .pluck();
  const saleMs = saleClock(db);
  return (room: Room): number | null =>
    price.get({ ...room, ...priceMoment(context.calendar, saleMs(context.nowMs())) }) ?? null;
}

/** Keeps the price of a room that holds from this moment on. */
export function priceKeeper(db: Database, context: Pick<WriteContext, "boots" | "nowMs" | "calendar">) {
  const supersede = db.prepare<[number, Id, string, Day]>(
    `UPDATE price SET superseded_ms = ? WHERE device_id = ? AND actuator_id = ? AND superseded_ms IS NULL AND from_day <= ?`,
  );
  const insert = db.prepare<[Id, string, number, Day | null, number, number | null, number | null]>(
    `INSERT INTO price (device_id, actuator_id, valor_micros, from_day, set_ms, boot, begun_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const trim = db.prepare<[Id, string]>(
    `DELETE FROM price WHERE price_id = (SELECT price_id FROM price WHERE device_id = ? AND actuator_id = ?
                                          ORDER BY iif(superseded_ms IS NULL, from_day, NULL) DESC, price_id DESC LIMIT 1 OFFSET ${MAX_KEPT})`,
  );
  const saleMs = saleClock(db);
  return ({ deviceId, actuatorId }: Room, micros: number, from: Day | null) => {
    const nowMs = context.nowMs();
    const { boot, begunMs } = context.boots.nowStored() ?? { boot: null, begunMs: null };
    const heldMs = from === null ? saleMs(nowMs) : null;
    if (heldMs !== null) supersede.run(heldMs, deviceId, actuatorId, context.calendar.dayOf(heldMs));
    insert.run(deviceId, actuatorId, micros, from, nowMs, boot, begunMs);
    trim.run(deviceId, actuatorId);
  };
}

export function priceCommands(db: Database, context: WriteContext) {
  const keep = priceKeeper(db, context);
  const roomOf = db.prepare<[Id, string], Room & { dId: string }>(
    `SELECT w.device_id AS deviceId, d_id AS dId, actuator_id AS actuatorId FROM wiring w JOIN device d USING (device_id)
      WHERE w.user_id = ? AND line = ?`,
  );
  const count = db
    .prepare<[Id, string, Day], number>(
      "SELECT count(*) FROM price WHERE device_id = ? AND actuator_id = ? AND from_day > ?",
    )
    .pluck();
  const replace = db.prepare<[Id, string, Day]>(
    "DELETE FROM price WHERE device_id = ? AND actuator_id = ? AND from_day = ?",
  );
  const cancel = db.prepare<[Day, number, Id]>(
    `DELETE FROM price WHERE from_day = ? AND valor_micros = ?
        AND device_id IN (SELECT device_id FROM device WHERE user_id = ?)`,
  );
  const today = () => context.calendar.dayOf(context.nowMs());

  return {
    planPrices(userId, lines, valorMicros, from, by = SERVICE_ACTOR) {
      if (from <= today()) {
        const message = "must be a day to come";
        throw new FlancoError("invalid", `from: ${message}.`, {
          fields: { from: { kind: "range", message } },
        });
      }
      const plan = { valor: valorFromMicros(valorMicros), from: formatDay(from) };
      for (const line of lines) {
        const room = roomOf.get(userId, line);
        if (room === undefined) throw notWired(line);
        context.audit.requireFew(userId, by);
        replace.run(room.deviceId, room.actuatorId, from);
        if ((count.get(room.deviceId, room.actuatorId, today()) ?? 0) >= MAX_PLANNED) {
          throw tooManyError(MAX_PLANNED, "planned prices of one room");
        }
        keep(room, valorMicros, from);
        const details = { line, dId: room.dId, room: room.actuatorId, ...plan };
        context.audit.note("price_planned", userId, details, by);
      }
      context.tell({ kind: "locations", userId });
    },
    cancelPrices(userId, from, valorMicros, by = SERVICE_ACTOR) {
      const rooms = from > today() ? cancel.run(from, valorMicros, userId).changes : 0;
      if (rooms === 0) throw new FlancoError("not_found", "No such price is planned for a day to come.");
      const details = { rooms, valor: valorFromMicros(valorMicros), from: formatDay(from) };
      context.audit.note("price_cancelled", userId, details, by);
      context.tell({ kind: "locations", userId });
    },
  } satisfies Partial<LedgerCommands>;
}
