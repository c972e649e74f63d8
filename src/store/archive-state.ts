import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import type { ArchiveState } from "../domain/archive.ts";
import { type Archive, readArchives, runsOf } from "./archive-statement.ts";
import { hashFile } from "./file-copy.ts";
import { openForReading } from "./open.ts";

/** An archive whose entries the ledger still holds, all of them or some: their removal was cut off. */
export interface UnfinishedArchive extends ArchiveState {
  /** Number of the entry that tells of it. */
  readonly position: number;
}

/** Looks at each archive that the ledger tells of: is it there, and is it the one that was checked? */
export function inspectArchives(ledger: string, directory: string): readonly ArchiveState[] {
  return read(ledger, (db) => readArchives(db).list.map((archive) => stateOf(archive, directory)));
}

/** Those whose rows are to be removed, and the state of their files. */
export function unfinishedArchives(ledger: string, directory: string): readonly UnfinishedArchive[] {
  return read(ledger, (db) => {
    const waiting = db
      .prepare<{ first: number; last: number }, number>(
        `SELECT EXISTS (SELECT 1 FROM record WHERE record_id BETWEEN @first AND @last)
             OR EXISTS (SELECT 1 FROM correction WHERE correction_id BETWEEN @first AND @last)`,
      )
      .pluck();
    return readArchives(db)
      .list.filter((archive) => runsOf(archive).some(({ first, last }) => waiting.get({ first, last }) === 1))
      .map((archive) => ({ position: archive.position, ...stateOf(archive, directory) }));
  });
}

function stateOf({ statement }: Archive, directory: string): ArchiveState {
  const { month, file, records, sha256 } = statement;
  const path = join(directory, file);
  if (!existsSync(path)) return { month, file, records, state: "missing" };
  return { month, file, records, state: hashFile(path) === sha256 ? "right" : "altered" };
}

function read<T>(ledger: string, run: (db: Database) => T): T {
  const db = openForReading(ledger);
  try {
    return db.transaction(() => run(db))();
  } finally {
    db.close();
  }
}
