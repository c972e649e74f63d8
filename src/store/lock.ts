import DatabaseConstructor, { type Database } from "better-sqlite3";
import { FlancoError } from "../domain/error.ts";

/**
 * One process per data directory. The lock is SQLite's own on a file beside the ledger: the kernel
 * drops it with the process, however that ends, so there is nothing stale to clean up.
 */
export class DataLock {
  readonly #file: string;
  #db: Database | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws `conflict` when another process has the directory. */
  acquire(): void {
    const db = new DatabaseConstructor(this.#file, { timeout: 0 });
    try {
      db.exec("BEGIN EXCLUSIVE");
      this.#db = db;
    } catch (error) {
      db.close();
      if (error instanceof DatabaseConstructor.SqliteError && error.code === "SQLITE_BUSY") {
        throw new FlancoError("conflict", "Another flanco is using this data directory.", {
          hint: "Stop it first, or choose another directory with FLANCO_DATA_DIR.",
        });
      }
      throw error;
    }
  }

  release(): void {
    this.#db?.close();
    this.#db = undefined;
  }
}
