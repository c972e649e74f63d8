import { query } from "../../rig/ledger-file.ts";
import { type Gap, type LedgerRow, type Outage, ROOMS } from "../report.ts";

const COLUMNS = `room, valor_micros AS valorMicros, origin, created_ms AS createdMs, ended_ms AS endedMs, boot, line, request, sequence,
  monotonic_ns AS monotonicNs`;

/**
 * The ledger's file, read beside the running program. It is open only for each question: an upgrade puts another one in its place,
 * and refuses to while it is open.
 */
export class Ledger {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Position of the last record: what comes later has a greater one. */
  position(): number {
    const sql = "SELECT coalesce(max(record_id), 0) AS last FROM record";
    return query<{ last: number }>(this.#file, sql)[0]?.last ?? 0;
  }

  rowsAfter(position: number): readonly LedgerRow[] {
    const sql = `SELECT ${COLUMNS} FROM record WHERE record_id > ${position} ORDER BY record_id`;
    return query(this.#file, sql);
  }

  /** The records after a position by room, every room present. */
  roomsAfter(position: number): Record<string, LedgerRow[]> {
    const rooms = Object.fromEntries(ROOMS.map((room): [string, LedgerRow[]] => [room, []]));
    for (const row of this.rowsAfter(position)) rooms[row.room]?.push(row);
    return rooms;
  }

  gaps(): readonly Gap[] {
    return query(this.#file, "SELECT line, missed, reason FROM gap ORDER BY gap_id");
  }

  outages(): readonly Outage[] {
    const columns = "line, from_ms AS fromMs, to_ms AS toMs";
    return query(this.#file, `SELECT ${columns} FROM gap WHERE reason = 'outage' ORDER BY gap_id`);
  }
}
