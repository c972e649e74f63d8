import DatabaseConstructor, { type Database } from "better-sqlite3";

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

/**
 * Brings what the ledger last saw of each line up to the entries that were taken over. Call after them: a level may be the
 * backup's, and a line that is high since would be sold again; or it may refer to a record that could not be had, and
 * no further level of any line could be saved beside it.
 */
export function mendLevels(target: Database): void {
  target.exec(LEVELS_OF_NEWER_RECORDS);
  // Of a boot that is not known any more nothing can be said: what is seen next is a first sight.
  target.exec(
    `DELETE FROM line_state
      WHERE boot NOT IN (SELECT boot FROM boot) OR changed_boot NOT IN (SELECT boot FROM boot)`,
  );
  target.exec(
    `UPDATE line_state SET record_id = NULL
      WHERE record_id IS NOT NULL AND record_id NOT IN (SELECT record_id FROM record)`,
  );
}

/**
 * Watchings are numbered in their order, so that a line's newest record is of a later sighting than its level where
 * its request, or its place within the same one, is greater. The line is high until that record has an end. The
 * monotonic time of an end is kept only until the clock is trusted: later it is told by how long the record lasted.
 */
const LEVELS_OF_NEWER_RECORDS = `
  INSERT INTO line_state (line, active, active_low, changed_ms, changed_boot, changed_ns, changed_provisional,
                          boot, request, sequence, record_id)
  SELECT w.line, r.ended_ms IS NULL, w.active_low, coalesce(r.ended_ms, r.effective_ms), coalesce(r.ended_boot, r.boot),
         coalesce(r.ended_ns, r.monotonic_ns + max(0, coalesce(r.ended_ms - r.effective_ms, 0)) * 1000000),
         iif(r.ended_ms IS NULL, r.provisional = 1 AND r.effective_ms = r.created_ms, r.ended_boot IS NOT NULL),
         r.boot, r.request, r.sequence, r.record_id
    FROM (SELECT line, max(record_id) AS record_id FROM record WHERE boot IS NOT NULL GROUP BY line) AS newest
    JOIN record r USING (record_id) JOIN wiring w ON w.line = newest.line LEFT JOIN line_state s ON s.line = w.line
   WHERE s.line IS NULL OR (r.request, r.sequence) > (s.request, s.sequence)
  ON CONFLICT (line) DO UPDATE SET active = excluded.active, active_low = excluded.active_low,
    changed_ms = excluded.changed_ms, changed_boot = excluded.changed_boot, changed_ns = excluded.changed_ns,
    changed_provisional = excluded.changed_provisional, boot = excluded.boot, request = excluded.request,
    sequence = excluded.sequence, record_id = excluded.record_id`;

/** A row of any table, by its columns' names. */
export type Row = Readonly<Record<string, unknown>>;

/** Takes a row over as it is, whatever columns the table has. */
export function insertRow(db: Database, table: string, row: Row, conflict: "" | "OR IGNORE" = ""): void {
  const columns = Object.keys(row);
  const names = columns.map((column) => `"${column}"`).join(", ");
  const places = columns.map(() => "?").join(", ");
  db.prepare(`INSERT ${conflict} INTO "${table}" (${names}) VALUES (${places})`).run(
    ...columns.map((column) => row[column] ?? null),
  );
}

/** A part of the damaged file that does not hold together. */
export class Unreadable extends Error {}

/** Reads from the damaged file; undefined where it cannot be read. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DatabaseConstructor.SqliteError || error instanceof Unreadable) return undefined;
    // A number that no program of ours has written, and a text that is none.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
