import type { Database } from "better-sqlite3";
import type { EdgeSource } from "../domain/sale.ts";

export function sightingReader(db: Database) {
  const last = db.prepare<[string], EdgeSource>(
    "SELECT boot_id AS bootId, request, sequence FROM line_state JOIN boot USING (boot) WHERE line = ?",
  );
  return { lastSighting: (line: string): EdgeSource | undefined => last.get(line) };
}
