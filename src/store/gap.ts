import type { Database } from "better-sqlite3";
import type { Gap } from "../domain/gap.ts";
import type { Id } from "../domain/id.ts";
import type { PageRequest } from "../domain/ledger.ts";

export function gapReader(db: Database) {
  const page = db.prepare<[Id, number, number], Gap>(
    `SELECT gap_id AS gapId, line, from_ms AS fromTimeMs, to_ms AS toTimeMs, missed,
            missed_rises AS missedRises, reason
       FROM gap WHERE user_id = ? AND gap_id < ? ORDER BY gap_id DESC LIMIT ?`,
  );
  return {
    gaps: (userId: Id, request: PageRequest): readonly Gap[] =>
      page.all(userId, request.before ?? Number.MAX_SAFE_INTEGER, request.limit),
  };
}
