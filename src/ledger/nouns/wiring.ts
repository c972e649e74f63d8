import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../../domain/amount.ts";
import { type Actor, type AuditDetails, SERVICE_ACTOR } from "../../domain/audit.ts";
import type { BootMoment } from "../../domain/boot.ts";
import { duplicateError, FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import {
  type NewTariff,
  type NewWiring,
  notWired,
  type OwnedWiring,
  type Tariff,
  usualPrice,
  type Wiring,
} from "../../domain/wiring.ts";
import type { WriteContext } from "../engine/commands.ts";
import type { LocalCalendar } from "./calendar.ts";
import { gapWriter } from "./gap.ts";
import { lineStates } from "./line.ts";
import { type PriceDay, priceKeeper, roomPrices, TARIFF, unwiredTariff } from "./price.ts";

const UNWIRE = "Unwire that first, or choose another one.";

type WiringRow = Omit<Wiring, "activeLow"> & { readonly activeLow: number };

const SELECT = `
  SELECT line, w.user_id AS userId, w.device_id AS deviceId, d.d_id AS dId, d.name AS deviceName,
         actuator_id AS actuatorId, ${TARIFF}, active_low AS activeLow, bias,
         debounce_ms AS debounceMs, rearm_ms AS rearmMs
    FROM wiring w JOIN device d USING (device_id)`;

export function wiringReader(db: Database, calendar: LocalCalendar) {
  const all = db.prepare<[PriceDay], WiringRow>(`${SELECT} ORDER BY line`);
  const ofAccount = db.prepare<[PriceDay & { userId: Id }], WiringRow>(
    `${SELECT} WHERE w.user_id = @userId ORDER BY line`,
  );
  const prices = roomPrices(db, calendar);
  return {
    wirings(userId?, nowMs?) {
      const on = nowMs === undefined ? { day: null } : prices.dayOfSale(nowMs);
      return (userId === undefined ? all.all(on) : ofAccount.all({ ...on, userId })).map(toWiring);
    },
  } satisfies Partial<LedgerReader>;
}

export function wiringCommands(db: Database, context: WriteContext) {
  const { wirings: read } = wiringReader(db, context.calendar);
  const onLine = db.prepare<[PriceDay & { line: string }], WiringRow>(`${SELECT} WHERE line = @line`);
  const lineOf = db
    .prepare<[Id, string], string>("SELECT line FROM wiring WHERE device_id = ? AND actuator_id = ?")
    .pluck();
  const keepPrice = priceKeeper(db, context);
  const tariffOf = unwiredTariff(db, context);
  const prices = roomPrices(db, context.calendar);
  const device = db
    .prepare<[Id, string], Id>("SELECT device_id FROM device WHERE user_id = ? AND d_id = ?")
    .pluck();
  const actuator = db
    .prepare<[Id, string], number>("SELECT 1 FROM actuator WHERE device_id = ? AND actuator_id = ?")
    .pluck();
  const upsert = db.prepare<
    Omit<PricedWiring, "activeLow"> & { userId: Id; deviceId: Id; activeLow: number }
  >(
    `INSERT INTO wiring (line, user_id, device_id, actuator_id, valor_micros, active_low, bias, debounce_ms, rearm_ms, paid_minutes)
     VALUES (@line, @userId, @deviceId, @actuatorId, @valorMicros, @activeLow, @bias, @debounceMs, @rearmMs, @paidMinutes)
     ON CONFLICT (line) DO UPDATE SET valor_micros = excluded.valor_micros, paid_minutes = excluded.paid_minutes, active_low = excluded.active_low,
       bias = excluded.bias, debounce_ms = excluded.debounce_ms, rearm_ms = excluded.rearm_ms`,
  );
  const wantLine = db.prepare<[Id, string]>(
    "UPDATE actuator SET without_line = 0 WHERE device_id = ? AND actuator_id = ? AND without_line = 1",
  );
  const audit = wiringAudit(db, context);
  const remove = db.prepare<[Id, string]>("DELETE FROM wiring WHERE user_id = ? AND line = ?");

  /** The wirings of an account, with the prices of this moment. */
  const wiringsOf = (userId: Id) => read(userId, context.nowMs());

  /** Gives the device's id. Throws `not_found` for a room that does not exist. */
  function requireRoom(userId: Id, { dId, actuatorId }: NewWiring): Id {
    const deviceId = device.get(userId, dId);
    if (deviceId === undefined) throw unknown("dId", `There is no device with dId "${dId}".`);
    if (actuator.get(deviceId, actuatorId) === undefined) {
      throw unknown("actuatorId", `The device "${dId}" has no actuator "${actuatorId}".`);
    }
    return deviceId;
  }

  /** Gives the line's wiring to this room, if any. Throws `conflict` where either is wired otherwise. */
  function requireUnwired(userId: Id, deviceId: Id, { line, actuatorId }: NewWiring): WiringRow | undefined {
    const there = onLine.get({ line, ...prices.dayOfSale(context.nowMs()) });
    if (there !== undefined && (there.deviceId !== deviceId || there.actuatorId !== actuatorId)) {
      throw duplicateError(
        "line",
        `The line ${line} is already wired to ${roomText(there, userId)}.`,
        UNWIRE,
      );
    }
    const other = lineOf.get(deviceId, actuatorId);
    if (other !== undefined && other !== line) {
      throw duplicateError("actuatorId", `Room ${actuatorId} is already wired to the line ${other}.`, UNWIRE);
    }
    return there;
  }

  /** `before` gives the account's wirings from before the command. */
  function setOne({ userId, wiring: given }: OwnedWiring, by: Actor, before: () => readonly Wiring[]): void {
    const { line, actuatorId } = given;
    const deviceId = requireRoom(userId, given);
    const own = tariffOf({ deviceId, actuatorId });
    const tariff = {
      valorMicros: given.valorMicros ?? own?.valorMicros ?? usualPrice(before(), line),
      paidMinutes: given.paidMinutes ?? own?.paidMinutes ?? 0,
    };
    const wiring = { ...given, ...tariff };
    const there = requireUnwired(userId, deviceId, given);
    upsert.run({ ...wiring, userId, deviceId, activeLow: Number(wiring.activeLow) });
    wantLine.run(deviceId, actuatorId);
    if (there?.valorMicros !== tariff.valorMicros || there.paidMinutes !== tariff.paidMinutes) {
      keepPrice({ deviceId, actuatorId }, tariff, null);
    }
    audit.set(userId, wiring, there && toWiring(there), by);
  }

  function removeOne(userId: Id, line: string, by: Actor): void {
    audit.removed(userId, { line }, by);
    if (remove.run(userId, line).changes === 0) throw notWired(line);
  }

  /** Tells the recorder, and the open pages of these accounts. */
  function tell(userIds: Iterable<Id>): void {
    context.tell({ kind: "wiring" });
    for (const userId of new Set(userIds)) context.tell({ kind: "locations", userId });
  }

  return {
    setWiring(wirings, by = SERVICE_ACTOR) {
      for (const owned of wirings) setOne(owned, by, () => wiringsOf(owned.userId));
      tell(wirings.map(({ userId }) => userId));
    },
    removeWiring(userId, line, by = SERVICE_ACTOR) {
      removeOne(userId, line, by);
      tell([userId]);
    },
    rewire(userId, unwired, wirings, by = SERVICE_ACTOR) {
      const before = wiringsOf(userId);
      for (const line of unwired) removeOne(userId, line, by);
      for (const wiring of wirings) setOne({ userId, wiring }, by, () => before);
      tell([userId]);
    },
    setPrices(userId, lines, { valorMicros, paidMinutes }: NewTariff, by = SERVICE_ACTOR) {
      const before = wiringsOf(userId);
      const wired = new Map(before.map((wiring) => [wiring.line, wiring]));
      for (const line of lines) {
        const wiring = wired.get(line);
        if (wiring === undefined) throw notWired(line);
        const tariff = { valorMicros, paidMinutes: paidMinutes ?? wiring.paidMinutes };
        setOne({ userId, wiring: { ...wiring, ...tariff } }, by, () => before);
      }
      tell([userId]);
    },
  } satisfies Partial<LedgerCommands>;
}

type PricedWiring = NewWiring & Tariff;
/** The settings of a wired line that decide what is sold, and for how much. */
type Settings = Omit<PricedWiring, "line">;

/** Writes what stays of lines that are wired, unwired or get other settings: audit entries, and the gaps that end. */
export function wiringAudit(db: Database, context: WriteContext) {
  const { boots, nowMs } = context;
  const states = lineStates(db);
  const gaps = gapWriter(db, context);
  const wired = db.prepare<
    { userId: Id; dId: string | null; line: string | null },
    { line: string; dId: string; room: string }
  >(
    `SELECT line, d_id AS dId, actuator_id AS room FROM wiring w JOIN device d USING (device_id)
      WHERE w.user_id = @userId AND (@dId IS NULL OR d_id = @dId) AND (@line IS NULL OR line = @line) ORDER BY line`,
  );

  /** A gap of a line ends when the line is unwired: what it does from then on is no sale. */
  function endOutage(line: string, userId: Id, since: BootMoment | undefined): void {
    const state = states.stateOf(line);
    if (since === undefined || state === undefined) return;
    const moment = boots.now() ?? null;
    const provisional = moment?.timeMs === null;
    gaps.outage({ line, userId, timeMs: nowMs(), moment, provisional }, since, state);
  }

  return {
    set(userId: Id, wiring: PricedWiring, before: Settings | undefined, by: Actor): void {
      const [now, then] = [detailsOf(wiring), before && detailsOf(before)];
      if (then !== undefined && JSON.stringify(now) === JSON.stringify(then)) return;
      context.audit.requireFew(userId, by);
      const valorBefore = then !== undefined && then.valor !== now.valor ? { valorBefore: then.valor } : {};
      context.audit.note("wiring_set", userId, { line: wiring.line, ...now, ...valorBefore }, by);
    },
    /** Call before wirings are removed: of one line, of one device, or all of a user. */
    removed(userId: Id, which: { readonly line?: string; readonly dId?: string }, by: Actor): void {
      const outages = states.unwatched();
      for (const row of wired.all({ userId, dId: which.dId ?? null, line: which.line ?? null })) {
        context.audit.note("wiring_removed", userId, { ...row }, by);
        endOutage(row.line, userId, outages.get(row.line));
      }
    },
  };
}

function detailsOf(settings: Settings) {
  const { dId, actuatorId, valorMicros, paidMinutes, activeLow, bias, debounceMs, rearmMs } = settings;
  return {
    dId,
    room: actuatorId,
    valor: valorFromMicros(valorMicros),
    paidMinutes,
    activeLow,
    bias,
    debounceMs,
    rearmMs,
  } satisfies AuditDetails;
}

function toWiring(row: WiringRow): Wiring {
  return { ...row, activeLow: row.activeLow === 1 };
}

/** The room of a wiring, as a text that discloses no other user's rooms. */
function roomText(wiring: WiringRow, userId: Id): string {
  return wiring.userId === userId
    ? `room ${wiring.actuatorId} of ${wiring.deviceName}`
    : "a room of another user";
}

function unknown(field: string, message: string): FlancoError {
  return new FlancoError("not_found", message, {
    hint: "Register it first, on the page or with POST /api/device.",
    fields: { [field]: { kind: "range", message } },
  });
}
