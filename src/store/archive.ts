import type { Database } from "better-sqlite3";
import { formatMonth } from "../domain/archive.ts";
import type { Actor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { PreparedArchive } from "./archive-make.ts";
import { type Archive, parseStatement, readArchives, runsOf, statementText } from "./archive-statement.ts";
import type { WriteContext } from "./command.ts";

/** Entries removed in one command: other writes wait meanwhile. */
const MAX_REMOVED = 500;

interface Count {
  readonly records: number;
  readonly corrections: number;
}

/** What one piece of removing came to. */
export interface Removed {
  readonly removed: number;
  /** Only entries before this number are left to be removed; 0: none. */
  readonly before: number;
}

/**
 * Takes archived entries out of the ledger: first the entry that tells of them, with their sums, is appended to the
 * chain, and from that moment they count with it; then their rows are removed, the last ones first, so that the chain
 * can be followed whatever is left of them.
 */
export function archiveCommands(db: Database, context: Pick<WriteContext, "audit" | "chain" | "nowMs">) {
  const count = db.prepare<{ first: number; last: number }, Count>(
    `SELECT (SELECT count(*) FROM record WHERE record_id BETWEEN @first AND @last) AS records,
            (SELECT count(*) FROM correction WHERE correction_id BETWEEN @first AND @last
              AND kind IN ('void', 'time')) AS corrections`,
  );
  const hashAt = db
    .prepare<[number, number], Buffer>(
      `SELECT hash FROM record WHERE record_id = ? UNION ALL SELECT hash FROM correction WHERE correction_id = ?`,
    )
    .pluck();
  const correctedSince = db
    .prepare<[number], number>(
      "SELECT record_id FROM correction WHERE correction_id > ? AND record_id IS NOT NULL",
    )
    .pluck();
  const held = db
    .prepare<{ first: number; last: number }, number>(
      `SELECT EXISTS (SELECT 1 FROM line_state WHERE record_id BETWEEN @first AND @last)
           OR EXISTS (SELECT 1 FROM idempotency WHERE record_id BETWEEN @first AND @last)`,
    )
    .pluck();
  const insert = db.prepare<[number, string, number, string, Buffer]>(
    `INSERT INTO correction (correction_id, kind, reason, noted_ms, archive, hash) VALUES (?, 'archive', ?, ?, ?, ?)`,
  );
  const statementOf = db
    .prepare<[number], string>("SELECT archive FROM correction WHERE correction_id = ? AND kind = 'archive'")
    .pluck();
  const top = db
    .prepare<{ first: number; last: number }, number | null>(
      `SELECT max(coalesce((SELECT max(record_id) FROM record WHERE record_id BETWEEN @first AND @last), 0),
                  coalesce((SELECT max(correction_id) FROM correction WHERE correction_id BETWEEN @first AND @last), 0))`,
    )
    .pluck();
  const forgetVoids = db.prepare<{ from: number; to: number }>(
    `UPDATE record SET voided_by = NULL WHERE voided_by BETWEEN @from AND @to`,
  );
  const removeCorrections = db.prepare<{ from: number; to: number }>(
    "DELETE FROM correction WHERE correction_id BETWEEN @from AND @to",
  );
  const removeRecords = db.prepare<{ from: number; to: number }>(
    "DELETE FROM record WHERE record_id BETWEEN @from AND @to",
  );

  /** The rows must be those that were written to the file, all of them, and nothing may refer to them. */
  function requireUnchanged({ statement, head }: PreparedArchive): void {
    const archives = readArchives(db);
    // None of them can stand behind the head that they were read under.
    const runs = runsOf({ position: Number.POSITIVE_INFINITY, statement });
    let records = 0;
    for (const { first, last, records: told, hash } of runs) {
      const found = count.get({ first, last });
      const whole = found?.records === told && found.records + found.corrections === last - first + 1;
      const free = archives.runs.every((run) => run.last < first || last < run.first);
      if (!whole || !free || last > head || hashAt.get(last, last)?.equals(hash) !== true)
        throw changed(statement.file);
      if (held.get({ first, last }) === 1) throw changed(statement.file);
      records += told;
    }
    if (records !== statement.records) throw changed(statement.file);
    const isTold = (position: number) =>
      runs.some(({ first, last }) => first <= position && position <= last);
    if (correctedSince.all(head).some(isTold)) throw changed(statement.file);
  }

  return {
    /**
     * Tells of a checked archive: its entries count with it from then on. Gives the number of the entry. Throws
     * `conflict` where one of them was changed since.
     */
    archive({ prepared, by }: { prepared: PreparedArchive; by: Actor }): number {
      requireUnchanged(prepared);
      const notedMs = context.nowMs();
      const archive = statementText(prepared.statement);
      const reason = `moved to ${prepared.statement.file}`;
      const { position, hash } = context.chain.appendCorrection({
        kind: "archive",
        recordId: null,
        timeMs: null,
        lostFrom: null,
        lostTo: null,
        anchor: null,
        reason,
        notedMs,
        archive,
      });
      insert.run(position, reason, notedMs, archive, hash);
      const { month, file } = prepared.statement;
      context.audit.note("month_archived", null, { month: formatMonth(month), file }, by);
      return position;
    },

    /** Removes entries that an archive tells of, some at once, those before `before` and the last ones first. */
    removeArchived({ position, before }: { position: number; before: number }): Removed {
      const statement = parseStatement(statementOf.get(position) ?? null);
      if (statement === undefined)
        throw new FlancoError("not_found", `The entry ${position} tells of no archive.`);
      const archive: Archive = { position, statement };
      let removed = 0;
      for (const run of runsOf(archive).toReversed()) {
        if (run.first >= before || run.last >= position) continue;
        const to = top.get({ first: run.first, last: Math.min(run.last, before - 1) }) ?? 0;
        if (to === 0) continue;
        const from = Math.max(run.first, to - (MAX_REMOVED - removed) + 1);
        forgetVoids.run({ from, to });
        removed += removeCorrections.run({ from, to }).changes + removeRecords.run({ from, to }).changes;
        if (removed >= MAX_REMOVED) return { removed, before: from };
      }
      return { removed, before: 0 };
    },
  };
}

function changed(file: string): FlancoError {
  return new FlancoError("conflict", `Records were changed while ${file} was written.`, {
    hint: "Nothing was removed. Try again.",
  });
}
