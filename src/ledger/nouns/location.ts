import type { Database } from "better-sqlite3";
import { tooManyError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import {
  type Location,
  type LocationDevice,
  MAX_LOCATIONS_OF_USER,
  unknownLocation,
} from "../../domain/location.ts";
import type { WriteContext } from "../engine/commands.ts";
import { limitWriter } from "./limit.ts";

export function locationReader(db: Database) {
  const locations = db.prepare<[Id], Omit<Location, "devices">>(
    `SELECT location_id AS id, user_id AS userId, name, description, created_ms AS createdTimeMs, revision
       FROM location WHERE user_id = ? ORDER BY location_id`,
  );
  const devices = db.prepare<[Id], LocationDevice & { locationId: string }>(
    `SELECT device_id AS id, d_id AS dId, name, location_id AS locationId
       FROM device WHERE user_id = ? ORDER BY device_id`,
  );
  // One transaction: both statements see the same commit.
  const read = db.transaction((userId: Id): readonly Location[] => {
    const byLocation = Map.groupBy(devices.all(userId), (device) => device.locationId);
    return locations.all(userId).map((location) => ({
      ...location,
      devices: (byLocation.get(location.id) ?? []).map(({ id, dId, name }) => ({ id, dId, name })),
    }));
  });
  return { locations: read };
}

export function locationCommands(db: Database, context: WriteContext) {
  const count = db.prepare<[Id], number>("SELECT count(*) FROM location WHERE user_id = ?").pluck();
  const insert = db.prepare<[Id, Id, string, string, number]>(
    "INSERT INTO location (location_id, user_id, name, description, created_ms) VALUES (?, ?, ?, ?, ?)",
  );
  const change = db.prepare<[string | null, string | null, Id, string]>(
    `UPDATE location SET name = coalesce(?, name), description = coalesce(?, description), revision = revision + 1
      WHERE user_id = ? AND location_id = ?`,
  );
  const renameAtDevices = db.prepare<[string, Id, string, string]>(
    `UPDATE device SET location_name = ?, revision = revision + 1
      WHERE user_id = ? AND location_id = ? AND location_name <> ?`,
  );
  const nameOf = locationNames(db);
  // A closed month has its terms in its settlement. Terms of another location with that name stay.
  const moveTerms = db.prepare<[string, Id, string]>(
    `UPDATE OR REPLACE location_terms AS t SET location_name = ? WHERE user_id = ? AND location_name = ?
        AND NOT EXISTS (SELECT 1 FROM location l WHERE l.user_id = t.user_id AND l.name = t.location_name)`,
  );
  const limits = limitWriter(db, context);
  const remove = db.prepare<[Id, string]>("DELETE FROM location WHERE user_id = ? AND location_id = ?");
  return {
    addLocation(userId, location) {
      if ((count.get(userId) ?? 0) >= MAX_LOCATIONS_OF_USER) {
        throw tooManyError(MAX_LOCATIONS_OF_USER, "locations");
      }
      const id = context.ids.next();
      insert.run(id, userId, location.name, location.description, context.nowMs());
      limits.name(userId, id, location.name);
      context.tell({ kind: "locations", userId });
      return id;
    },
    changeLocation(userId, locationId, changed) {
      const { name = null, description = null } = changed;
      const before = nameOf.get(userId, locationId);
      if (change.run(name, description, userId, locationId).changes === 0) throw unknownLocation();
      if (name !== null) {
        limits.name(userId, locationId, name);
        renameAtDevices.run(name, userId, locationId, name);
        if (before !== undefined && before !== name) moveTerms.run(name, userId, before);
      }
      context.tell({ kind: "locations", userId });
    },
    removeLocation(userId, locationId) {
      if (remove.run(userId, locationId).changes === 0) throw unknownLocation();
      context.tell({ kind: "locations", userId });
      // Members who are limited to it lose it.
      context.tell({ kind: "sessions", userId });
    },
  } satisfies Partial<LedgerCommands>;
}

/** Finds the name of an account's location. */
export function locationNames(db: Database) {
  return db
    .prepare<[Id, string], string>("SELECT name FROM location WHERE user_id = ? AND location_id = ?")
    .pluck();
}

/** Names of the ledger's locations and of those in its records, at most ten. */
export function locationsOf(db: Database): readonly string[] {
  const names = db.prepare<[], string>(
    `SELECT name FROM location UNION SELECT location_name FROM rollup_month
     UNION SELECT location_name FROM record WHERE record_id > (SELECT position FROM rolled_up) ORDER BY 1 LIMIT 10`,
  );
  return names.pluck().all();
}
