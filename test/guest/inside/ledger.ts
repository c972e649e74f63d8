import Database from "better-sqlite3";
import { type Gap, type LedgerRow, type Outage, ROOMS } from "../report.ts";

const COLUMNS = `room, valor_micros AS valorMicros, origin, created_ms AS createdMs, ended_ms AS endedMs, boot, line, request, sequence,
  monotonic_ns AS monotonicNs`;

/** The ledger's file, read beside the running program. */
export class Ledger {
  readonly #database: Database.Database;
  readonly #rows: Database.Statement<[number], LedgerRow>;
  readonly #gaps: Database.Statement<[], Gap>;
  readonly #outages: Database.Statement<[], Outage>;
  readonly #state: Database.Statement<[], { room: string; records: number; ended: number }>;
  readonly #last: Database.Statement<[], { last: number }>;

  constructor(file: string) {
    this.#database = new Database(file, { readonly: true, fileMustExist: true });
    this.#rows = this.#database.prepare(
      `SELECT ${COLUMNS} FROM record WHERE record_id > ? ORDER BY record_id`,
    );
    this.#gaps = this.#database.prepare("SELECT line, missed, reason FROM gap ORDER BY gap_id");
    this.#outages = this.#database.prepare(
      "SELECT line, from_ms AS fromMs, to_ms AS toMs FROM gap WHERE reason = 'outage' ORDER BY gap_id",
    );
    this.#state = this.#database.prepare(
      "SELECT room, count(*) AS records, count(ended_ms) AS ended FROM record GROUP BY room",
    );
    this.#last = this.#database.prepare("SELECT coalesce(max(record_id), 0) AS last FROM record");
  }

  /** Position of the last record: what comes later has a greater one. */
  position(): number {
    return this.#last.get()?.last ?? 0;
  }

  rowsAfter(position: number): readonly LedgerRow[] {
    return this.#rows.all(position);
  }

  /** The records after a position by room, every room present. */
  roomsAfter(position: number): Record<string, LedgerRow[]> {
    const rooms = Object.fromEntries(ROOMS.map((room): [string, LedgerRow[]] => [room, []]));
    for (const row of this.rowsAfter(position)) rooms[row.room]?.push(row);
    return rooms;
  }

  gaps(): readonly Gap[] {
    return this.#gaps.all();
  }

  outages(): readonly Outage[] {
    return this.#outages.all();
  }

  /** How many records each room has, and how many of them have ended. */
  counts(): ReadonlyMap<string, { readonly records: number; readonly ended: number }> {
    return new Map(this.#state.all().map(({ room, records, ended }) => [room, { records, ended }]));
  }

  close(): void {
    this.#database.close();
  }
}
