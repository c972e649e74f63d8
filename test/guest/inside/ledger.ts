import Database from "better-sqlite3";
import { type Gap, type LedgerRow, type Outage, ROOMS } from "../report.ts";

const COLUMNS = `room, valor_micros AS valorMicros, origin, created_ms AS createdMs, ended_ms AS endedMs, boot, line, request, sequence,
  monotonic_ns AS monotonicNs`;

/** The ledger's file, read beside the running program. */
export class Ledger {
  readonly #file: string;
  readonly #kept: Database.Database | undefined;

  /**
   * Without `isKeptOpen` the file is open only for each question: an upgrade puts another one in its place, and refuses to while it
   * is open.
   */
  constructor(file: string, isKeptOpen = true) {
    this.#file = file;
    if (isKeptOpen) this.#kept = this.#open();
  }

  /** Position of the last record: what comes later has a greater one. */
  position(): number {
    const [row] = this.#ask<{ last: number }>("SELECT coalesce(max(record_id), 0) AS last FROM record");
    return row?.last ?? 0;
  }

  rowsAfter(position: number): readonly LedgerRow[] {
    return this.#ask(`SELECT ${COLUMNS} FROM record WHERE record_id > ? ORDER BY record_id`, position);
  }

  /** The records after a position by room, every room present. */
  roomsAfter(position: number): Record<string, LedgerRow[]> {
    const rooms = Object.fromEntries(ROOMS.map((room): [string, LedgerRow[]] => [room, []]));
    for (const row of this.rowsAfter(position)) rooms[row.room]?.push(row);
    return rooms;
  }

  gaps(): readonly Gap[] {
    return this.#ask("SELECT line, missed, reason FROM gap ORDER BY gap_id");
  }

  outages(): readonly Outage[] {
    return this.#ask(
      "SELECT line, from_ms AS fromMs, to_ms AS toMs FROM gap WHERE reason = 'outage' ORDER BY gap_id",
    );
  }

  /** How many records each room has, and how many of them have ended. */
  counts(): ReadonlyMap<string, { readonly records: number; readonly ended: number }> {
    const rows = this.#ask<{ room: string; records: number; ended: number }>(
      "SELECT room, count(*) AS records, count(ended_ms) AS ended FROM record GROUP BY room",
    );
    return new Map(rows.map(({ room, ...counts }) => [room, counts]));
  }

  close(): void {
    this.#kept?.close();
  }

  #open(): Database.Database {
    return new Database(this.#file, { readonly: true, fileMustExist: true });
  }

  #ask<Row>(sql: string, ...values: number[]): Row[] {
    const database = this.#kept ?? this.#open();
    try {
      return database.prepare<number[], Row>(sql).all(...values);
    } finally {
      if (database !== this.#kept) database.close();
    }
  }
}
