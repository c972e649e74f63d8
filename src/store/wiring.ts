import type { Database } from "better-sqlite3";
import type { Actor } from "../domain/audit.ts";
import { duplicateError, FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { Bias } from "../domain/line.ts";
import type { OwnedWiring, Wiring } from "../domain/wiring.ts";
import type { WriteContext } from "./command.ts";
import { wiringAudit } from "./wiring-audit.ts";

interface WiringRow extends Omit<Wiring, "activeLow" | "bias"> {
  readonly activeLow: number;
  readonly bias: string;
}

const SELECT = `
  SELECT line, w.user_id AS userId, w.device_id AS deviceId, d.d_id AS dId, d.name AS deviceName,
         actuator_id AS actuatorId, micros AS valorMicros, active_low AS activeLow, bias,
         debounce_ms AS debounceMs, rearm_ms AS rearmMs
    FROM wiring w JOIN device d USING (device_id)`;

export function wiringReader(db: Database) {
  const all = db.prepare<[], WiringRow>(`${SELECT} ORDER BY line`);
  const ofUser = db.prepare<[Id], WiringRow>(`${SELECT} WHERE w.user_id = ? ORDER BY line`);
  return {
    wirings: (userId?: Id): readonly Wiring[] =>
      (userId === undefined ? all.all() : ofUser.all(userId)).map(toWiring),
  };
}

export function wiringCommands(db: Database, context: WriteContext) {
  const onLine = db.prepare<[string], WiringRow>(`${SELECT} WHERE line = ?`);
  const onRoom = db.prepare<[Id, string], WiringRow>(`${SELECT} WHERE w.device_id = ? AND actuator_id = ?`);
  const device = db
    .prepare<[Id, string], Id>("SELECT device_id FROM device WHERE user_id = ? AND d_id = ?")
    .pluck();
  const actuator = db
    .prepare<[Id, string], number>("SELECT 1 FROM actuator WHERE device_id = ? AND actuator_id = ?")
    .pluck();
  const upsert = db.prepare<[string, Id, Id, string, number, number, string, number, number]>(
    `INSERT INTO wiring (line, user_id, device_id, actuator_id, micros, active_low, bias, debounce_ms, rearm_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (line) DO UPDATE SET micros = excluded.micros, active_low = excluded.active_low,
       bias = excluded.bias, debounce_ms = excluded.debounce_ms, rearm_ms = excluded.rearm_ms`,
  );
  const audit = wiringAudit(db, context);
  const remove = db.prepare<[Id, string]>("DELETE FROM wiring WHERE user_id = ? AND line = ?");

  function setOne({ userId, wiring }: OwnedWiring, by: Actor): void {
    const deviceId = device.get(userId, wiring.dId);
    if (deviceId === undefined) throw unknown("dId", `There is no device with dId "${wiring.dId}".`);
    if (actuator.get(deviceId, wiring.actuatorId) === undefined) {
      throw unknown("actuatorId", `The device "${wiring.dId}" has no actuator "${wiring.actuatorId}".`);
    }
    const there = onLine.get(wiring.line);
    if (there !== undefined && (there.deviceId !== deviceId || there.actuatorId !== wiring.actuatorId)) {
      throw duplicateError("line", `The line ${wiring.line} is already wired to ${placeOf(there, userId)}.`);
    }
    const room = onRoom.get(deviceId, wiring.actuatorId);
    if (room !== undefined && room.line !== wiring.line) {
      throw duplicateError(
        "actuatorId",
        `Room ${wiring.actuatorId} is already wired to the line ${room.line}.`,
      );
    }
    upsert.run(
      wiring.line,
      userId,
      deviceId,
      wiring.actuatorId,
      wiring.valorMicros,
      wiring.activeLow ? 1 : 0,
      wiring.bias,
      wiring.debounceMs,
      wiring.rearmMs,
    );
    audit.set(userId, wiring, there && toWiring(there), by);
  }

  return {
    /** All of them, or none. */
    setWiring(input: { wirings: readonly OwnedWiring[]; by: Actor }): null {
      for (const wiring of input.wirings) setOne(wiring, input.by);
      context.tell({ kind: "wiring" });
      return null;
    },
    removeWiring(input: { userId: Id; line: string; by: Actor }): null {
      audit.removed(input.userId, { line: input.line }, input.by);
      if (remove.run(input.userId, input.line).changes === 0) {
        throw new FlancoError("not_found", `The line ${input.line} is not wired.`);
      }
      context.tell({ kind: "wiring" });
      return null;
    },
  };
}

function toWiring(row: WiringRow): Wiring {
  return { ...row, activeLow: row.activeLow === 1, bias: row.bias as Bias };
}

/** Where a line goes, without telling one user of another's rooms. */
function placeOf(wiring: WiringRow, userId: Id): string {
  return wiring.userId === userId
    ? `room ${wiring.actuatorId} of ${wiring.deviceName}`
    : "a room of another user";
}

function unknown(field: string, message: string): FlancoError {
  return new FlancoError("not_found", message, { fields: { [field]: { kind: "range", message } } });
}
