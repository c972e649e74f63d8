import type { Database } from "better-sqlite3";
import { readHead } from "../../src/ledger/engine/chain.ts";
import { openForWriting } from "../../src/ledger/engine/open.ts";
import { RowBudget } from "../../src/ledger/engine/reader.ts";
import type { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { RollupWriter } from "../../src/ledger/nouns/rollup.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

/** The one account of a raw ledger. */
export const USER = "u".repeat(24);

export interface Sale {
  readonly location: string;
  readonly device: string;
  readonly valorMicros: number;
  readonly timeMs: number;
  readonly voided?: boolean;
  /** It is a refund: its valor is below 0. */
  readonly refund?: boolean;
}

/** What a sale's device was called then. */
export function nameOf({ location, device }: Pick<Sale, "location" | "device">): string {
  return `${device} at ${location}`;
}

/** Makes some of the sales refunds: those of an even number of millionths below 0. */
export function withRefunds<S extends Sale>(sales: readonly S[]): readonly S[] {
  return sales.map((sale) => ({ ...sale, refund: sale.valorMicros < 0 && sale.valorMicros % 2 === 0 }));
}

/** A ledger whose rows a test writes by itself. */
export class RawLedger {
  readonly #directory = new TemporaryDirectory();
  readonly db: Database = openForWriting(this.#directory.file("flanco.db"));
  readonly budget = new RowBudget(this.db);

  /** Has these sales and no others, and none of them is rolled up. */
  store(sales: readonly Sale[], calendar: LocalCalendar): void {
    const insert = this.db.prepare(
      `INSERT INTO record (user_id, location_name, device_name, device_id, room, valor_micros, created_ms,
                           effective_ms, day, origin, voided_by, hash, refund_of, number)
       VALUES (?, ?, ?, ?, '1', ?, ?, ?, ?, 'posted', ?, x'', ?, (SELECT coalesce(max(record_id), 0) + 1 FROM record))`,
    );
    this.db.transaction(() => {
      this.db.exec(`DELETE FROM record; DELETE FROM correction; DELETE FROM rollup_day; DELETE FROM rollup_month; DELETE FROM number_mark;
               UPDATE rolled_up SET position = 0;
               INSERT INTO correction (correction_id, kind, reason, noted_ms, hash) VALUES (1, 'void', '', 0, x'')`);
      for (const { location, device, valorMicros, timeMs, voided, refund } of sales)
        insert.run(
          USER,
          location,
          nameOf({ location, device }),
          device,
          valorMicros,
          timeMs,
          timeMs,
          calendar.dayOf(timeMs),
          voided === true ? 1 : null,
          refund === true ? 1 : null,
        );
    })();
  }

  /** Rolls up what is not rolled up yet; up to the newest sale by default. */
  rollUp(position = readHead(this.db).position): void {
    const rollups = new RollupWriter(this.db);
    this.db.transaction(() => rollups.rollUp({ position, hash: "", commits: 0 }))();
  }

  close(): void {
    this.db.close();
    this.#directory.remove();
  }
}
