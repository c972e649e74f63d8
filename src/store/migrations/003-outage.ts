import type { Migration } from "../migration.ts";

/**
 * Of an outage nobody knows how many edges it swallowed: `missed` and `missed_rises` are null then. SQLite
 * drops a NOT NULL only with the table.
 */
export const outage: Migration = {
  version: 3,
  name: "outage",
  sql: `
    CREATE TABLE new_gap (
      gap_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id TEXT NOT NULL,
      line TEXT NOT NULL,
      from_ms INTEGER NOT NULL,
      to_ms INTEGER NOT NULL,
      missed INTEGER,
      missed_rises INTEGER,
      reason TEXT NOT NULL,
      noted_ms INTEGER NOT NULL,
      boot INTEGER REFERENCES boot,
      from_ns INTEGER,
      to_ns INTEGER
    ) STRICT;
    INSERT INTO new_gap (gap_id, user_id, line, from_ms, to_ms, missed, missed_rises, reason, noted_ms, boot, from_ns, to_ns)
      SELECT gap_id, user_id, line, from_ms, to_ms, missed, missed_rises, reason, noted_ms, boot, from_ns, to_ns FROM gap;
    DROP TABLE gap;
    ALTER TABLE new_gap RENAME TO gap;
    CREATE INDEX gap_provisional ON gap (boot) WHERE boot IS NOT NULL;
  `,
};
