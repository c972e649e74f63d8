import type { Database } from "better-sqlite3";
import type { OnSteps } from "../../platform/work.ts";

/** One step of the schema. A released one never changes; a new one is added at the end. */
export interface Migration {
  readonly sql: string;
  /** Runs after the SQL, in the same transaction, for what SQL alone cannot do, and tells its progress. */
  readonly convert?: (db: Database, onProgress: OnSteps) => void;
}

/** Beyond it a sum may soon leave 64 bits: the rollups then lack no records (rollup.ts). */
export const IS_NEAR_LIMIT = "total_micros NOT BETWEEN -8000000000000000000 AND 8000000000000000000";

/**
 * Amounts are whole millionths (`valor_micros` of one record, `total_micros` of a sum), times Unix
 * milliseconds, flags 0 or 1. A record's `valor_micros` is at most 1e13 in magnitude. A sum is at
 * most 9e18, within 64 bits: SQLite would turn a larger one into a float, and the CHECK refuses it.
 */
const initial: Migration = {
  sql: `
    CREATE TABLE setting (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- Which ledger this is (identity.ts).
    INSERT INTO setting (name, value) VALUES ('ledger_key', lower(hex(randomblob(32))));

    -- zero_ms: wall time of the boot's monotonic zero, once its clock was trusted. last_ms: the last monotonic time that is known of it.
    -- set_zero_ms: the same by a later setting of the clock, where that is another time and no correction has followed.
    CREATE TABLE boot (
      boot INTEGER PRIMARY KEY,
      boot_id TEXT NOT NULL UNIQUE,
      zero_ms INTEGER,
      set_zero_ms INTEGER,
      last_ms INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    -- An account owns what has its user_id; its members sign in to it.
    -- company to logo: what stands at the head of its reports (domain/user.ts).
    CREATE TABLE account (
      user_id TEXT PRIMARY KEY,
      created_ms INTEGER NOT NULL,
      company TEXT NOT NULL DEFAULT '',
      tax_number TEXT NOT NULL DEFAULT '',
      address TEXT NOT NULL DEFAULT '',
      logo TEXT NOT NULL DEFAULT ''
    ) STRICT, WITHOUT ROWID;

    -- password_hash is null until the member chooses a password by a link; of a program it is its key's. used_ms: when a program was last active.
    CREATE TABLE member (
      member_id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
      role TEXT NOT NULL,
      name TEXT NOT NULL,
      email TEXT NOT NULL,
      email_key TEXT NOT NULL UNIQUE,
      password_hash TEXT,
      created_ms INTEGER NOT NULL,
      used_ms INTEGER,
      -- Whether it sees the locations of member_location alone.
      limited INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX member_by_user ON member (user_id);

    -- The right to set a member's password, once. Of the link itself only a hash is stored.
    CREATE TABLE link (
      member_id TEXT PRIMARY KEY REFERENCES member ON DELETE CASCADE,
      token_hash TEXT NOT NULL UNIQUE,
      boot INTEGER REFERENCES boot,
      begun_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- begun_ms, here and in link, idempotency and audit: monotonic time of boot, which no setting of the clock moves; wall time
    -- where boot is null.
    CREATE TABLE session (
      sid TEXT PRIMARY KEY,
      member_id TEXT NOT NULL REFERENCES member ON DELETE CASCADE,
      created_ms INTEGER NOT NULL,
      expires_ms INTEGER NOT NULL,
      boot INTEGER REFERENCES boot,
      begun_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_by_member ON session (member_id);

    CREATE TABLE location (
      location_id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
      name TEXT NOT NULL,
      description TEXT NOT NULL,
      created_ms INTEGER NOT NULL,
      revision INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX location_by_user ON location (user_id, location_id);

    CREATE TABLE member_location (
      member_id TEXT NOT NULL REFERENCES member ON DELETE CASCADE,
      location_id TEXT NOT NULL REFERENCES location ON DELETE CASCADE,
      PRIMARY KEY (member_id, location_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX member_location_by_location ON member_location (location_id);

    -- The names that locations have and had, by which records are theirs; location_id is null where several had one.
    CREATE TABLE location_name (
      user_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
      name TEXT NOT NULL,
      location_id TEXT REFERENCES location ON DELETE CASCADE,
      PRIMARY KEY (user_id, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX location_name_by_location ON location_name (location_id);

    -- What is agreed with a location's clinic from a month on (domain/terms.ts). By its name, because it is still settled after it was removed.
    CREATE TABLE location_terms (
      user_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
      location_name TEXT NOT NULL,
      from_month INTEGER NOT NULL,
      kind TEXT NOT NULL,
      share INTEGER NOT NULL,
      amount_micros INTEGER NOT NULL,
      vat INTEGER NOT NULL,
      company_signer TEXT NOT NULL,
      clinic_signer TEXT NOT NULL,
      closes_itself INTEGER NOT NULL,
      PRIMARY KEY (user_id, location_name, from_month)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE device (
      device_id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
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
      -- The room has no line on purpose.
      without_line INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (device_id, actuator_id)
    ) STRICT, WITHOUT ROWID;

    -- The names that a room had: a record of that name is the room's up to the entry until_id of the chain.
    CREATE TABLE earlier_name (
      device_id TEXT NOT NULL,
      name TEXT NOT NULL,
      until_id INTEGER NOT NULL,
      actuator_id TEXT NOT NULL,
      PRIMARY KEY (device_id, name, until_id),
      FOREIGN KEY (device_id, actuator_id) REFERENCES actuator ON UPDATE CASCADE ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE wiring (
      line TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
      device_id TEXT NOT NULL,
      actuator_id TEXT NOT NULL,
      valor_micros INTEGER NOT NULL CHECK (valor_micros BETWEEN -10000000000000 AND 10000000000000),
      active_low INTEGER NOT NULL,
      bias TEXT NOT NULL,
      debounce_ms INTEGER NOT NULL,
      rearm_ms INTEGER NOT NULL,
      paid_minutes INTEGER NOT NULL DEFAULT 0 CHECK (paid_minutes BETWEEN 0 AND 44640),
      UNIQUE (device_id, actuator_id),
      FOREIGN KEY (device_id, actuator_id) REFERENCES actuator ON UPDATE CASCADE ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX wiring_by_user ON wiring (user_id);

    -- The prices that a room had and will have, with their paid times. from_day: the local day from which a planned one holds, in place of wiring's;
    -- null for one that held when it was set. superseded_ms: when one was set in place of a planned one. paid_minutes: null for a planned one
    -- that leaves the room its paid time.
    CREATE TABLE price (
      price_id INTEGER PRIMARY KEY,
      device_id TEXT NOT NULL,
      actuator_id TEXT NOT NULL,
      valor_micros INTEGER NOT NULL CHECK (valor_micros BETWEEN -10000000000000 AND 10000000000000),
      from_day INTEGER,
      superseded_ms INTEGER,
      set_ms INTEGER NOT NULL,
      boot INTEGER REFERENCES boot,
      begun_ms INTEGER,
      paid_minutes INTEGER CHECK (paid_minutes BETWEEN 0 AND 44640),
      FOREIGN KEY (device_id, actuator_id) REFERENCES actuator ON UPDATE CASCADE ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX price_by_room ON price (device_id, actuator_id, from_day);

    -- The columns that enter the chain are listed in chain.ts. effective_ms is the time that counts, day the local day of that,
    -- and voided_by the correction that voids the record: they follow from the corrections. ended_boot and ended_ns: an end that was seen
    -- while the clock was not trusted, until its time is known.
    CREATE TABLE record (
      record_id INTEGER PRIMARY KEY,
      user_id TEXT NOT NULL,
      location_name TEXT NOT NULL,
      device_name TEXT NOT NULL,
      device_id TEXT NOT NULL,
      room TEXT NOT NULL,
      valor_micros INTEGER NOT NULL CHECK (valor_micros BETWEEN -10000000000000 AND 10000000000000),
      created_ms INTEGER NOT NULL,
      ended_ms INTEGER,
      origin TEXT NOT NULL,
      boot INTEGER REFERENCES boot,
      line TEXT,
      request INTEGER,
      sequence INTEGER,
      monotonic_ns INTEGER,
      provisional INTEGER NOT NULL DEFAULT 0,
      effective_ms INTEGER NOT NULL,
      day INTEGER NOT NULL,
      voided_by INTEGER REFERENCES correction,
      hash BLOB NOT NULL,
      ended_boot INTEGER REFERENCES boot,
      ended_ns INTEGER,
      -- Among the account's records.
      number INTEGER NOT NULL,
      -- Of a refund: the number of its sale.
      refund_of INTEGER,
      reason TEXT
    ) STRICT;
    -- line and sequence: of a sale by hand for a gap, the gap's line and number.
    CREATE INDEX record_of_gap ON record (user_id, sequence) WHERE origin = 'by_hand' AND sequence IS NOT NULL;
    CREATE INDEX record_refund ON record (user_id, refund_of) WHERE refund_of IS NOT NULL;
    CREATE INDEX record_by_time ON record (user_id, effective_ms, number);
    -- line: of an imported record, what names it where it comes from.
    CREATE UNIQUE INDEX record_imported ON record (user_id, line) WHERE origin = 'imported';
    CREATE UNIQUE INDEX record_by_source ON record (boot, line, request, sequence) WHERE boot IS NOT NULL;
    -- A record whose time was set leaves this index.
    CREATE INDEX record_provisional ON record (boot, user_id) WHERE provisional = 1 AND effective_ms = created_ms;
    CREATE INDEX record_ended_provisional ON record (ended_boot) WHERE ended_boot IS NOT NULL;

    -- The sales with paid time, and the room that is paid by each, from the moment of its record on. In the order of paid_id they hold
    -- for the room. A sale that was moved to another room has a new row; without a room it is paid of none. No row for a void record.
    CREATE TABLE paid_time (
      paid_id INTEGER PRIMARY KEY,
      record_id INTEGER NOT NULL UNIQUE REFERENCES record,
      device_id TEXT,
      actuator_id TEXT,
      paid_ms INTEGER NOT NULL CHECK (paid_ms BETWEEN 0 AND 2678400000),
      doubt TEXT NOT NULL CHECK (doubt IN ('none', 'open', 'lasting')),
      FOREIGN KEY (device_id, actuator_id) REFERENCES actuator ON UPDATE CASCADE ON DELETE SET NULL
    ) STRICT;
    CREATE INDEX paid_time_by_room ON paid_time (device_id, actuator_id, paid_id);
    CREATE INDEX paid_time_open ON paid_time (record_id) WHERE doubt = 'open';

    -- Some records of each account by their number (numbers.ts): the newest of each stretch that is in the rollups.
    CREATE TABLE number_mark (
      user_id TEXT NOT NULL,
      number INTEGER NOT NULL,
      record_id INTEGER NOT NULL,
      PRIMARY KEY (user_id, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE correction (
      correction_id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      record_id INTEGER REFERENCES record,
      time_ms INTEGER,
      lost_from INTEGER,
      lost_to INTEGER,
      anchor BLOB,
      reason TEXT NOT NULL,
      noted_ms INTEGER NOT NULL,
      hash BLOB NOT NULL
    ) STRICT;
    CREATE INDEX correction_by_record ON correction (record_id);
    -- Each start reads these.
    CREATE INDEX correction_lost ON correction (correction_id) WHERE kind = 'lost';

    -- The rollups hold the records up to the entry position, which has this hash. commits: the number of the commit that
    -- it was the newest entry of, so that the ledger's copy beside it (tail.ts) can be compared.
    CREATE TABLE rolled_up (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      position INTEGER NOT NULL,
      hash BLOB NOT NULL,
      commits INTEGER NOT NULL
    ) STRICT;
    INSERT INTO rolled_up (only, position, hash, commits) VALUES (1, 0, zeroblob(32), 0);

    -- changed_provisional: changed_ms was not trusted, and is still to be set.
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
      record_id INTEGER REFERENCES record,
      changed_provisional INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;

    -- What an account's line does from begun_ms of boot, in monotonic milliseconds, for life_ms is no sale. It ends before that
    -- where ended_boot and ended_ms say so.
    CREATE TABLE line_test (
      test_id INTEGER PRIMARY KEY,
      user_id TEXT NOT NULL,
      line TEXT NOT NULL,
      boot INTEGER NOT NULL REFERENCES boot,
      begun_ms INTEGER NOT NULL,
      life_ms INTEGER NOT NULL CHECK (life_ms BETWEEN 1 AND 28800000),
      ended_boot INTEGER REFERENCES boot,
      ended_ms INTEGER
    ) STRICT;
    CREATE INDEX line_test_by_line ON line_test (line, user_id, test_id);
    CREATE INDEX line_test_open ON line_test (user_id, line) WHERE ended_boot IS NULL;

    -- A rise of a line under test: it would have been a sale.
    CREATE TABLE tested_edge (
      edge_id INTEGER PRIMARY KEY AUTOINCREMENT,
      test_id INTEGER NOT NULL,
      user_id TEXT NOT NULL,
      line TEXT NOT NULL,
      device_id TEXT NOT NULL,
      room TEXT NOT NULL,
      time_ms INTEGER NOT NULL,
      boot INTEGER NOT NULL REFERENCES boot,
      monotonic_ns INTEGER NOT NULL,
      request INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      UNIQUE (boot, line, request, sequence)
    ) STRICT;
    CREATE INDEX tested_edge_by_line ON tested_edge (user_id, line, edge_id);
    CREATE INDEX tested_edge_by_user ON tested_edge (user_id, edge_id);

    -- A commissioning that is open. scope: JSON of a CommissionScope. Its rooms that are ticked off: JSON of a Tick.
    CREATE TABLE commission (
      user_id TEXT PRIMARY KEY REFERENCES account ON DELETE CASCADE,
      begun_ms INTEGER NOT NULL,
      scope TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE commission_tick (
      device_id TEXT NOT NULL,
      actuator_id TEXT NOT NULL,
      tick TEXT NOT NULL,
      PRIMARY KEY (device_id, actuator_id),
      FOREIGN KEY (device_id, actuator_id) REFERENCES actuator ON UPDATE CASCADE ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    -- Since when a wired line is not watched, in monotonic milliseconds of a boot. No row while it is watched.
    CREATE TABLE unwatched (
      line TEXT PRIMARY KEY REFERENCES wiring ON DELETE CASCADE,
      boot INTEGER NOT NULL REFERENCES boot,
      since_ms REAL NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- missed and missed_rises are null for an outage. boot, from_ns and to_ns: a gap that was found while the clock was not
    -- trusted, until its time is known; from_ns is null where it began in another boot. number: among the account's gaps.
    CREATE TABLE gap (
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
      to_ns INTEGER,
      number INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX gap_provisional ON gap (boot) WHERE boot IS NOT NULL;
    CREATE UNIQUE INDEX gap_by_user ON gap (user_id, number);
    CREATE INDEX gap_by_line ON gap (user_id, line, gap_id);

    CREATE TABLE idempotency (
      user_id TEXT NOT NULL,
      key TEXT NOT NULL,
      body_hash TEXT NOT NULL,
      record_id INTEGER NOT NULL REFERENCES record,
      created_ms INTEGER NOT NULL,
      boot INTEGER REFERENCES boot,
      begun_ms INTEGER NOT NULL,
      PRIMARY KEY (user_id, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX idempotency_by_age ON idempotency (boot, begun_ms);

    ${["day", "month"]
      .map(
        (period) => `CREATE TABLE rollup_${period} (
      user_id TEXT NOT NULL,
      ${period} INTEGER NOT NULL,
      location_name TEXT NOT NULL,
      device_id TEXT NOT NULL,
      count INTEGER NOT NULL,
      total_micros INTEGER NOT NULL CHECK (total_micros BETWEEN -9000000000000000000 AND 9000000000000000000),
      PRIMARY KEY (user_id, ${period}, location_name, device_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX rollup_${period}_near_limit ON rollup_${period} (total_micros) WHERE ${IS_NEAR_LIMIT};`,
      )
      .join("\n    ")}

    -- user_id is the account that an entry is about. It refers to nothing: an entry outlives its account. details is JSON.
    -- position, hash and number (among those of its account): of an entry that is one of the chain, and stays for ever. repeats: how often it was repeated.
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
      details TEXT NOT NULL,
      repeats INTEGER NOT NULL DEFAULT 0,
      position INTEGER UNIQUE,
      hash BLOB,
      number INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX audit_by_number ON audit (user_id, number) WHERE number IS NOT NULL;

    -- The months that are closed, each with the number of its audit entry, which has the settlement.
    CREATE TABLE closed_month (
      user_id TEXT NOT NULL,
      month INTEGER NOT NULL,
      number INTEGER NOT NULL,
      PRIMARY KEY (user_id, month)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX audit_by_kind ON audit (kind, audit_id);
    CREATE INDEX audit_passing ON audit (kind, user_id, audit_id) WHERE position IS NULL;
    CREATE INDEX audit_by_user ON audit (user_id, audit_id);
    CREATE INDEX audit_lasting ON audit (user_id, way, audit_id) WHERE position IS NOT NULL;
  `,
};

/** Every migration, in order. The file keeps the number of those that it has in `PRAGMA user_version`. */
export const MIGRATIONS: readonly Migration[] = [initial];

/** The schema version that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;
