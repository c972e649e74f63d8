import { existsSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import { FlancoError } from "../../domain/error.ts";
import type { OnProgress, OnSteps } from "../../platform/work.ts";
import { appendAudit } from "../nouns/audit.ts";
import type { LocalCalendar } from "../nouns/calendar.ts";
import { bringRollupsToZone } from "../nouns/rollup.ts";
import { requireAllCommits } from "../safety/tail.ts";
import { keyOfLedger, noteIdentity, readLedgerKey } from "./identity.ts";
import { damaged, openForWriting } from "./open.ts";
import type { WriterStart } from "./writer-thread.ts";

/**
 * Opens the ledger with this program's schema and the zone's sums. Another zone than
 * before is an audit entry, which is linked once the ledger is written. Throws as
 * `openForWriting` does, and `damaged` where a ledger that was here is missing.
 */
export function openUpToDate(
  { file, tailDirectory, startMs }: Pick<WriterStart, "file" | "tailDirectory" | "startMs">,
  calendar: LocalCalendar,
  onProgress: OnProgress,
): Database {
  if (!existsSync(file) && keyOfLedger(file) !== undefined) throw damaged(file, "it is missing");
  if (tailDirectory !== undefined) requireAllCommits(file, tailDirectory);
  const db = openForWriting(file, (done, total) => onProgress({ kind: "upgrade", done, total }));
  try {
    const onSteps: OnSteps = (done, total) => onProgress({ kind: "sums", done, total });
    bringRollupsToZone(db, calendar, onSteps, (from, sales) => {
      const details = { from, to: calendar.timeZone, sales };
      appendAudit(db, { kind: "time_zone_changed", timeMs: startMs, details, actor: SERVICE_ACTOR });
    });
    noteIdentity(file, readLedgerKey(db));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * To be passed as `onProgress` where long work must not be done: the first
 * report of progress, which comes before any change, throws `outdated`.
 */
export function refuseLongWork(): never {
  throw new FlancoError("outdated", "The ledger is not up to date.", {
    hint: "Start the service once: it brings the ledger up to date.",
  });
}
