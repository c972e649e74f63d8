import type { Database } from "better-sqlite3";
import type { BootMoment } from "../../domain/boot.ts";
import { NS_PER_MS } from "../../domain/clock.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader, SightingResult } from "../../domain/ledger.ts";
import { type Doubt, judgePaid, NOTHING_PAID, paidMsOf, type RoomPaid } from "../../domain/paid-time.ts";
import { justMade } from "../../domain/record.ts";
import { judge, type LineState, type Meaning, momentOf, type Sighting } from "../../domain/sale.ts";
import type { Tariff } from "../../domain/wiring.ts";
import type { WriteContext } from "../engine/commands.ts";
import { testedEdgeKeeper } from "./commission.ts";
import { gapWriter } from "./gap.ts";
import type { PaidTimes } from "./paid-time.ts";
import { type PriceDay, roomPrices, TARIFF } from "./price.ts";
import { recordInserter } from "./record.ts";

interface StateRow {
  readonly active: number;
  readonly activeLow: number;
  readonly changedMs: number;
  readonly changedBootId: string;
  readonly changedNs: number;
  readonly changedProvisional: number;
  readonly bootId: string;
  readonly request: number;
  readonly sequence: number;
  readonly recordId: number | null;
}

/** The room that a line is wired to, with all that a record of it carries; its tariff is that of the sighting's day. */
interface LineRoom extends Tariff {
  readonly line: string;
  readonly userId: Id;
  readonly deviceId: Id;
  readonly actuatorId: string;
  readonly rearmMs: number;
  readonly deviceName: string;
  readonly locationId: string;
  readonly locationName: string;
}

/** A row of `line_state`. */
interface LevelRow {
  readonly line: string;
  readonly active: number;
  readonly activeLow: number;
  readonly timeMs: number;
  readonly boot: number;
  readonly monotonicNs: number;
  readonly provisional: number;
  readonly request: number;
  readonly sequence: number;
  readonly recordId: number | null;
}

export function lineCommands(db: Database, context: WriteContext, paidTime: PaidTimes) {
  const roomOf = db.prepare<[PriceDay & { line: string }], LineRoom>(
    `SELECT line, w.user_id AS userId, w.device_id AS deviceId, actuator_id AS actuatorId, ${TARIFF}, rearm_ms AS rearmMs,
            d.name AS deviceName, d.location_id AS locationId, d.location_name AS locationName
       FROM wiring w JOIN device d USING (device_id) WHERE line = @line`,
  );
  const states = lineStates(db);
  const gaps = gapWriter(db, context);
  const keepTested = testedEdgeKeeper(db);
  const addBoot = db.prepare<[string]>("INSERT INTO boot (boot_id) VALUES (?) ON CONFLICT DO NOTHING");
  const bootOf = db.prepare<[string], number>("SELECT boot FROM boot WHERE boot_id = ?").pluck();
  const recordedFrom = db
    .prepare<[string, string, number, number], number>(
      `SELECT record_id FROM record INDEXED BY record_by_source
        WHERE boot = (SELECT boot FROM boot WHERE boot_id = ?) AND line = ? AND request = ? AND sequence = ?`,
    )
    .pluck();
  const renamed = db
    .prepare<[Id, string], string>(
      "SELECT actuator_id FROM earlier_name WHERE device_id = ? AND name = ? ORDER BY until_id DESC LIMIT 1",
    )
    .pluck();
  const ownerOf = db.prepare<[Id], Id>("SELECT user_id FROM device WHERE device_id = ?").pluck();
  const add = recordInserter(db, context);
  const prices = roomPrices(db, context.calendar);
  const setEnd = db.prepare<[number | null, number | null, number | null, number]>(
    "UPDATE record SET ended_ms = ?, ended_boot = ?, ended_ns = ? WHERE record_id = ?",
  );
  const setValue = db.prepare<{ value: number; deviceId: Id; actuatorId: string }>(
    "UPDATE actuator SET value = @value WHERE device_id = @deviceId AND actuator_id = @actuatorId AND value <> @value",
  );
  const touchDevice = db.prepare<[Id]>("UPDATE device SET revision = revision + 1 WHERE device_id = ?");
  const saveLevel = db.prepare<LevelRow>(
    `INSERT OR REPLACE INTO line_state (line, active, active_low, changed_ms, changed_boot, changed_ns,
                                        changed_provisional, boot, request, sequence, record_id)
     VALUES (@line, @active, @activeLow, @timeMs, @boot, @monotonicNs, @provisional, @boot, @request, @sequence, @recordId)`,
  );
  const saveSource = db.prepare<[number, number, number, string]>(
    "UPDATE line_state SET boot = ?, request = ?, sequence = ? WHERE line = ?",
  );
  const rememberUnwatched = db.prepare<[number, number, string]>(
    `INSERT INTO unwatched (line, boot, since_ms) SELECT line, ?, ? FROM wiring WHERE line = ?
     ON CONFLICT (line) DO NOTHING`,
  );
  const forgetUnwatched = db.prepare<[string]>("DELETE FROM unwatched WHERE line = ?");
  const saveRequest = db.prepare<[number]>(
    `INSERT INTO setting (name, value) VALUES ('last_request', CAST(? AS TEXT))
     ON CONFLICT (name) DO UPDATE SET value = excluded.value
      WHERE CAST(value AS INTEGER) < CAST(excluded.value AS INTEGER)`,
  );

  function bootNumber(bootId: string): number {
    addBoot.run(bootId);
    return bootOf.get(bootId) ?? 0;
  }

  function addSale(sighting: Sighting, room: LineRoom, boot: number, doubt: Doubt): number {
    const paidMs = paidMsOf(room.paidMinutes);
    const isDoubtful = doubt !== "none";
    const record = {
      locationName: room.locationName,
      deviceName: room.deviceName,
      deviceId: room.deviceId,
      room: room.actuatorId,
      valorMicros: room.valorMicros,
      createdTimeMs: sighting.timeMs,
    };
    const { line, provisional, source, monotonicNs } = sighting;
    const origin = source.sequence === 0 ? "found_at_start" : "edge";
    const given = add({
      userId: room.userId,
      record,
      origin,
      provisional,
      ...source,
      boot,
      line,
      monotonicNs: Number(monotonicNs),
    });
    const paid = paidMs === 0 && !isDoubtful ? null : { untilMs: sighting.timeMs + paidMs, isDoubtful };
    const stored = justMade(record, { ...given, origin, provisional, paid });
    context.tell({ kind: "record", userId: room.userId, record: stored });
    paidTime.begin(room, given.recordId, paidMs, doubt);
    return given.recordId;
  }

  function showValue({ active, timeMs }: Sighting, room: LineRoom): void {
    const { userId, deviceId, locationId, actuatorId } = room;
    if (setValue.run({ value: Number(active), deviceId, actuatorId }).changes === 0) return;
    touchDevice.run(deviceId);
    context.tell({ kind: "actuator", userId, deviceId, locationId, actuatorId, value: active, timeMs });
  }

  function noteMissed(sighting: Sighting, { userId }: LineRoom, before: LineState | undefined): void {
    const { line, timeMs, provisional, missed, unwatchedSince, gapReason } = sighting;
    const end = { line, userId, timeMs, moment: bootMomentOf(sighting), provisional };
    if (unwatchedSince !== undefined) {
      if (before !== undefined) gaps.outage(end, unwatchedSince, before, gapReason);
      forgetUnwatched.run(line);
    }
    if (missed > 0) gaps.overflow(end, missed, before);
  }

  function saveState(sighting: Sighting, meaning: Meaning, boot: number, recordId: number | null): void {
    const { line, active, activeLow, timeMs, monotonicNs, provisional, source } = sighting;
    const { request, sequence } = source;
    if (meaning === "nothing") {
      saveSource.run(boot, request, sequence, line);
      return;
    }
    saveLevel.run({
      line,
      timeMs,
      boot,
      request,
      sequence,
      recordId,
      monotonicNs: Number(monotonicNs),
      active: Number(active),
      activeLow: Number(activeLow),
      provisional: Number(provisional),
    });
  }

  /** Gives a sighting from before the clock was trusted its time, if that is known by now. */
  function placed(sighting: Sighting): Sighting {
    if (!sighting.provisional) return sighting;
    const monotonicMs = Number(sighting.monotonicNs) / NS_PER_MS;
    const timeMs = context.boots.timeOf(sighting.source.bootId, monotonicMs);
    return timeMs === null ? sighting : { ...sighting, timeMs, provisional: false };
  }

  function endRecord(recordId: number, sighting: Sighting, boot: number): void {
    const { timeMs, monotonicNs, provisional } = sighting;
    setEnd.run(timeMs, provisional ? boot : null, provisional ? Number(monotonicNs) : null, recordId);
  }

  /**
   * Whether this sighting has a record. The line's state may not show
   * it: it goes with a damaged end of the file and with its wiring.
   */
  function isRecorded({ line, source: { bootId, request, sequence } }: Sighting): boolean {
    return recordedFrom.get(bootId, line, request, sequence) !== undefined;
  }

  /** Whether the line was watched for this room, by its name or by an earlier one. */
  function isWatchedFor({ deviceId, actuatorId }: LineRoom, watched: Sighting): boolean {
    if (deviceId !== watched.deviceId) return false;
    return actuatorId === watched.actuatorId || actuatorId === renamed.get(deviceId, watched.actuatorId);
  }

  /**
   * Stores a gap for a rise whose room is unknown: its line was watched for another
   * room than the one that it is wired to by now, or was unwired meanwhile.
   */
  function noteUnknown(sighting: Sighting, room: LineRoom | undefined): void {
    const { line, deviceId, timeMs, provisional, active, missed, source } = sighting;
    if (!active || source.sequence === 0 || isRecorded(sighting)) return;
    const userId = room?.userId ?? ownerOf.get(deviceId);
    if (userId === undefined) return;
    gaps.overflow(
      { line, userId, timeMs, moment: bootMomentOf(sighting), provisional },
      missed + 1,
      undefined,
    );
  }

  function takeInOne(seen: Sighting): SightingResult {
    const sighting = placed(seen);
    const { line } = sighting;
    saveRequest.run(sighting.source.request);
    const room = roomOf.get({ line, ...prices.dayOf(sighting.timeMs, !sighting.provisional) });
    if (room !== undefined && isWatchedFor(room, sighting)) return takeInOf(room, sighting);
    noteUnknown(sighting, room);
    return { meaning: "nothing", recordId: null };
  }

  function takeInOf(room: LineRoom, sighting: Sighting): SightingResult {
    const before = states.stateOf(sighting.line);
    const paid = sighting.active ? paidTime.atRise(room, momentOf(sighting)) : NOTHING_PAID;
    const meaning = judge(before, sighting, room.rearmMs, paid);
    const isRise = meaning === "sale" || meaning === "same_sale";
    if (meaning === "repeated" || (isRise && isRecorded(sighting))) {
      return { meaning: "repeated", recordId: null };
    }
    const boot = bootNumber(sighting.source.bootId);
    const isTested = isRise && keepTested(sighting, room, boot);
    const last = before?.recordId ?? null;
    const recordId = isTested ? null : applyToRecord(meaning, last, paid, sighting, room, boot);
    noteMissed(sighting, room, before);
    showValue(sighting, room);
    saveState(sighting, meaning, boot, recordId);
    return { meaning: isTested ? "tested" : meaning, recordId: meaning === "sale" ? recordId : null };
  }

  /** Adds, ends or continues a record of the room, and gives its last record from then on; null for none. */
  function applyToRecord(
    meaning: Exclude<Meaning, "repeated">,
    last: number | null,
    paid: RoomPaid,
    sighting: Sighting,
    room: LineRoom,
    boot: number,
  ): number | null {
    switch (meaning) {
      case "sale":
      case "same_sale": {
        const verdict = judgePaid(paid, momentOf(sighting));
        if (meaning === "sale" && verdict.kind === "sale") {
          return addSale(sighting, room, boot, verdict.doubt);
        }
        const same = verdict.kind === "same_sale" ? paidTime.goOn(room, verdict.as) : last;
        if (same !== null) setEnd.run(null, null, null, same);
        return same;
      }
      case "end":
        if (last !== null) endRecord(last, sighting, boot);
        return last;
      case "nothing":
        return last;
      case "baseline":
        // What was recorded by the other polarity has nothing to do with what is seen from here on.
        return null;
    }
  }

  return {
    noteUnwatched(line, since) {
      if (since === null) forgetUnwatched.run(line);
      else rememberUnwatched.run(bootNumber(since.bootId), since.monotonicMs, line);
    },
    keepUnwatched: (lastAlive) => keepUnwatched(db, lastAlive),
    takeIn: (sightings) => sightings.map(takeInOne),
  } satisfies Partial<LedgerCommands>;
}

function bootMomentOf({ source, monotonicNs }: Sighting): BootMoment {
  return { bootId: source.bootId, monotonicMs: Number(monotonicNs) / NS_PER_MS };
}

/** What the ledger last saw of the wired lines, and since when lines are not watched. */
export function lineStates(db: Database) {
  const state = db.prepare<[string], StateRow>(
    `SELECT active, active_low AS activeLow, changed_ms AS changedMs, c.boot_id AS changedBootId,
            changed_ns AS changedNs, changed_provisional AS changedProvisional, b.boot_id AS bootId, s.request, s.sequence, r.record_id AS recordId
       FROM line_state s JOIN boot b ON b.boot = s.boot JOIN boot c ON c.boot = changed_boot
       LEFT JOIN record r ON r.record_id = s.record_id
      WHERE s.line = ?`,
  );
  const unwatched = db.prepare<[], BootMoment & { line: string }>(
    "SELECT line, boot_id AS bootId, since_ms AS monotonicMs FROM unwatched JOIN boot USING (boot)",
  );
  return {
    /** Undefined for a line of which nothing was seen yet. */
    stateOf(line: string): LineState | undefined {
      const row = state.get(line);
      return row && toState(row);
    },
    /** Since when lines are not watched, by line. */
    unwatched: (): ReadonlyMap<string, BootMoment> =>
      new Map(unwatched.all().map(({ line, ...since }) => [line, since])),
  };
}

/**
 * Stores that no wired line was watched since the ledger's last sign of life,
 * where no earlier time is stored. Call it before any later boot is stored,
 * because the last sign of life is that of the newest boot.
 * `lastAlive` is a later sign of it than the ledger has.
 */
export function keepUnwatched(db: Database, lastAlive?: BootMoment): void {
  if (lastAlive !== undefined) {
    db.prepare<[BootMoment]>(
      "UPDATE boot SET last_ms = max(last_ms, :monotonicMs) WHERE boot_id = :bootId",
    ).run(lastAlive);
  }
  db.exec(
    `INSERT INTO unwatched (line, boot, since_ms)
     SELECT line, boot, last_ms FROM wiring, (SELECT boot, last_ms FROM boot ORDER BY boot DESC LIMIT 1) WHERE true
     ON CONFLICT (line) DO NOTHING`,
  );
}

/** What the ledger last saw, for readers. */
export function lineStateReader(db: Database) {
  const { stateOf, unwatched } = lineStates(db);
  const lastRequest = db
    .prepare<[], number>("SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'last_request'")
    .pluck();
  return {
    lastRequest: () => lastRequest.get() ?? 0,
    lastSighting(line) {
      const state = stateOf(line);
      return state && { ...state.source, high: state.active !== state.activeLow };
    },
    unwatched,
  } satisfies Partial<LedgerReader>;
}

function toState(row: StateRow): LineState {
  return {
    active: row.active === 1,
    activeLow: row.activeLow === 1,
    changed: {
      timeMs: row.changedMs,
      provisional: row.changedProvisional === 1,
      bootId: row.changedBootId,
      monotonicNs: BigInt(row.changedNs),
    },
    source: { bootId: row.bootId, request: row.request, sequence: row.sequence },
    recordId: row.recordId,
  };
}
