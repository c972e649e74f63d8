import type { Database } from "better-sqlite3";
import type { CorrectionEntry } from "../../domain/chain-entry.ts";
import type { Loss } from "../../domain/gap.ts";
import { anchorOf, correctionText, hashOf, readHead } from "../engine/chain.ts";
import { readLedger } from "../engine/identity.ts";
import { chainReader } from "../nouns/chain-entries.ts";
import { keyOfTold, type ToldChange, toldBy } from "./finding.ts";
import type { LostSpan } from "./repeat.ts";

/**
 * Appends a `lost` entry for each of these spans, and for what follows the newest entry up to
 * `known`, so that their numbers are not used again; gives the spans. An entry of `REPAIRS` must be
 * linked next. `file` ends the reasons: where the damaged file is kept.
 */
export function noteLosses(
  db: Database,
  missed: readonly LostSpan[],
  known: number,
  file: string,
  notedMs: number,
): readonly LostSpan[] {
  const head = readHead(db).position;
  const last = missed.at(-1);
  // Where nothing that follows could be made again, the span reaches to the newest number that is known.
  const isOpen = last?.to === head;
  const from = isOpen ? last.from : head + 1;
  const to = Math.max(head, known);
  const open = from <= to ? [{ from, to }] : [];
  const lost = [...(isOpen ? missed.slice(0, -1) : missed), ...open];
  if (open.length > 0) {
    const reason = `the ledger goes on here after damage: ${file}`;
    appendLost(db, { position: to + 1, reason, notedMs });
  }
  for (const span of lost) {
    const [after] = chainReader(db).entriesAfter(span.to, span.to + 1, 1);
    if (after === undefined) throw new Error(`No entry follows the lost ones up to ${span.to}.`);
    appendLost(db, {
      position: readHead(db).position + 1,
      lostFrom: span.from,
      lostTo: span.to,
      anchor: anchorOf(after.hash, after.text),
      reason: `between ${timeBefore(db, span.from)} and ${timeAfter(db, span.to, notedMs)}; ${file}`,
      notedMs,
    });
  }
  return lost;
}

function timeBefore(db: Database, position: number): string {
  const newest = "SELECT effective_ms FROM record WHERE record_id < ? ORDER BY record_id DESC LIMIT 1";
  const timeMs = db.prepare<[number], number>(newest).pluck().get(position);
  return timeMs === undefined ? "the beginning" : new Date(timeMs).toISOString();
}

function timeAfter(db: Database, position: number, nowMs: number): string {
  const next = "SELECT effective_ms FROM record WHERE record_id > ? ORDER BY record_id LIMIT 1";
  return new Date(db.prepare<[number], number>(next).pluck().get(position) ?? nowMs).toISOString();
}

/** Links a `lost` entry to the newest entry. */
function appendLost(
  db: Database,
  given: Pick<CorrectionEntry, "position" | "reason" | "notedMs"> & Partial<CorrectionEntry>,
): void {
  const empty = { recordId: null, timeMs: null, lostFrom: null, lostTo: null, anchor: null };
  const entry: CorrectionEntry = { kind: "lost", ...empty, ...given };
  const hash = hashOf(readHead(db).hash, correctionText(entry));
  const { position, lostFrom, lostTo, anchor, reason, notedMs } = entry;
  db.prepare(
    `INSERT INTO correction (correction_id, kind, lost_from, lost_to, anchor, reason, noted_ms, hash)
     VALUES (?, 'lost', ?, ?, unhex(?), ?, ?, unhex(?))`,
  ).run(position, lostFrom, lostTo, anchor, reason, notedMs, hash);
}

/** The changes of totals that are not acknowledged yet, oldest first. */
export function readToldChanges(ledger: string): readonly ToldChange[] {
  return readLedger(ledger, (db) => {
    const isAcknowledged = db.prepare<[string], number>(
      "SELECT 1 FROM audit WHERE kind = 'findings_acknowledged' AND instr(details, ?) > 0",
    );
    return db
      .prepare<[], { kind: string; timeMs: number; details: string }>(
        `SELECT kind, time_ms AS timeMs, details FROM audit
          WHERE kind IN ('ledger_restored', 'time_zone_changed') AND position IS NOT NULL ORDER BY position`,
      )
      .all()
      .flatMap((entry) => toldBy(entry) ?? [])
      .filter((told) => isAcknowledged.get(keyOfTold(told)) === undefined);
  });
}

/** Entries that were lost with a damaged file and are not acknowledged yet, oldest first. */
export function readLosses(ledger: string): readonly Loss[] {
  return readLedger(ledger, (db) =>
    db
      .prepare<[], Loss>(
        `SELECT correction_id AS position, noted_ms AS notedMs, lost_from AS lostFrom, lost_to AS lostTo, reason
           FROM correction
          WHERE kind = 'lost' AND lost_from IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM audit WHERE kind = 'findings_acknowledged'
                               AND instr(details, 'lost ' || lost_from || '-' || lost_to || ' ') > 0)
          ORDER BY correction_id`,
      )
      .all(),
  );
}
