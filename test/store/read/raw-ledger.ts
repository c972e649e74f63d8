import type { Database } from "better-sqlite3";
import { openForWriting } from "../../../src/store/ledger/open.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

/** A ledger whose rows a test writes by itself. */
export class RawLedger {
  readonly #directory = new TemporaryDirectory();
  readonly db: Database = openForWriting(this.#directory.file("flanco.db"));

  close(): void {
    this.db.close();
    this.#directory.remove();
  }
}
