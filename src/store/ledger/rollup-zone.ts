import { hash } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { LocalCalendar } from "./calendar.ts";
import { rebuildRollups } from "./rollup.ts";
import type { MigrationProgress } from "./schema.ts";

/** What the rollups' days were made by. */
interface RollupDays {
  readonly timeZone: string;
  /** The version of the time-zone tables (`2026a`), which says nothing of one zone. */
  readonly tables: string;
  /** Stands for the zone's own changes of offset. */
  readonly rules: string;
}

/**
 * Computes the rollups again when their local days have changed: by another zone, or by other rules for this one. New time-zone tables that leave the zone as it was change nothing but their version.
 */
export function bringRollupsToZone(
  db: Database,
  calendar: LocalCalendar,
  onProgress: MigrationProgress,
): void {
  const { timeZone } = calendar;
  const tables = process.versions["tz"] ?? "";
  const stored = readDays(db);
  if (stored?.timeZone === timeZone && stored.tables === tables) return;
  const rules = rulesOf(calendar);
  const isSame = stored?.timeZone === timeZone && stored.rules === rules;
  db.transaction(() => {
    if (!isSame) rebuildRollups(db, calendar, onProgress);
    db.prepare(
      `INSERT INTO setting (name, value) VALUES ('rollup_zone', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    ).run([timeZone, tables, rules].join(" "));
  }).immediate();
}

/** The zone whose days the rollups are of, which may not be the one that is configured. */
export function rollupZone(db: Database): string {
  return readDays(db)?.timeZone ?? "UTC";
}

function readDays(db: Database): RollupDays | undefined {
  const stored = db.prepare<[], string>("SELECT value FROM setting WHERE name = 'rollup_zone'").pluck().get();
  const [timeZone = "", tables = "", rules = ""] = stored?.split(" ") ?? [];
  return stored === undefined ? undefined : { timeZone, tables, rules };
}

function rulesOf(calendar: LocalCalendar): string {
  return hash("sha256", JSON.stringify(calendar.offsetChanges()), "hex");
}
