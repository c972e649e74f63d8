import type { Database } from "better-sqlite3";
import type { LocalCalendar } from "../../../src/store/ledger/calendar.ts";
import { openForWriting } from "../../../src/store/ledger/open.ts";
import { rebuildRollups } from "../../../src/store/ledger/rollup.ts";
import { RowBudget } from "../../../src/store/read/rollup-sum.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

/** The one account of a raw ledger. */
export const USER = "u".repeat(24);

export interface Sale {
  readonly location: string;
  readonly device: string;
  readonly valorMicros: number;
  readonly timeMs: number;
  readonly voided?: boolean;
}

/** A ledger whose rows a test writes by itself. */
export class RawLedger {
  readonly #directory = new TemporaryDirectory();
  readonly db: Database = openForWriting(this.#directory.file("flanco.db"));
  readonly budget = new RowBudget(this.db);

  /** Has these sales and no others; the sums are still to be made. */
  store(sales: readonly Sale[]): void {
    const insert = this.db.prepare(
      `INSERT INTO record (user_id, location_name, device_name, device_id, room, valor_micros, created_ms,
                           effective_ms, origin, voided_by, hash)
       VALUES (?, ?, 'd', ?, '1', ?, ?, ?, 'posted', ?, x'')`,
    );
    this.db.transaction(() => {
      this.db.exec(`DELETE FROM record; DELETE FROM correction;
               INSERT INTO correction (correction_id, kind, reason, noted_ms, hash) VALUES (1, 'void', '', 0, x'')`);
      for (const { location, device, valorMicros, timeMs, voided } of sales)
        insert.run(USER, location, device, valorMicros, timeMs, timeMs, voided === true ? 1 : null);
    })();
  }

  rollUp(calendar: LocalCalendar): void {
    this.db.transaction(() => rebuildRollups(this.db, calendar, () => {}))();
  }

  close(): void {
    this.db.close();
    this.#directory.remove();
  }
}
