import type { Database } from "better-sqlite3";
import { readHead } from "../ledger/chain.ts";
import { entryHash } from "../read/tally.ts";

/** Tables that grow with the records: checking them takes a time that a start has not. */
const GROWING = new Set(["record", "correction", "idempotency", "rollup_day", "rollup_month"]);

/**
 * What can be seen within milliseconds at any size: every table that does not grow with the records is read in full,
 * and so is the newest entry. Gives what is wrong; null when nothing is. SQLite's own
 * errors pass.
 */
export function quickCheck(db: Database): string | null {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
  for (const table of tables.filter((name) => !GROWING.has(name))) {
    const found = db.pragma(`integrity_check("${table}")`, { simple: true });
    if (found !== "ok") return `the table ${table} does not hold together (${found})`;
  }
  if (!tables.includes("chain_head")) return null;
  // Reads the way down to it, which throws where a page of that is damaged. Whether the entry is the right one is
  // for verify to say: a file that is whole, but was altered, is nothing to build anew without a word.
  entryHash(db, readHead(db).position);
  return null;
}
