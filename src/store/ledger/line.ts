import type { Database } from "better-sqlite3";
import type { BootMoment } from "../../domain/boot.ts";
import { NANOSECONDS_PER_MILLISECOND } from "../../domain/clock.ts";
import type { Gap } from "../../domain/gap.ts";
import type { Id } from "../../domain/id.ts";
import type { Taken } from "../../domain/ledger.ts";
import { judge, type LineState, type Meaning, missedRises, type Sighting } from "../../domain/sale.ts";
import type { WriteContext } from "./commands.ts";
import type { LineRoom, LineRooms } from "./line-room.ts";
import { recordInserter } from "./record.ts";

const NS_PER_MS = Number(NANOSECONDS_PER_MILLISECOND);

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

interface GapRow extends Omit<Gap, "gapId"> {
  readonly userId: Id;
  readonly notedMs: number;
  /** With the moments in nanoseconds of this boot, while its clock is not trusted. */
  readonly boot: number | null;
  readonly fromNs: number | null;
  readonly toNs: number | null;
}

export function lineCommands(db: Database, context: WriteContext, rooms: LineRooms) {
  const state = db.prepare<[string], StateRow>(
    `SELECT active, active_low AS activeLow, changed_ms AS changedMs, c.boot_id AS changedBootId,
            changed_ns AS changedNs, changed_provisional AS changedProvisional, b.boot_id AS bootId, s.request, s.sequence, r.record_id AS recordId
       FROM line_state s JOIN boot b ON b.boot = s.boot JOIN boot c ON c.boot = changed_boot
       LEFT JOIN record r ON r.record_id = s.record_id
      WHERE s.line = ?`,
  );
  const addBoot = db.prepare<[string]>("INSERT INTO boot (boot_id) VALUES (?) ON CONFLICT DO NOTHING");
  const bootOf = db.prepare<[string], number>("SELECT boot FROM boot WHERE boot_id = ?").pluck();
  const recordedFrom = db
    .prepare<[string, string, number, number], number>(
      `SELECT record_id FROM record INDEXED BY record_by_source
        WHERE boot = (SELECT boot FROM boot WHERE boot_id = ?) AND line = ? AND request = ? AND sequence = ?`,
    )
    .pluck();
  const add = recordInserter(db, context);
  const endRecord = db.prepare<[number | null, number | null, number | null, number]>(
    "UPDATE record SET ended_ms = ?, ended_boot = ?, ended_ns = ? WHERE record_id = ?",
  );
  const setValue = db.prepare<{ value: number; deviceId: Id; actuatorId: string }>(
    "UPDATE actuator SET value = @value WHERE device_id = @deviceId AND actuator_id = @actuatorId AND value <> @value",
  );
  const touchDevice = db.prepare<[Id]>("UPDATE device SET revision = revision + 1 WHERE device_id = ?");
  const saveLevel = db.prepare<
    [string, number, number, number, number, number, number, number, number, number, number | null]
  >(
    `INSERT INTO line_state (line, active, active_low, changed_ms, changed_boot, changed_ns, changed_provisional,
                             boot, request, sequence, record_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (line) DO UPDATE SET active = excluded.active,
       active_low = excluded.active_low, changed_ms = excluded.changed_ms,
       changed_boot = excluded.changed_boot, changed_ns = excluded.changed_ns,
       changed_provisional = excluded.changed_provisional, boot = excluded.boot,
       request = excluded.request, sequence = excluded.sequence, record_id = excluded.record_id`,
  );
  const saveSource = db.prepare<[number, number, number, string]>(
    "UPDATE line_state SET boot = ?, request = ?, sequence = ? WHERE line = ?",
  );
  const insertGap = db.prepare<GapRow>(
    `INSERT INTO gap (user_id, line, from_ms, to_ms, missed, missed_rises, reason, noted_ms, boot, from_ns, to_ns)
     VALUES (@userId, @line, @fromTimeMs, @toTimeMs, @missed, @missedRises, @reason, @notedMs, @boot, @fromNs, @toNs)`,
  );
  const nextRequest = db
    .prepare<[], number>(
      `INSERT INTO setting (name, value) VALUES ('last_request', '1')
       ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1 RETURNING CAST(value AS INTEGER)`,
    )
    .pluck();

  function bootNumber(bootId: string): number {
    addBoot.run(bootId);
    return bootOf.get(bootId) ?? 0;
  }

  function addSale(sighting: Sighting, place: LineRoom, boot: number): number {
    const record = {
      locationName: place.locationName,
      deviceName: place.deviceName,
      deviceId: place.deviceId,
      room: place.actuatorId,
      valorMicros: place.valorMicros,
      createdTimeMs: sighting.timeMs,
    };
    const { bootId, request, sequence } = sighting.source;
    const { provisional } = sighting;
    const origin = sequence === 0 ? "found_at_start" : "edge";
    const recordId = add({
      ...{ userId: place.userId, record, origin, provisional },
      source: {
        boot,
        bootId,
        line: sighting.line,
        request,
        sequence,
        monotonicNs: Number(sighting.monotonicNs),
      },
    });
    const stored = { recordId, ...record, endedTimeMs: null, origin, provisional, voided: null } as const;
    context.tell({ kind: "record", userId: place.userId, record: stored });
    return recordId;
  }

  function showValue(sighting: Sighting, place: LineRoom): void {
    const { deviceId, actuatorId } = place;
    if (setValue.run({ value: sighting.active ? 1 : 0, deviceId, actuatorId }).changes === 0) return;
    touchDevice.run(place.deviceId);
    context.tell({
      kind: "actuator",
      userId: place.userId,
      deviceId: place.deviceId,
      actuatorId: place.actuatorId,
      value: sighting.active,
      timeMs: sighting.timeMs,
    });
  }

  /** `fromNs`: where it began by monotonic time, when that was in the sighting's own boot. */
  function addGap(
    sighting: Sighting,
    place: LineRoom,
    boot: number,
    found: Omit<Gap, "gapId" | "line" | "toTimeMs"> & { readonly fromNs: number | null },
  ): void {
    const { fromNs, ...held } = found;
    const { provisional } = sighting;
    const gap = { line: sighting.line, toTimeMs: sighting.timeMs, ...held };
    const { lastInsertRowid } = insertGap.run({
      ...gap,
      userId: place.userId,
      notedMs: context.nowMs(),
      boot: provisional ? boot : null,
      fromNs: provisional ? fromNs : null,
      toNs: provisional ? Number(sighting.monotonicNs) : null,
    });
    context.tell({ kind: "gap", userId: place.userId, gap: { gapId: Number(lastInsertRowid), ...gap } });
  }

  function noteOverflow(
    sighting: Sighting,
    place: LineRoom,
    before: LineState | undefined,
    boot: number,
  ): void {
    if (sighting.missed === 0) return;
    const from = before?.changed;
    addGap(sighting, place, boot, {
      fromTimeMs: from?.timeMs ?? sighting.timeMs,
      fromNs: from?.bootId === sighting.source.bootId ? Number(from.monotonicNs) : null,
      missed: sighting.missed,
      missedRises: missedRises(before?.active ?? false, sighting.missed),
      reason: "overflow",
    });
  }

  /** Before the first sighting of a line nothing could be missed. */
  function noteOutage(
    sighting: Sighting,
    place: LineRoom,
    before: LineState | undefined,
    boot: number,
  ): void {
    const since = sighting.unwatchedSince;
    if (since === undefined || before === undefined) return;
    const sameBoot = since.bootId === sighting.source.bootId;
    addGap(sighting, place, boot, {
      fromTimeMs: sameBoot ? timeBefore(sighting, since.monotonicMs) : timeInBootBefore(since, before),
      fromNs: sameBoot ? Math.round(since.monotonicMs * NS_PER_MS) : null,
      missed: null,
      missedRises: null,
      reason: "outage",
    });
  }

  /** Where the clock of that boot was never trusted, as it had it when the line last changed. */
  function timeInBootBefore(since: BootMoment, { changed }: LineState): number {
    const known = context.boots.timeOf(since.bootId, since.monotonicMs);
    if (known !== null) return known;
    if (changed.bootId !== since.bootId) return changed.timeMs;
    return Math.round(changed.timeMs + since.monotonicMs - Number(changed.monotonicNs) / NS_PER_MS);
  }

  function saveState(sighting: Sighting, meaning: Meaning, boot: number, recordId: number | null): void {
    const { line, active, timeMs, monotonicNs, source } = sighting;
    if (meaning === "nothing") {
      saveSource.run(boot, source.request, source.sequence, line);
      return;
    }
    const level = active ? 1 : 0;
    saveLevel.run(
      line,
      level,
      sighting.activeLow ? 1 : 0,
      timeMs,
      boot,
      Number(monotonicNs),
      sighting.provisional ? 1 : 0,
      boot,
      source.request,
      source.sequence,
      recordId,
    );
  }

  /** A level that was seen before the clock was trusted may come here after: its time is known by then. */
  function placed(sighting: Sighting): Sighting {
    if (!sighting.provisional) return sighting;
    const monotonicMs = Number(sighting.monotonicNs) / NS_PER_MS;
    const timeMs = context.boots.timeOf(sighting.source.bootId, monotonicMs);
    return timeMs === null ? sighting : { ...sighting, timeMs, provisional: false };
  }

  function end(sighting: Sighting, boot: number, recordId: number): void {
    const { timeMs, monotonicNs, provisional } = sighting;
    endRecord.run(timeMs, provisional ? boot : null, provisional ? Number(monotonicNs) : null, recordId);
  }

  /** What was seen of the line after this record may be lost, or left with the wiring of before; the record tells. */
  function isRecorded({ line, source: { bootId, request, sequence } }: Sighting): boolean {
    return recordedFrom.get(bootId, line, request, sequence) !== undefined;
  }

  function takeInOne(seen: Sighting): Taken {
    const sighting = placed(seen);
    const place = rooms.at(sighting.line, Number(sighting.monotonicNs) / NS_PER_MS);
    // The room that the line was watched for is neither the one of now nor the one of then.
    if (place === undefined || !isWatchedFor(place, sighting)) return { meaning: "nothing", recordId: null };
    // While this was on its way the line may have been unwired, or wired to another room, whose state is not this one's.
    const current = rooms.now(sighting.line);
    const isWired = current !== undefined && isWatchedFor(current, sighting);
    const row = isWired ? state.get(sighting.line) : undefined;
    const before = row === undefined ? undefined : toState(row);
    const meaning = judge(before, sighting, place.rearmMs);
    if (meaning === "repeated") return { meaning, recordId: null };
    if (meaning === "sale" && isRecorded(sighting)) return { meaning: "repeated", recordId: null };
    const boot = bootNumber(sighting.source.bootId);
    // What was recorded by the other polarity has nothing to do with what is seen from here on.
    let recordId = meaning === "baseline" ? null : (before?.recordId ?? null);
    if (meaning === "sale") recordId = addSale(sighting, place, boot);
    if (recordId !== null && meaning === "end") end(sighting, boot, recordId);
    if (recordId !== null && meaning === "same_sale") endRecord.run(null, null, null, recordId);
    noteOutage(sighting, place, before, boot);
    noteOverflow(sighting, place, before, boot);
    showValue(sighting, place);
    if (isWired) saveState(sighting, meaning, boot, recordId);
    return { meaning, recordId: meaning === "sale" ? recordId : null };
  }

  return {
    openRequest: (): number => nextRequest.get() ?? 0,
    takeIn: (sightings: readonly Sighting[]): readonly Taken[] => sightings.map(takeInOne),
  };
}

function isWatchedFor({ deviceId, actuatorId }: LineRoom, sighting: Sighting): boolean {
  return deviceId === sighting.deviceId && actuatorId === sighting.actuatorId;
}

/** Wall time of a moment of the sighting's own boot, by how long before the sighting it was. */
function timeBefore({ timeMs, monotonicNs }: Sighting, monotonicMs: number): number {
  return Math.round(timeMs - (Number(monotonicNs) / NS_PER_MS - monotonicMs));
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
