import type { Database } from "better-sqlite3";
import { attempt, insertRow, type Row, Unreadable } from "./salvage-row.ts";

/** What belongs together: it is taken over as a whole, or not at all. Parents before children. */
const PLACES = ["user", "location", "device", "actuator", "wiring", "line_state", "session"];
/** What is only ever added to. */
const ADDED = ["boot", "gap", "audit"];

/** Users, devices and wiring as they were last, where all of these tables can be read and hold together. */
export function takePlaces(target: Database, source: Database): boolean {
  const tables = attempt(() =>
    PLACES.map((table) => {
      if (source.pragma(`integrity_check("${table}")`, { simple: true }) !== "ok") throw new Unreadable();
      return { table, rows: source.prepare<[], Row>(`SELECT * FROM "${table}"`).all() };
    }),
  );
  if (tables === undefined) return false;
  for (const { table } of tables.toReversed()) target.exec(`DELETE FROM "${table}"`);
  for (const { table, rows } of tables) for (const row of rows) insertRow(target, table, row);
  return true;
}

/** Boots, gaps and what the audit log says that the backup has not, of each table that can be read and holds together. */
export function takeAdded(target: Database, source: Database): void {
  for (const table of ADDED) takeRows(target, source, table);
}

function takeRows(target: Database, source: Database, table: string): void {
  const rows = attempt(() => {
    if (source.pragma(`integrity_check("${table}")`, { simple: true }) !== "ok") throw new Unreadable();
    return source.prepare<[], Row>(`SELECT * FROM "${table}"`).all();
  });
  for (const row of rows ?? []) insertRow(target, table, row, "OR IGNORE");
}

/** The keys of posts that were answered: who posts again must get the same answer. Only of records that are there. */
export function takeKeys(target: Database, source: Database): void {
  const rows = attempt(() => source.prepare<[], Row>("SELECT * FROM idempotency").all());
  const there = target.prepare<[number], number>("SELECT 1 FROM record WHERE record_id = ?").pluck();
  for (const row of rows ?? []) {
    if (there.get(Number(row["record_id"])) === 1) insertRow(target, "idempotency", row, "OR IGNORE");
  }
}

/** No number of a watching is given twice, and none of a record. */
export function passOver(target: Database, source: Database | undefined): void {
  const MARGIN = 1_000_000;
  const stored = (db: Database): number | undefined =>
    attempt(() =>
      db.prepare<[], string>("SELECT value FROM setting WHERE name = 'last_request'").pluck().get(),
    ) as number | undefined;
  const used = target.prepare<[], number | null>("SELECT max(request) FROM record").pluck().get() ?? 0;
  const known = [target, source].flatMap((db) => (db === undefined ? [] : [Number(stored(db) ?? 0)]));
  const next = Math.max(used, ...known.filter(Number.isSafeInteger)) + MARGIN;
  target
    .prepare<[string]>(
      `INSERT INTO setting (name, value) VALUES ('last_request', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    )
    .run(String(next));
}
