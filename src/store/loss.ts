import type { Loss } from "../domain/loss.ts";
import { openForReading } from "./open.ts";

/** What damage to the file has cost, oldest first: the entries that a `lost` correction made at that time tells of. */
export function readLosses(ledger: string): readonly Loss[] {
  const db = openForReading(ledger);
  try {
    return db
      .prepare<[], Loss>(
        // Holes of the time before the chain have no moment: nobody can do anything about them.
        `SELECT correction_id AS position, noted_ms AS notedMs, lost_from AS lostFrom, lost_to AS lostTo, reason
           FROM correction WHERE kind = 'lost' AND lost_from IS NOT NULL AND noted_ms > 0 ORDER BY correction_id`,
      )
      .all();
  } finally {
    db.close();
  }
}
