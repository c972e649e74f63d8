import type { Migration } from "../migration.ts";

/**
 * Who did what, and from where. `begun_ms` is monotonic time of `boot`, as in `session`: an entry of a time when the
 * clock was not trusted finds its place once the boot's zero is known. `user_id` is whose data it is about, and refers to
 * nothing: an entry outlives its user. `details` is JSON.
 */
export const audit: Migration = {
  version: 5,
  name: "audit",
  sql: `
    CREATE TABLE audit (
      audit_id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      time_ms INTEGER NOT NULL,
      boot INTEGER REFERENCES boot,
      begun_ms INTEGER,
      user_id TEXT,
      way TEXT NOT NULL,
      who TEXT,
      origin TEXT NOT NULL,
      details TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_by_kind ON audit (kind, user_id, audit_id);
    CREATE INDEX audit_by_user ON audit (user_id, audit_id);
    -- A user's gaps are listed without a look at everybody else's.
    CREATE INDEX gap_by_user ON gap (user_id, gap_id);
  `,
};
