import type { Patch } from "../../scripts/patch.ts";
import { MIGRATIONS, type Migration } from "../../src/ledger/engine/schema.ts";

const SQL = "CREATE TABLE later (later_id INTEGER PRIMARY KEY) STRICT; UPDATE record SET hash = hash;";

/** The schema of a program that comes after this one. It rewrites every record. */
export const LATER_MIGRATIONS: readonly Migration[] = [...MIGRATIONS, { sql: SQL }];

const FILE = "src/ledger/engine/schema.ts";
const LIST = "readonly Migration[] = [initial];";

/** Makes a program of that later schema from the sources. */
export const LATER_SCHEMA: Patch = {
  file: FILE,
  from: LIST,
  to: `readonly Migration[] = [initial, { sql: ${JSON.stringify(SQL)} }];`,
};

/** The same, for processes that are started with this environment variable only. */
export function laterSchemaWith(variable: string): Patch {
  const later = `{ sql: ${JSON.stringify(SQL)} }`;
  return {
    file: FILE,
    from: LIST,
    to: `readonly Migration[] = process.env[${JSON.stringify(variable)}] === undefined ? [initial] : [initial, ${later}];`,
  };
}
