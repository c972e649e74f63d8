import type { Database } from "better-sqlite3";
import type { Actor } from "../../domain/audit.ts";
import { duplicateError, FlancoError, tooManyError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerReader } from "../../domain/ledger.ts";
import { type LocationLimit, MAX_LOCATION_NAMES } from "../../domain/limit.ts";
import { unknownLocation } from "../../domain/location.ts";
import type { Member } from "../../domain/member.ts";
import type { WriteContext } from "../engine/commands.ts";

/** The lists as JSON texts. */
type LimitRow = { readonly memberId: Id } & { readonly [F in keyof LocationLimit]: string };

/** A condition on `location_name`: within the names of `@within`, a JSON text; null for all. */
export const WITHIN = "(@within IS NULL OR location_name IN (SELECT value FROM json_each(@within)))";

/** The parameter of WITHIN. */
export interface WithinNames {
  readonly within: string | null;
}

export function withinNames(names: readonly string[] | null): WithinNames {
  return { within: names && JSON.stringify(names) };
}

/** A condition on devices `d`: at the locations of `@locations`, a JSON text; null for all. */
export const AT_LOCATIONS =
  "(@locations IS NULL OR d.location_id IN (SELECT value FROM json_each(@locations)))";

/** The parameter of AT_LOCATIONS. */
export function atLocations(limit: LocationLimit | null): { readonly locations: string | null } {
  return { locations: limit && JSON.stringify(limit.locationIds) };
}

/** The locations that members are limited to. */
export function limitReader(db: Database) {
  const rows = db.prepare<{ memberId: Id | null }, LimitRow>(
    `SELECT member_id AS memberId,
            (SELECT json_group_array(location_id ORDER BY location_id) FROM member_location l
              WHERE l.member_id = m.member_id) AS locationIds,
            (SELECT json_group_array(name ORDER BY name) FROM member_location l JOIN location_name USING (location_id)
              WHERE l.member_id = m.member_id) AS names
       FROM member m WHERE limited = 1 AND (@memberId IS NULL OR m.member_id = @memberId)`,
  );
  return {
    limits(memberId?): ReadonlyMap<Id, LocationLimit> {
      const found = rows.all({ memberId: memberId ?? null });
      return new Map(
        found.map(({ memberId, locationIds, names }) => [
          memberId,
          { locationIds: JSON.parse(locationIds) as Id[], names: JSON.parse(names) as string[] },
        ]),
      );
    },
  } satisfies Partial<LedgerReader>;
}

/** The one way in which a member is limited, and in which names become a location's. */
export function limitWriter(db: Database, context: Pick<WriteContext, "audit" | "tell">) {
  const setLimited = db.prepare<[number, Id]>("UPDATE member SET limited = ? WHERE member_id = ?");
  const clear = db.prepare<[Id]>("DELETE FROM member_location WHERE member_id = ?");
  const add = db.prepare<[Id, Id]>("INSERT INTO member_location (member_id, location_id) VALUES (?, ?)");
  const location = db.prepare<{ userId: Id; locationId: string }, { name: string; nameOf: Id | null }>(
    `SELECT l.name, n.location_id AS nameOf FROM location l JOIN location_name n USING (user_id, name)
      WHERE user_id = @userId AND l.location_id = @locationId`,
  );
  const isLimitedTo = db.prepare<[Id]>("SELECT 1 FROM member_location WHERE location_id = ? LIMIT 1");
  const holder = db.prepare<[Id, string], { locationId: Id | null }>(
    "SELECT location_id AS locationId FROM location_name WHERE user_id = ? AND name = ?",
  );
  const count = db.prepare<[Id], number>("SELECT count(*) FROM location_name WHERE user_id = ?").pluck();
  const take = db.prepare<[Id, string, Id | null]>(
    `INSERT INTO location_name (user_id, name, location_id) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET location_id = excluded.location_id`,
  );
  const limited = (locationId: Id | null) => locationId !== null && isLimitedTo.get(locationId) !== undefined;

  /** The current name of a location that a member may be limited to. */
  function ownName(userId: Id, locationId: string): string {
    const found = location.get({ userId, locationId });
    if (found === undefined) throw unknownLocation();
    if (found.nameOf === locationId) return found.name;
    const message = `Another location has or had the name "${found.name}" too.`;
    const hint = "Records are of a location by its name: give this one a name of its own first.";
    throw duplicateError("locationIds", message, hint);
  }

  return {
    /** Limits a member to locations; null: to none. Its streams and long answers end. */
    set({ id, userId, role, email }: Member, locationIds: readonly string[] | null, by: Actor): void {
      if (role === "owner" && locationIds !== null) {
        throw new FlancoError("conflict", "An owner has the whole account.", {
          hint: "Give the member another role, or all locations.",
        });
      }
      const ids = [...new Set(locationIds ?? [])];
      const names = ids.map((locationId) => ownName(userId, locationId));
      setLimited.run(locationIds === null ? 0 : 1, id);
      clear.run(id);
      for (const locationId of ids) add.run(id, locationId);
      const details = { email, all: locationIds === null, locations: names.join(", ") };
      context.audit.note("locations_set", userId, details, by);
      context.tell({ kind: "sessions", userId });
    },

    /**
     * A location takes a name. One that another location has or had belongs to neither from then on. Throws `conflict`
     * where a member is limited to one of the two: it would see nothing more, or what is the other one's.
     */
    name(userId: Id, locationId: Id, name: string): void {
      const held = holder.get(userId, name);
      const isShared = held !== undefined && held.locationId !== locationId;
      if (isShared && (limited(held.locationId) || limited(locationId))) {
        throw duplicateError(
          "name",
          `Another location has or had the name "${name}", and a member is limited.`,
        );
      }
      if (held === undefined && (count.get(userId) ?? 0) >= MAX_LOCATION_NAMES) {
        throw tooManyError(MAX_LOCATION_NAMES, "names of locations, also earlier ones");
      }
      take.run(userId, name, isShared ? null : locationId);
      if (limited(locationId)) context.tell({ kind: "sessions", userId });
    },
  };
}
