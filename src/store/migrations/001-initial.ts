import type { Migration } from "../migration.ts";

/**
 * Amounts are millionths, times Unix milliseconds, flags 0 or 1. A rollup's sum is kept in two columns,
 * whole units and the millionths left over: nine thousand records of the largest valor would overflow
 * one 64-bit column, and SQLite would turn the sum into a float without a word.
 */
export const initial: Migration = {
  version: 1,
  name: "initial",
  sql: `
    CREATE TABLE setting (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE user (
      user_id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      email TEXT NOT NULL,
      email_key TEXT NOT NULL UNIQUE,
      password_hash TEXT NOT NULL,
      created_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE session (
      sid TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES user ON DELETE CASCADE,
      created_ms INTEGER NOT NULL,
      expires_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_by_user ON session (user_id, created_ms);

    CREATE TABLE location (
      location_id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES user ON DELETE CASCADE,
      name TEXT NOT NULL,
      description TEXT NOT NULL,
      created_ms INTEGER NOT NULL,
      revision INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX location_by_user ON location (user_id, location_id);

    CREATE TABLE device (
      device_id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES user ON DELETE CASCADE,
      d_id TEXT NOT NULL,
      name TEXT NOT NULL,
      selected INTEGER NOT NULL DEFAULT 0,
      location_id TEXT NOT NULL,
      location_name TEXT NOT NULL,
      created_ms INTEGER NOT NULL,
      revision INTEGER NOT NULL DEFAULT 0,
      UNIQUE (user_id, d_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE actuator (
      device_id TEXT NOT NULL REFERENCES device ON DELETE CASCADE,
      actuator_id TEXT NOT NULL,
      position INTEGER NOT NULL,
      value INTEGER NOT NULL,
      PRIMARY KEY (device_id, actuator_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE wiring (
      line TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES user ON DELETE CASCADE,
      device_id TEXT NOT NULL,
      actuator_id TEXT NOT NULL,
      micros INTEGER NOT NULL,
      active_low INTEGER NOT NULL,
      bias TEXT NOT NULL,
      debounce_ms INTEGER NOT NULL,
      rearm_ms INTEGER NOT NULL,
      UNIQUE (device_id, actuator_id),
      FOREIGN KEY (device_id, actuator_id) REFERENCES actuator ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX wiring_by_user ON wiring (user_id);

    CREATE TABLE boot (
      boot INTEGER PRIMARY KEY,
      boot_id TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE record (
      record_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id TEXT NOT NULL,
      location_name TEXT NOT NULL,
      device_name TEXT NOT NULL,
      device_id TEXT NOT NULL,
      room TEXT NOT NULL,
      micros INTEGER NOT NULL,
      created_ms INTEGER NOT NULL,
      ended_ms INTEGER,
      origin TEXT NOT NULL,
      boot INTEGER REFERENCES boot,
      line TEXT,
      request INTEGER,
      sequence INTEGER,
      monotonic_ns INTEGER
    ) STRICT;
    CREATE INDEX record_by_time ON record (user_id, created_ms);
    CREATE UNIQUE INDEX record_by_source ON record (boot, line, request, sequence) WHERE boot IS NOT NULL;

    CREATE TABLE line_state (
      line TEXT PRIMARY KEY REFERENCES wiring ON DELETE CASCADE,
      active INTEGER NOT NULL,
      active_low INTEGER NOT NULL,
      changed_ms INTEGER NOT NULL,
      changed_boot INTEGER NOT NULL REFERENCES boot,
      changed_ns INTEGER NOT NULL,
      boot INTEGER NOT NULL REFERENCES boot,
      request INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      record_id INTEGER REFERENCES record
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE gap (
      gap_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id TEXT NOT NULL,
      line TEXT NOT NULL,
      from_ms INTEGER NOT NULL,
      to_ms INTEGER NOT NULL,
      missed INTEGER NOT NULL,
      missed_rises INTEGER NOT NULL,
      reason TEXT NOT NULL,
      noted_ms INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE idempotency (
      user_id TEXT NOT NULL,
      key TEXT NOT NULL,
      body_hash TEXT NOT NULL,
      record_id INTEGER NOT NULL REFERENCES record,
      created_ms INTEGER NOT NULL,
      PRIMARY KEY (user_id, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE rollup_day (
      user_id TEXT NOT NULL,
      day INTEGER NOT NULL,
      location_name TEXT NOT NULL,
      device_id TEXT NOT NULL,
      count INTEGER NOT NULL,
      units INTEGER NOT NULL,
      micros INTEGER NOT NULL,
      PRIMARY KEY (user_id, day, location_name, device_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE rollup_month (
      user_id TEXT NOT NULL,
      month INTEGER NOT NULL,
      location_name TEXT NOT NULL,
      device_id TEXT NOT NULL,
      count INTEGER NOT NULL,
      units INTEGER NOT NULL,
      micros INTEGER NOT NULL,
      PRIMARY KEY (user_id, month, location_name, device_id)
    ) STRICT, WITHOUT ROWID;
  `,
};
