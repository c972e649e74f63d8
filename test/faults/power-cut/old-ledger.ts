import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { SCHEMA_VERSION } from "../../../src/store/migration.ts";
import { openForWriting } from "../../../src/store/open.ts";
import { faultsOf, verifyLedger } from "../../../src/store/verify.ts";
import { CHECKOUT } from "../../cli/program.ts";

const LEDGER = "flanco.db";
const FIXTURE = join(CHECKOUT, "test", "store", "fixtures", "schema-1.sql");

/** A ledger of the first schema, which the program brings up to date when it starts. */
export class OldLedger {
  readonly #totals: string;

  /** Makes the ledger in a folder that is not there yet. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const db = new Database(join(folder, LEDGER));
    // A dump tells its tables by name, children before parents.
    db.pragma("foreign_keys = OFF");
    db.exec(readFileSync(FIXTURE, "utf8"));
    db.close();
    this.#totals = look(join(folder, LEDGER)).totals;
  }

  /**
   * Compares what a crash left with the ledger as it was: old or new it holds the same, and so it does once the program
   * has brought it up to date. Names everything that is wrong.
   */
  compare(folder: string, upgraded: boolean): readonly string[] {
    const file = join(folder, LEDGER);
    if (!existsSync(file)) return ["there is no ledger"];
    const found = look(file);
    openForWriting(file).close();
    const after = look(file);
    return [
      ...(upgraded && found.schema !== SCHEMA_VERSION
        ? [`the ledger is of schema ${found.schema}, though it was upgraded`]
        : []),
      ...(found.totals === this.#totals ? [] : [`schema ${found.schema} has other totals: ${found.totals}`]),
      ...(after.totals === this.#totals ? [] : [`the upgraded ledger has other totals: ${after.totals}`]),
      ...faultsOf(verifyLedger(file, () => {})),
    ];
  }
}

/** Records and sum by room and month. */
function look(file: string): { readonly schema: number; readonly totals: string } {
  const db = new Database(file, { fileMustExist: true });
  try {
    const rows = db
      .prepare(
        `SELECT room, strftime('%Y-%m', created_ms / 1000, 'unixepoch'), count(*), sum(micros)
           FROM record GROUP BY 1, 2 ORDER BY 1, 2`,
      )
      .raw()
      .all();
    return { schema: Number(db.pragma("user_version", { simple: true })), totals: JSON.stringify(rows) };
  } finally {
    db.close();
  }
}
