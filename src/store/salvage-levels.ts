import type { Database } from "better-sqlite3";

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
