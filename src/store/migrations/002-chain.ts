import type { Database } from "better-sqlite3";
import {
  anchorOf,
  type ChainHead,
  type CorrectionEntry,
  correctionText,
  hashOf,
  NO_HASH,
  type SaleEntry,
  saleText,
} from "../chain.ts";
import type { Migration, MigrationProgress } from "../migration.ts";

/** Records read at a time, and between two reports of progress. */
const PAGE = 10_000;

interface Hole {
  readonly from: number;
  readonly to: number;
  readonly anchor: Buffer;
}

/**
 * Every record becomes an entry of one chain of hashes, and corrections become entries of their own that
 * refer to it. `effective_ms` is the time that counts, `created_ms` the one that was recorded; `voided_by`
 * says that it counts no more. Both follow from the corrections and can be made anew.
 */
export const chain: Migration = {
  version: 2,
  name: "chain",
  sql: `
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

    ALTER TABLE record ADD COLUMN provisional INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE record ADD COLUMN effective_ms INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE record ADD COLUMN voided_by INTEGER REFERENCES correction;
    ALTER TABLE record ADD COLUMN hash BLOB NOT NULL DEFAULT x'';
    UPDATE record SET effective_ms = created_ms;
    DROP INDEX record_by_time;
    CREATE INDEX record_by_time ON record (user_id, effective_ms);
    -- Its entries end with the record's number: a page of a listing is read where it stands.
    CREATE INDEX record_by_user ON record (user_id);
    -- Once its time is set a record counts elsewhere than where it was made, and leaves this index.
    CREATE INDEX record_provisional ON record (boot) WHERE provisional = 1 AND effective_ms = created_ms;

    -- An end that was seen while the clock was not trusted: when, until it is set.
    ALTER TABLE record ADD COLUMN ended_boot INTEGER REFERENCES boot;
    ALTER TABLE record ADD COLUMN ended_ns INTEGER;
    CREATE INDEX record_ended_provisional ON record (ended_boot) WHERE ended_boot IS NOT NULL;

    -- A gap that was noted while the clock was not trusted, likewise; from_ns is null where it began in another boot.
    ALTER TABLE gap ADD COLUMN boot INTEGER REFERENCES boot;
    ALTER TABLE gap ADD COLUMN from_ns INTEGER;
    ALTER TABLE gap ADD COLUMN to_ns INTEGER;
    CREATE INDEX gap_provisional ON gap (boot) WHERE boot IS NOT NULL;

    -- Whether changed_ms was not trusted, and is still to be set.
    ALTER TABLE line_state ADD COLUMN changed_provisional INTEGER NOT NULL DEFAULT 0;

    -- Wall time of the boot's monotonic zero, once its clock was trusted, and how far it is known to have come.
    ALTER TABLE boot ADD COLUMN zero_ms INTEGER;
    ALTER TABLE boot ADD COLUMN last_ms INTEGER NOT NULL DEFAULT 0;

    -- Monotonic time of that boot, which no setting of the clock moves; wall time where no boot is known.
    ALTER TABLE session ADD COLUMN boot INTEGER REFERENCES boot;
    ALTER TABLE session ADD COLUMN begun_ms INTEGER NOT NULL DEFAULT 0;
    UPDATE session SET begun_ms = created_ms;
    ALTER TABLE idempotency ADD COLUMN boot INTEGER REFERENCES boot;
    ALTER TABLE idempotency ADD COLUMN begun_ms INTEGER NOT NULL DEFAULT 0;
    UPDATE idempotency SET begun_ms = created_ms;
    CREATE INDEX idempotency_by_age ON idempotency (boot, begun_ms);

    CREATE TABLE chain_head (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      position INTEGER NOT NULL,
      hash BLOB NOT NULL
    ) STRICT;
  `,
  convert: (db, onProgress) => {
    const { head, holes } = linkRecords(db, onProgress);
    const last = tellHoles(db, head, holes);
    db.prepare("INSERT INTO chain_head (only, position, hash) VALUES (1, ?, ?)").run(
      last.position,
      last.hash,
    );
  },
};

/** Links the records that are there, in the order of the ledger. */
function linkRecords(db: Database, onProgress: MigrationProgress): { head: ChainHead; holes: Hole[] } {
  const total = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  const page = db.prepare<[number, number], SaleEntry>(
    `SELECT record_id AS position, user_id AS userId, location_name AS locationName, device_name AS deviceName,
            device_id AS deviceId, room, micros, created_ms AS createdMs, origin, provisional,
            boot_id AS bootId, line, request, sequence, monotonic_ns AS monotonicNs
       FROM record LEFT JOIN boot USING (boot) WHERE record_id > ? ORDER BY record_id LIMIT ?`,
  );
  const link = db.prepare<[Buffer, number]>("UPDATE record SET hash = ? WHERE record_id = ?");
  const holes: Hole[] = [];
  let head: ChainHead = { position: 0, hash: NO_HASH };
  let done = 0;
  for (let sales = page.all(0, PAGE); sales.length > 0; sales = page.all(head.position, PAGE)) {
    for (const sale of sales) {
      const text = saleText(sale);
      const before = head.position;
      head = { position: sale.position, hash: hashOf(head.hash, text) };
      link.run(head.hash, head.position);
      if (head.position > before + 1) {
        holes.push({ from: before + 1, to: head.position - 1, anchor: anchorOf(head.hash, text) });
      }
    }
    done += sales.length;
    onProgress(done, total);
  }
  return { head, holes };
}

/** No record was ever deleted, so that a number that is missing is told from now on. */
function tellHoles(db: Database, head: ChainHead, holes: readonly Hole[]): ChainHead {
  const insert = db.prepare(
    `INSERT INTO correction (correction_id, kind, lost_from, lost_to, anchor, reason, noted_ms, hash)
     VALUES (?, 'lost', ?, ?, ?, ?, ?, ?)`,
  );
  let last = head;
  for (const { from, to, anchor } of holes) {
    const entry: CorrectionEntry = {
      position: last.position + 1,
      kind: "lost",
      recordId: null,
      timeMs: null,
      lostFrom: from,
      lostTo: to,
      anchor,
      reason: "missing when the ledger's records were first chained",
      notedMs: 0,
    };
    last = { position: entry.position, hash: hashOf(last.hash, correctionText(entry)) };
    insert.run(last.position, from, to, anchor, entry.reason, entry.notedMs, last.hash);
  }
  return last;
}
