import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openForWriting } from "../../../src/ledger/engine/open.ts";
import { SCHEMA_VERSION } from "../../../src/ledger/engine/schema.ts";
import { faultsOf, verifyLedger } from "../../../src/ledger/safety/verify.ts";
import { seedLedger } from "../../cli/ledger.ts";
import { LATER_MIGRATIONS } from "../../rig/later-schema.ts";
import { inFile } from "../../rig/ledger-file.ts";

const LEDGER = "flanco.db";
const SALES = 60;
const DAY_MS = 24 * 3_600_000;

/** A ledger of this program's schema, which a program of a later schema brings up to date when it starts. */
export class OldLedger {
  #totals = "";

  /** Makes the ledger in a folder that does not exist yet. */
  async make(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, LEDGER);
    await seedLedger(
      file,
      Array.from({ length: SALES }, (_, index) => Date.UTC(2026, 0, 1) + index * DAY_MS),
    );
    this.#totals = readTotals(file).totals;
  }

  /**
   * Compares what a crash left with the ledger as it was: old or new it holds the same, and so it does once it has been
   * brought up to date. Names everything that is wrong.
   */
  compare(folder: string, upgraded: boolean): readonly string[] {
    const file = join(folder, LEDGER);
    if (!existsSync(file)) return ["there is no ledger"];
    const found = readTotals(file);
    const db = openForWriting(file, () => {}, LATER_MIGRATIONS);
    // The later schema has one table more: this program's check reads such a ledger as its own.
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    db.close();
    const after = readTotals(file);
    return [
      ...(upgraded && found.schema !== LATER_MIGRATIONS.length
        ? [`the ledger is of schema ${found.schema}, though it was upgraded`]
        : []),
      ...(found.totals === this.#totals ? [] : [`schema ${found.schema} has other totals: ${found.totals}`]),
      ...(after.totals === this.#totals ? [] : [`the upgraded ledger has other totals: ${after.totals}`]),
      ...faultsOf(verifyLedger(file, () => {})),
    ];
  }
}

/** Records and sum by room and month. */
function readTotals(file: string): { readonly schema: number; readonly totals: string } {
  return inFile(file, (db) => {
    const rows = db
      .prepare(
        `SELECT room, strftime('%Y-%m', created_ms / 1000, 'unixepoch'), count(*), sum(valor_micros)
           FROM record GROUP BY 1, 2 ORDER BY 1, 2`,
      )
      .raw()
      .all();
    return { schema: Number(db.pragma("user_version", { simple: true })), totals: JSON.stringify(rows) };
  });
}
