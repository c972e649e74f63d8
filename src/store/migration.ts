import type { Database } from "better-sqlite3";
import { FlancoError } from "../domain/error.ts";
import { initial } from "./migrations/001-initial.ts";
import { chain } from "./migrations/002-chain.ts";
import { outage } from "./migrations/003-outage.ts";
import { archive } from "./migrations/004-archive.ts";
import { audit } from "./migrations/005-audit.ts";

/** Told now and then while records are converted. */
export type MigrationProgress = (done: number, total: number) => void;

/** One step of the schema. Append-only: a released migration never changes. */
export interface Migration {
  /** Counts from 1 without holes; the file keeps the last one in `PRAGMA user_version`. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** What SQL cannot say, after it and in the same transaction. */
  readonly convert?: (db: Database, onProgress: MigrationProgress) => void;
}

const MIGRATIONS: readonly Migration[] = [initial, chain, outage, archive, audit];

/** The schema version that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Gives the file's schema version. Throws `too_new` for a later program's file. */
export function requireKnownSchema(db: Database): number {
  const current = Number(db.pragma("user_version", { simple: true }));
  if (current > SCHEMA_VERSION) {
    throw new FlancoError(
      "too_new",
      `The ledger was written by a newer flanco (schema ${current}; this program knows ${SCHEMA_VERSION}).`,
      { hint: "Install that version again; nothing was changed." },
    );
  }
  return current;
}

/** Applies what is missing, one transaction each. Throws `too_new` for a later program's file. */
export function migrate(db: Database, onProgress: MigrationProgress): void {
  const current = requireKnownSchema(db);
  for (const migration of MIGRATIONS.slice(current)) {
    db.transaction(() => {
      db.exec(migration.sql);
      migration.convert?.(db, onProgress);
      db.pragma(`user_version = ${migration.version}`);
    }).immediate();
  }
}
