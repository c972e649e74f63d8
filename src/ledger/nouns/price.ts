import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../../domain/amount.ts";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import { type Day, formatDay } from "../../domain/day.ts";
import { FlancoError, invalidField, tooManyError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import { MAX_PLANNED, type NewTariff, notWired, type RoomPrice, type Tariff } from "../../domain/wiring.ts";
import type { WriteContext } from "../engine/commands.ts";
import type { LocalCalendar } from "./calendar.ts";

/**
 * The most prices that are kept of one room. Planned prices are
 * kept before all others, so that none is lost before its day.
 */
const MAX_KEPT = 100;
/** The most prices in one answer. */
const MAX_LISTED = 5_000;

/** When a price was set: by the boot's zero, once that is known. */
const SET_MS = "coalesce(max(0, CAST(round(zero_ms + begun_ms) AS INTEGER)), set_ms)";

export function priceReader(db: Database, calendar: LocalCalendar) {
  const listed = (which: string) => `
    SELECT d_id AS dId, actuator_id AS room, valor_micros AS valorMicros, paid_minutes AS paidMinutes, from_day AS fromDay,
           ${SET_MS} AS setMs
      FROM price JOIN device USING (device_id) LEFT JOIN boot USING (boot)
     WHERE user_id = ? AND ${which} ORDER BY price_id DESC LIMIT ${MAX_LISTED}`;
  type ListedPrice = Omit<RoomPrice, "isComing">;
  const ofRoom = db.prepare<[Id, string, string], ListedPrice>(listed("d_id = ? AND actuator_id = ?"));
  const coming = db.prepare<[Id, Day], ListedPrice>(listed("from_day > ?"));
  const deviceOf = db
    .prepare<[Id, string], Id>("SELECT device_id FROM device WHERE user_id = ? AND d_id = ?")
    .pluck();
  const then = tariffThen(db, calendar);
  return {
    priceAt(userId, { dId, room }, timeMs) {
      const deviceId = deviceOf.get(userId, dId);
      return deviceId === undefined ? null : then({ deviceId, actuatorId: room }, timeMs).valorMicros;
    },
    prices(userId, of, nowMs) {
      const today = calendar.dayOf(nowMs);
      const found = of === null ? coming.all(userId, today) : ofRoom.all(userId, of.dId, of.room);
      return found.map((price) => ({ ...price, isComing: price.fromDay !== null && price.fromDay > today }));
    },
  } satisfies Partial<LedgerReader>;
}

/** Gives the tariff that a room had at a time, by the prices that are kept; its first one before that, and nulls without any. */
export function tariffThen(db: Database, calendar: LocalCalendar) {
  const then = (column: string) => `coalesce(
    (SELECT ${column} FROM own WHERE from_day <= @day AND coalesce(superseded_ms > @timeMs, 1) AND ${column} IS NOT NULL
      ORDER BY from_day DESC LIMIT 1),
    (SELECT ${column} FROM own LEFT JOIN boot USING (boot) WHERE from_day IS NULL AND ${SET_MS} <= @timeMs
      ORDER BY price_id DESC LIMIT 1),
    (SELECT ${column} FROM own WHERE from_day IS NULL ORDER BY price_id LIMIT 1))`;
  const tariff = db.prepare<
    Room & PriceDay & { readonly timeMs: number },
    { [F in keyof Tariff]: number | null }
  >(
    `WITH own AS (SELECT * FROM price WHERE device_id = @deviceId AND actuator_id = @actuatorId)
     SELECT ${then("valor_micros")} AS valorMicros, ${then("paid_minutes")} AS paidMinutes`,
  );
  return (room: Room, timeMs: number) =>
    tariff.get({ ...room, day: calendar.dayOf(timeMs), timeMs }) ?? { valorMicros: null, paidMinutes: null };
}

/** A room by its keys. */
export interface Room {
  readonly deviceId: Id;
  readonly actuatorId: string;
}

/** A column of the tariff of a sale, as `TARIFF` says. */
const onDay = (column: string) => `coalesce((SELECT ${column} FROM price p
   WHERE p.device_id = w.device_id AND p.actuator_id = w.actuator_id AND from_day <= @day AND superseded_ms IS NULL
     AND ${column} IS NOT NULL
   ORDER BY from_day DESC LIMIT 1), w.${column})`;
/**
 * The tariff of a sale in SQL: of the room's planned prices the one of the latest day that has come. Without one it
 * is the room's own, the last that was set without a day, in the row `w`. It takes a `PriceDay`.
 */
export const TARIFF = `${onDay("valor_micros")} AS valorMicros, ${onDay("paid_minutes")} AS paidMinutes`;

/** The local day that decides which planned prices have come; null: none has. */
export interface PriceDay {
  readonly day: Day | null;
}

/**
 * The prices of rooms on a day. While a clock is not trusted, the days up
 * to its latest trusted time have come, and no others; without one, none.
 */
export function roomPrices(db: Database, calendar: LocalCalendar) {
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

  return {
    saleMs,
    /** The day of a sale at this moment. */
    dayOfSale: (nowMs: number) => dayAt(saleMs(nowMs)),
    /** The day of a sale at a time, which a trusted clock gave or not. */
    dayOf: (timeMs: number, isTrusted: boolean) => dayAt(isTrusted ? timeMs : lastTrustedMs()),
  };
}

/** Gives the tariff of a sale of a room now, also of an unwired one; undefined where it never had a price. */
export function unwiredTariff(db: Database, { nowMs, calendar }: Pick<WriteContext, "nowMs" | "calendar">) {
  const tariff = db.prepare<[Room & PriceDay], Tariff>(
    `SELECT ${TARIFF} FROM (SELECT * FROM price WHERE device_id = @deviceId AND actuator_id = @actuatorId AND from_day IS NULL
                             ORDER BY price_id DESC LIMIT 1) w`,
  );
  const { dayOfSale } = roomPrices(db, calendar);
  return (room: Room): Tariff | undefined => tariff.get({ ...room, ...dayOfSale(nowMs()) });
}

/** Keeps the tariff of a room that holds from this moment on. */
export function priceKeeper(db: Database, context: Pick<WriteContext, "boots" | "nowMs" | "calendar">) {
  const supersede = db.prepare<[number, Id, string, Day]>(
    `UPDATE price SET superseded_ms = ? WHERE device_id = ? AND actuator_id = ? AND superseded_ms IS NULL AND from_day <= ?`,
  );
  const insert = db.prepare<
    [Id, string, number, number | null, Day | null, number, number | null, number | null]
  >(
    `INSERT INTO price (device_id, actuator_id, valor_micros, paid_minutes, from_day, set_ms, boot, begun_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const trim = db.prepare<[Id, string]>(
    `DELETE FROM price WHERE price_id = (SELECT price_id FROM price WHERE device_id = ? AND actuator_id = ?
                                          ORDER BY iif(superseded_ms IS NULL, from_day, NULL) DESC, price_id DESC LIMIT 1 OFFSET ${MAX_KEPT})`,
  );
  const { saleMs } = roomPrices(db, context.calendar);
  return ({ deviceId, actuatorId }: Room, { valorMicros, paidMinutes }: NewTariff, from: Day | null) => {
    const nowMs = context.nowMs();
    const now = context.boots.now();
    const heldMs = from === null ? saleMs(nowMs) : null;
    if (heldMs !== null) supersede.run(heldMs, deviceId, actuatorId, context.calendar.dayOf(heldMs));
    const [boot, begunMs] = [now?.boot ?? null, now?.monotonicMs ?? null];
    insert.run(deviceId, actuatorId, valorMicros, paidMinutes, from, nowMs, boot, begunMs);
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
    planPrices(userId, lines, { valorMicros, paidMinutes }: NewTariff, from, by = SERVICE_ACTOR) {
      if (from <= today()) {
        throw invalidField("from", "range", "must be a day to come");
      }
      const paid = paidMinutes === null ? {} : { paidMinutes };
      const plan = { valor: valorFromMicros(valorMicros), from: formatDay(from), ...paid };
      for (const line of lines) {
        const room = roomOf.get(userId, line);
        if (room === undefined) throw notWired(line);
        context.audit.requireFew(userId, by);
        replace.run(room.deviceId, room.actuatorId, from);
        if ((count.get(room.deviceId, room.actuatorId, today()) ?? 0) >= MAX_PLANNED) {
          throw tooManyError(MAX_PLANNED, "planned prices of one room");
        }
        keep(room, { valorMicros, paidMinutes }, from);
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
