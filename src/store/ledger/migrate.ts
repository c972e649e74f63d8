import type { Database } from "better-sqlite3";
import { FlancoError } from "../../domain/error.ts";
import type { OnSteps } from "../../domain/work.ts";
import { MIGRATIONS, type Migration } from "./schema.ts";

/** Gives the file's schema version. Throws `too_new` for a later program's file. */
export function requireKnownSchema(db: Database, migrations = MIGRATIONS): number {
  const current = Number(db.pragma("user_version", { simple: true }));
  if (current > migrations.length) {
    throw new FlancoError(
      "too_new",
      `The ledger was written by a newer flanco (schema ${current}; this program knows ${migrations.length}).`,
      { hint: "Install that version again; nothing was changed." },
    );
  }
  return current;
}

/** Applies the missing migrations, a transaction each. Throws `too_new` for a later program's file. */
export function migrate(db: Database, onProgress: OnSteps, migrations: readonly Migration[]): void {
  const current = requireKnownSchema(db, migrations);
  migrations.slice(current).forEach(({ sql, convert }, index) => {
    db.transaction(() => {
      db.exec(sql);
      convert?.(db, onProgress);
      db.pragma(`user_version = ${current + index + 1}`);
    }).immediate();
  });
}
