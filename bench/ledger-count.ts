import DatabaseConstructor from "better-sqlite3";
import { ScriptFailure } from "../scripts/command.ts";
import type { Measured } from "./server.ts";

/**
 * Counts the rows of a stopped server's ledger against the posts that it acknowledged. Throws
 * ScriptFailure when they differ: a server could be fast by not storing.
 */
export function checkRows(measured: Measured, seeded = 0): number {
  const db = new DatabaseConstructor(measured.server.file, { readonly: true });
  const rows = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  db.close();
  const expected = seeded + measured.acknowledged;
  if (rows !== expected) {
    throw new ScriptFailure(
      `${measured.server.name} acknowledged ${expected} posts and holds ${rows} records`,
    );
  }
  return rows;
}
