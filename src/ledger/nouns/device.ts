import type { Database } from "better-sqlite3";
import { type Actor, SERVICE_ACTOR } from "../../domain/audit.ts";
import {
  type Device,
  MAX_ACTUATORS_OF_USER,
  MAX_DEVICES_OF_USER,
  MAX_EARLIER_NAMES_OF_USER,
  type NewDevice,
  type RenamedRoom,
  unknownDevice,
} from "../../domain/device.ts";
import { duplicateError, FlancoError, tooManyError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import { unknownLocation } from "../../domain/location.ts";
import type { RoomName } from "../../domain/wiring.ts";
import type { WriteContext } from "../engine/commands.ts";
import { wiringAudit } from "./wiring.ts";

export function deviceReader(db: Database) {
  const devices = db.prepare<[Id], Omit<Device, "actuators" | "selected"> & { selected: number }>(
    `SELECT device_id AS id, user_id AS userId, d_id AS dId, name, selected, location_id AS locationId,
            location_name AS locationName, created_ms AS createdTimeMs, revision
       FROM device WHERE user_id = ? ORDER BY device_id`,
  );
  const actuators = db.prepare<[Id], { deviceId: Id; id: string; value: number }>(
    `SELECT device_id AS deviceId, actuator_id AS id, value
       FROM actuator JOIN device USING (device_id) WHERE user_id = ? ORDER BY device_id, position`,
  );
  // One transaction: both statements see the same commit.
  const read = db.transaction((userId: Id): readonly Device[] => {
    const byDevice = Map.groupBy(actuators.all(userId), (actuator) => actuator.deviceId);
    return devices.all(userId).map((device) => ({
      ...device,
      selected: device.selected === 1,
      actuators: (byDevice.get(device.id) ?? []).map(({ id, value }) => ({ id, value: value === 1 })),
    }));
  });
  return { devices: read };
}

/** Gives a room with the names that a record of it has. Throws `not_found`. */
export function placeFinder(db: Database) {
  const place = db.prepare<
    [Id, string, string],
    { deviceId: Id; actuatorId: string; locationName: string; deviceName: string }
  >(
    `SELECT device_id AS deviceId, actuator_id AS actuatorId, location_name AS locationName, name AS deviceName
       FROM device JOIN actuator USING (device_id) WHERE user_id = ? AND d_id = ? AND actuator_id = ?`,
  );
  return (userId: Id, { dId, room }: RoomName) => {
    const found = place.get(userId, dId, room);
    if (found !== undefined) return found;
    throw new FlancoError("not_found", `There is no room "${room}" of a device "${dId}".`, {
      hint: "Name a device of the account by its dId, and one of its rooms.",
    });
  };
}

export function deviceCommands(db: Database, context: WriteContext) {
  const taken = db
    .prepare<[Id, string], Id>("SELECT device_id FROM device WHERE user_id = ? AND d_id = ?")
    .pluck();
  const deviceCount = db.prepare<[Id], number>("SELECT count(*) FROM device WHERE user_id = ?").pluck();
  const actuatorCount = db
    .prepare<[Id], number>("SELECT count(*) FROM actuator JOIN device USING (device_id) WHERE user_id = ?")
    .pluck();
  const insert = db.prepare<Omit<NewDevice, "actuators"> & { id: Id; userId: Id; nowMs: number }>(
    `INSERT INTO device (device_id, user_id, d_id, name, location_id, location_name, created_ms)
     VALUES (@id, @userId, @dId, @name, @locationId, @locationName, @nowMs)`,
  );
  const insertActuator = db.prepare<[Id, string, number, number]>(
    "INSERT INTO actuator (device_id, actuator_id, position, value) VALUES (?, ?, ?, ?)",
  );
  const locationName = db
    .prepare<[Id, string], string>("SELECT name FROM location WHERE user_id = ? AND location_id = ?")
    .pluck();
  const change = db.prepare<[string | null, string | null, string | null, Id, string]>(
    `UPDATE device SET name = coalesce(?, name), location_id = coalesce(?, location_id),
                       location_name = coalesce(?, location_name), revision = revision + 1
      WHERE user_id = ? AND d_id = ?`,
  );
  const wirings = wiringAudit(db, context);
  const remove = db.prepare<[Id, string]>("DELETE FROM device WHERE user_id = ? AND d_id = ?");
  const roomsOf = db.prepare<[Id], { room: string; line: string | null }>(
    `SELECT a.actuator_id AS room, line FROM actuator a LEFT JOIN wiring USING (device_id, actuator_id) WHERE device_id = ?`,
  );
  const placeActuator = db.prepare<[Id, string, number]>(
    `INSERT INTO actuator (device_id, actuator_id, position, value) VALUES (?, ?, ?, 0)
     ON CONFLICT (device_id, actuator_id) DO UPDATE SET position = excluded.position`,
  );
  const renameActuator = db.prepare<{ deviceId: Id; from: string; to: string }>(
    "UPDATE actuator SET actuator_id = @to WHERE device_id = @deviceId AND actuator_id = @from",
  );
  const wantLines = db.prepare<[Id]>("UPDATE actuator SET without_line = 0 WHERE device_id = ?");
  const wantNone = db.prepare<[Id, string]>(
    "UPDATE actuator SET without_line = 1 WHERE device_id = ? AND actuator_id = ?",
  );
  // Where this entry has a row of that name, another room had the name first.
  const keepName = db.prepare<[Id, string, number, string]>(
    "INSERT OR IGNORE INTO earlier_name (device_id, name, until_id, actuator_id) VALUES (?, ?, ?, ?)",
  );
  const nameCount = db
    .prepare<[Id], number>(
      "SELECT count(*) FROM earlier_name JOIN device USING (device_id) WHERE user_id = ?",
    )
    .pluck();
  const removeActuator = db.prepare<[Id, string]>(
    "DELETE FROM actuator WHERE device_id = ? AND actuator_id = ?",
  );

  function setRooms(userId: Id, deviceId: Id, rooms: readonly string[], by: Actor): void {
    for (const { room, line } of roomsOf.all(deviceId)) {
      if (rooms.includes(room)) continue;
      if (line !== null) wirings.removed(userId, { line }, by);
      removeActuator.run(deviceId, room);
    }
    rooms.forEach((room, position) => {
      placeActuator.run(deviceId, room, position);
    });
    if ((actuatorCount.get(userId) ?? 0) > MAX_ACTUATORS_OF_USER) {
      throw tooManyError(MAX_ACTUATORS_OF_USER, "actuators");
    }
    context.tell({ kind: "wiring" });
  }

  function renameRooms(
    userId: Id,
    deviceId: Id,
    dId: string,
    renamed: readonly RenamedRoom[],
    by: Actor,
  ): void {
    const newest = context.chain.next - 1;
    // By way of names that no room has: two rooms may swap their names.
    renamed.forEach(({ from }, index) => {
      const { changes } = renameActuator.run({ deviceId, from, to: `\0${index}` });
      if (changes === 0) throw unknownRoom(from);
    });
    const others = new Set(roomsOf.all(deviceId).map(({ room }) => room));
    renamed.forEach(({ from, to }, index) => {
      if (others.has(to))
        throw duplicateError("renamedRooms", `There is already a room "${to}" of this device.`);
      renameActuator.run({ deviceId, from: `\0${index}`, to });
      keepName.run(deviceId, from, newest, to);
      context.audit.requireFew(userId, by);
      context.audit.note("room_renamed", userId, { dId, from, to }, by);
    });
    if ((nameCount.get(userId) ?? 0) > MAX_EARLIER_NAMES_OF_USER) {
      throw tooManyError(MAX_EARLIER_NAMES_OF_USER, "earlier names of rooms");
    }
    context.tell({ kind: "wiring" });
  }

  function setWithoutLine(deviceId: Id, rooms: readonly string[]): void {
    wantLines.run(deviceId);
    for (const room of rooms) if (wantNone.run(deviceId, room).changes === 0) throw unknownRoom(room);
  }

  return {
    /** `id` must be one that no device has; it is made where it is absent. */
    addDevice(userId, device, { id = context.ids.next() }: { readonly id?: Id } = {}) {
      if (taken.get(userId, device.dId) !== undefined) {
        throw duplicateError("dId", `There is already a device with dId "${device.dId}".`);
      }
      if ((deviceCount.get(userId) ?? 0) >= MAX_DEVICES_OF_USER) {
        throw tooManyError(MAX_DEVICES_OF_USER, "devices");
      }
      if ((actuatorCount.get(userId) ?? 0) + device.actuators.length > MAX_ACTUATORS_OF_USER) {
        throw tooManyError(MAX_ACTUATORS_OF_USER, "actuators");
      }
      const { actuators, ...named } = device;
      insert.run({ ...named, id, userId, nowMs: context.nowMs() });
      actuators.forEach((actuator, position) => {
        insertActuator.run(id, actuator.id, position, Number(actuator.value));
      });
      context.tell({ kind: "locations", userId });
      return id;
    },
    changeDevice(userId, dId, changed, by = SERVICE_ACTOR) {
      const { name = null, locationId = null, rooms, renamedRooms, withoutLine } = changed;
      const newLocation = locationId === null ? null : locationName.get(userId, locationId);
      if (newLocation === undefined) throw unknownLocation();
      if (change.run(name, locationId, newLocation, userId, dId).changes === 0) throw unknownDevice();
      const deviceId = taken.get(userId, dId);
      if (deviceId === undefined) throw unknownDevice();
      if (renamedRooms !== undefined) renameRooms(userId, deviceId, dId, renamedRooms, by);
      if (rooms !== undefined) setRooms(userId, deviceId, rooms, by);
      if (withoutLine !== undefined) setWithoutLine(deviceId, withoutLine);
      context.tell({ kind: "locations", userId });
    },
    removeDevice(userId, dId, by = SERVICE_ACTOR) {
      wirings.removed(userId, { dId }, by);
      if (remove.run(userId, dId).changes === 0) throw unknownDevice();
      context.tell({ kind: "locations", userId });
      context.tell({ kind: "wiring" });
    },
  } satisfies Partial<LedgerCommands>;
}

function unknownRoom(room: string): FlancoError {
  return new FlancoError("not_found", `The device has no room "${room}".`);
}
