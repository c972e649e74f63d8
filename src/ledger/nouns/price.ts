import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../../domain/amount.ts";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import { type Day, formatDay } from "../../domain/day.ts";
import { FlancoError, tooManyError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import { MAX_PLANNED, notWired, type RoomPrice } from "../../domain/wiring.ts";
import type { WriteContext } from "../engine/commands.ts";
import type { LocalCalendar } from "./calendar.ts";

/**
 * The most prices that are kept of one room. Planned prices are
 * kept before all others, so that none is lost before its day.
 */
const MAX_KEPT = 100;
/** The most prices in one answer. */
const MAX_LISTED = 5_000;

export function priceReader(db: Database, calendar: LocalCalendar) {
  const listed = (which: string) => `
    SELECT d_id AS dId, actuator_id AS room, valor_micros AS valorMicros, from_day AS fromDay,
           coalesce(max(0, CAST(round(zero_ms + begun_ms) AS INTEGER)), set_ms) AS setMs
      FROM price JOIN device USING (device_id) LEFT JOIN boot USING (boot)
     WHERE user_id = ? AND ${which} ORDER BY price_id DESC LIMIT ${MAX_LISTED}`;
  type ListedPrice = Omit<RoomPrice, "isComing">;
  const ofRoom = db.prepare<[Id, string, string], ListedPrice>(listed("d_id = ? AND actuator_id = ?"));
  const coming = db.prepare<[Id, Day], ListedPrice>(listed("from_day > ?"));
  return {
    prices(userId, of, nowMs) {
      const today = calendar.dayOf(nowMs);
      const found = of === null ? coming.all(userId, today) : ofRoom.all(userId, of.dId, of.room);
      return found.map((price) => ({ ...price, isComing: price.fromDay !== null && price.fromDay > today }));
    },
  } satisfies Partial<LedgerReader>;
}

interface Room {
  readonly deviceId: Id;
  readonly actuatorId: string;
}
/** A room with its own price; null where it never had one. */
type PricedRoom = Room & { readonly valorMicros: number | null };

/**
 * The price of a sale in SQL: of the room's planned prices the one of the latest day that has come. Without one it
 * is the room's own price, the last that was set without a day, in the row `w`. It takes a `PriceDay`.
 */
export const PRICE = `coalesce((SELECT valor_micros FROM price p
   WHERE p.device_id = w.device_id AND p.actuator_id = w.actuator_id AND from_day <= @day AND superseded_ms IS NULL
   ORDER BY from_day DESC LIMIT 1), w.valor_micros)`;

/** The local day that decides which planned prices have come; null: none has. */
export interface PriceDay {
  readonly day: Day | null;
}

/**
 * The prices of rooms on a day. While a clock is not trusted, the days up
 * to its latest trusted time have come, and no others; without one, none.
 */
export function roomPrices(db: Database, calendar: LocalCalendar) {
  const price = db
    .prepare<PricedRoom & PriceDay, number | null>(
      `SELECT ${PRICE} FROM (SELECT @deviceId AS device_id, @actuatorId AS actuator_id, @valorMicros AS valor_micros) w`,
    )
    .pluck();
  const newestZero = db
    .prepare<[], number | null>("SELECT zero_ms FROM boot ORDER BY boot DESC LIMIT 1")
    .pluck();
  const lastTrusted = db
    .prepare<[], number | null>("SELECT max(zero_ms + last_ms) FROM boot WHERE zero_ms IS NOT NULL")
    .pluck();
  /** The latest time of a trusted clock, in Unix milliseconds; null before any. */
  const lastTrustedMs = () => lastTrusted.get() ?? null;
  /** The time that decides the price of a sale at this moment, in Unix milliseconds; null before any trusted clock. */
  const saleMs = (nowMs: number) => (newestZero.get() === null ? lastTrustedMs() : nowMs);
  const dayAt = (atMs: number | null): PriceDay => ({
    day: atMs === null ? null : calendar.dayOf(atMs),
  });
  const dayOfSale = (nowMs: number) => dayAt(saleMs(nowMs));

  const priceOn = ({ deviceId, actuatorId, valorMicros }: PricedRoom, { day }: PriceDay) =>
    price.get({ deviceId, actuatorId, valorMicros, day }) ?? null;

  return {
    saleMs,
    /** The day of a sale at this moment. */
    dayOfSale,
    /** The price of a sale at this moment; null where the room has none. */
    now: (room: PricedRoom, nowMs: number): number | null => priceOn(room, dayOfSale(nowMs)),
    /** The price of a sale at a time, which a trusted clock gave or not. */
    ofSale: (
      room: PricedRoom & { readonly valorMicros: number },
      timeMs: number,
      isTrusted: boolean,
    ): number => priceOn(room, dayAt(isTrusted ? timeMs : lastTrustedMs())) ?? room.valorMicros,
  };
}

/** Gives the price of a sale of a room now, also of an unwired one; null where it never had a price. */
export function unwiredPrice(db: Database, { nowMs, calendar }: Pick<WriteContext, "nowMs" | "calendar">) {
  const lastSet = db
    .prepare<Room, number>(
      `SELECT valor_micros FROM price WHERE device_id = @deviceId AND actuator_id = @actuatorId AND from_day IS NULL
        ORDER BY price_id DESC LIMIT 1`,
    )
    .pluck();
  const prices = roomPrices(db, calendar);
  return (room: Room): number | null =>
    prices.now({ ...room, valorMicros: lastSet.get(room) ?? null }, nowMs());
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
  const { saleMs } = roomPrices(db, context.calendar);
  return ({ deviceId, actuatorId }: Room, micros: number, from: Day | null) => {
    const nowMs = context.nowMs();
    const now = context.boots.now();
    const heldMs = from === null ? saleMs(nowMs) : null;
    if (heldMs !== null) supersede.run(nowMs, deviceId, actuatorId, context.calendar.dayOf(heldMs));
    insert.run(deviceId, actuatorId, micros, from, nowMs, now?.boot ?? null, now?.monotonicMs ?? null);
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
