import type { Migration } from "../migration.ts";

/**
 * An entry of kind `archive` tells which entries were moved to a file, and what they come to: `archive` holds
 * that, as JSON (`src/store/archive-statement.ts`), and is a part of the entry's canonical form.
 */
export const archive: Migration = {
  version: 4,
  name: "archive",
  sql: `
    ALTER TABLE correction ADD COLUMN archive TEXT;
    CREATE INDEX correction_archive ON correction (correction_id) WHERE kind = 'archive';
    -- What refers to a record, or to a correction, is looked up for each that is removed.
    CREATE INDEX idempotency_by_record ON idempotency (record_id);
    CREATE INDEX record_by_void ON record (voided_by) WHERE voided_by IS NOT NULL;
    -- Listings go by time: record_by_time serves them, and each index less makes every sale cheaper to write.
    DROP INDEX record_by_user;
  `,
};
