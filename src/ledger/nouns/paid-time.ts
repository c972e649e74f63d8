import type { Database } from "better-sqlite3";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import { NS_PER_MS } from "../../domain/clock.ts";
import type { PaidStretch } from "../../domain/device.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import {
  type ClockedMoment,
  type Doubt,
  judgePaid,
  type PaidSale,
  paidMsOf,
  type RoomPaid,
} from "../../domain/paid-time.ts";
import type { NewRecord } from "../../domain/record.ts";
import type { WriteContext } from "../engine/commands.ts";
import { placeFinder } from "./device.ts";
import { type Room, tariffThen } from "./price.ts";
import { UNSETTLED } from "./record.ts";

/** The room of a sale; nulls where none is paid by it any more. */
type RoomOfSale = { readonly [F in keyof Room]: Room[F] | null };

interface PaidRow extends Omit<PaidSale, "moment">, RoomOfSale {
  readonly timeMs: number | null;
  readonly bootId: string | null;
  readonly monotonicNs: number | null;
}

/** Sales `p` with the moments of their records `r` by both clocks; a boot's zero may be known before its records' times are. */
const select = (index: string, which: string) =>
  `SELECT paid_id AS paidId, p.record_id AS recordId, number, paid_ms AS paidMs, doubt, p.device_id AS deviceId,
          p.actuator_id AS actuatorId, boot_id AS bootId, monotonic_ns AS monotonicNs,
          iif(${UNSETTLED}, zero_ms + monotonic_ns / 1e6, effective_ms) AS timeMs
     FROM paid_time p INDEXED BY ${index} JOIN record r ON r.record_id = p.record_id LEFT JOIN boot b ON b.boot = r.boot
    WHERE ${which}`;
const IN_ROOM = "p.device_id = @deviceId AND p.actuator_id = @actuatorId";

/** What joins the newest sale with paid time `p` of a room `a` to it, with its record `pr`. */
export const NEWEST_PAID = `LEFT JOIN paid_time p ON p.paid_id =
    (SELECT max(paid_id) FROM paid_time x WHERE x.device_id = a.device_id AND x.actuator_id = a.actuator_id)
  LEFT JOIN record pr ON pr.record_id = p.record_id`;
export const SELECT_STRETCH = `pr.effective_ms AS fromMs, pr.effective_ms + paid_ms AS untilMs, doubt <> 'none' AS isDoubtful`;
export interface StretchRow {
  readonly fromMs: number | null;
  readonly untilMs: number;
  readonly isDoubtful: number;
}

/** What is paid of a room at a moment; null for nothing. */
export function toStretch(row: StretchRow, nowMs: number): PaidStretch | null {
  if (row.fromMs === null || row.untilMs <= nowMs) return null;
  return { fromMs: row.fromMs, untilMs: row.untilMs, isDoubtful: row.isDoubtful === 1 };
}

/** Voids the sale of a record. */
type VoidSale = (recordId: number, reason: string) => void;

/** What is paid of rooms, in the writer thread. */
export function paidTimes(db: Database, { nowMs, calendar, tell }: WriteContext, voidSale: VoidSale) {
  const newest = db.prepare<[RoomOfSale & { doubt: Doubt; after: number; before: number }], PaidRow>(
    select(
      "paid_time_by_room",
      `${IN_ROOM} AND doubt = @doubt AND paid_id > @after AND paid_id < @before ORDER BY paid_id DESC LIMIT 1`,
    ),
  );
  const open = (which: string) =>
    select("paid_time_open", `doubt = 'open' AND ${which} ORDER BY paid_id LIMIT @limit`);
  const openOfBoot = db.prepare<[{ bootId: string; limit: number }], PaidRow>(open("boot_id = @bootId"));
  const openOfRoom = db.prepare<[Room & { limit: number }], PaidRow>(open(IN_ROOM));
  const doubtfulBetween = db
    .prepare<[RoomOfSale & { after: number; before: number }], number>(
      `SELECT record_id FROM paid_time p WHERE ${IN_ROOM} AND paid_id > @after AND paid_id < @before AND doubt <> 'none'`,
    )
    .pluck();
  const insert = db.prepare<[Room & { recordId: number; paidMs: number; doubt: Doubt }]>(
    `INSERT INTO paid_time (record_id, device_id, actuator_id, paid_ms, doubt)
     VALUES (@recordId, @deviceId, @actuatorId, @paidMs, @doubt)`,
  );
  const setDoubt = db.prepare<[Doubt, number]>("UPDATE paid_time SET doubt = ? WHERE paid_id = ?");
  const ROOM = "device_id AS deviceId, actuator_id AS actuatorId";
  const remove = db.prepare<[number], RoomOfSale>(
    `DELETE FROM paid_time WHERE record_id = ? RETURNING ${ROOM}`,
  );
  const roomOf = db.prepare<[number], RoomOfSale>(`SELECT ${ROOM} FROM paid_time WHERE record_id = ?`);
  const leaveRoom = db.prepare<[Room]>(
    `UPDATE paid_time AS p SET device_id = NULL, actuator_id = NULL WHERE ${IN_ROOM}`,
  );
  const isWired = db.prepare<[Id, string, Id], 1>(
    "SELECT 1 FROM wiring WHERE device_id = ? AND actuator_id = ? AND user_id = ?",
  );
  const tariffOf = tariffThen(db, calendar);
  const shown = db.prepare<[RoomOfSale], StretchRow & Room & { userId: Id; locationId: string }>(
    `SELECT d.user_id AS userId, d.location_id AS locationId, a.device_id AS deviceId, a.actuator_id AS actuatorId,
            ${SELECT_STRETCH} FROM actuator a JOIN device d USING (device_id) ${NEWEST_PAID}
      WHERE a.device_id = @deviceId AND a.actuator_id = @actuatorId`,
  );

  /** What the sales before one say of their room. */
  function paidOf(room: RoomOfSale, before = Number.MAX_SAFE_INTEGER): RoomPaid {
    const find = (doubt: Doubt, after = 0) =>
      newest.all({ ...room, doubt, after, before }).map(toSale)[0] ?? null;
    const none = find("none");
    return { none, open: find("open", none?.paidId), lasting: find("lasting", none?.paidId) };
  }

  function reasonOf({ number }: PaidSale): string {
    return `dentro del tiempo pagado con la venta ${number} / within the time paid with sale ${number}`;
  }

  /**
   * A rise in the paid time of a sale: what is in doubt between the two, up to `before`,
   * lies in that time too, whatever its own clock said. Gives the record that goes on.
   */
  function goOn(room: RoomOfSale, as: PaidSale, before = Number.MAX_SAFE_INTEGER): number {
    const between = as.doubt === "none" ? doubtfulBetween.all({ ...room, after: as.paidId, before }) : [];
    for (const recordId of between) voidSale(recordId, reasonOf(as));
    return as.recordId;
  }

  /** Decides sales in doubt, in their order: of their times nothing more will be learned. Gives how many. */
  function settleAll(rows: readonly PaidRow[]): number {
    for (const row of rows) {
      const verdict = judgePaid(paidOf(row, row.paidId), toSale(row).moment, true);
      if (verdict.kind === "sale") {
        setDoubt.run(verdict.doubt, row.paidId);
        continue;
      }
      goOn(row, verdict.as, row.paidId);
      voidSale(row.recordId, reasonOf(verdict.as));
    }
    return rows.length;
  }

  function tellRoom(room: RoomOfSale | undefined): void {
    const row = room && shown.get(room);
    if (row === undefined) return;
    const { userId, deviceId, locationId, actuatorId } = row;
    tell({ kind: "paid", userId, deviceId, locationId, actuatorId, paid: toStretch(row, nowMs()) });
  }

  function begin(room: Room, recordId: number, paidMs: number, doubt: Doubt): void {
    if (paidMs === 0 && doubt === "none") return;
    insert.run({ ...room, recordId, paidMs, doubt });
    tellRoom(room);
  }

  return {
    begin,
    goOn,
    /** What is paid of a room when it rises: sales in doubt of which all is known by then are decided first. */
    atRise(room: Room, { timeMs, monotonic }: ClockedMoment): RoomPaid {
      const paid = paidOf(room);
      const openBoot = paid.open?.moment.monotonic?.bootId;
      if (paid.open === null || (timeMs === null && openBoot === monotonic?.bootId)) return paid;
      settleAll(openOfRoom.all({ ...room, limit: -1 }));
      return paidOf(room);
    },
    /** Decides at most `limit` sales in doubt of a boot of whose time nothing more will be learned; gives how many. */
    settle: (bootId: string, limit: number): number => settleAll(openOfBoot.all({ bootId, limit })),
    /** The room of a void sale is free at once. */
    free: (recordId: number): void => tellRoom(remove.get(recordId)),
    /** Tells that the moment of a sale was moved. */
    tellMoved: (recordId: number): void => tellRoom(roomOf.get(recordId)),
    /**
     * A sale that no line made pays for its room too, if that is wired and no later sale has paid
     * for it. What has run out already is not kept. A record below zero gives money back and pays nothing.
     */
    beginPosted(
      userId: Id,
      recordId: number,
      { deviceId, room, valorMicros, createdTimeMs }: NewRecord,
    ): void {
      if (valorMicros < 0 || isWired.get(deviceId, room, userId) === undefined) return;
      const at = { deviceId, actuatorId: room };
      const paidMs = paidMsOf(tariffOf(at, createdTimeMs).paidMinutes ?? 0);
      if (createdTimeMs + paidMs <= nowMs()) return;
      const earlier = Object.values(paidOf(at));
      if (earlier.every((sale) => (sale?.moment.timeMs ?? 0) <= createdTimeMs))
        begin(at, recordId, paidMs, "none");
    },
    /** Moves what is paid with a sale. Nothing else holds for the room of before. */
    move(from: Room, to: Room, { recordId, paidMs }: PaidSale): void {
      leaveRoom.run(from);
      remove.get(recordId);
      tellRoom(from);
      begin(to, recordId, paidMs, "none");
    },
  };
}

export type PaidTimes = ReturnType<typeof paidTimes>;

export function paidTimeCommands(db: Database, context: WriteContext, paid: PaidTimes) {
  const placeOf = placeFinder(db);

  /** The sale that a room is paid with at this moment; null where it is free, or that is in doubt. */
  function paidWith(room: Room): PaidSale | null {
    const moment = thisMoment(context);
    const verdict = judgePaid(paid.atRise(room, moment), moment);
    if (verdict.kind === "sale") return null;
    paid.goOn(room, verdict.as);
    return verdict.as;
  }

  return {
    movePaidTime(userId, from, to, by = SERVICE_ACTOR) {
      const [source, target] = [placeOf(userId, from), placeOf(userId, to)];
      const sale = paidWith(source);
      if (sale === null) {
        throw new FlancoError("conflict", `Nothing is paid of room ${from.room}, or it is not known yet.`, {
          hint: "Move the paid time of a room that is paid. After a power cut wait until the clock is set.",
        });
      }
      if (paidWith(target) !== null) {
        throw new FlancoError("conflict", `Room ${to.room} is paid itself.`, {
          hint: "Choose a room that is free.",
        });
      }
      context.audit.requireFew(userId, by);
      paid.move(source, target, sale);
      const details = { number: sale.number, dId: from.dId, room: from.room, toDId: to.dId, toRoom: to.room };
      context.audit.note("paid_time_moved", userId, details, by);
    },
  } satisfies Partial<LedgerCommands>;
}

/** This moment by both clocks. */
function thisMoment({ boots, nowMs }: Pick<WriteContext, "boots" | "nowMs">): ClockedMoment {
  const now = boots.now();
  if (now === undefined) return { timeMs: nowMs(), monotonic: null };
  const { bootId, monotonicMs, timeMs } = now;
  return { timeMs, monotonic: { bootId, ns: BigInt(Math.round(monotonicMs * NS_PER_MS)) } };
}

function toSale({ timeMs, bootId, monotonicNs, ...row }: PaidRow): PaidSale {
  const isOfBoot = bootId !== null && monotonicNs !== null;
  return { ...row, moment: { timeMs, monotonic: isOfBoot ? { bootId, ns: BigInt(monotonicNs) } : null } };
}
