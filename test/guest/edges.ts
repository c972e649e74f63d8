import { assert } from "chai";
import { type Drive, type LedgerRow, ROOMS } from "./report.ts";

/** The kernel stamps in the interrupt itself; all else is the emulated processor's being taken away. */
const KERNEL_STAMP_MS = 10;
/** Wall time is the monotonic stamp's, moved by an offset that is measured in milliseconds. */
export const WALL_MS = 30;
const NS_PER_MS = 1e6;

/** Relays that were driven, and the records that the ledger made of it. */
interface RecordedDrives {
  readonly drives: readonly Drive[];
  readonly rows: readonly LedgerRow[];
}

/** How a room's relay was switched on, or off. */
export function drivesOf(
  { drives }: Pick<RecordedDrives, "drives">,
  room: string,
  high = true,
): readonly Drive[] {
  return drives.filter((drive) => drive.room === room && drive.high === high);
}

export function rowsOf({ rows }: Pick<RecordedDrives, "rows">, room: string): readonly LedgerRow[] {
  return rows.filter((row) => row.room === room);
}

/** No edge became two records. */
export function assertDistinct(rows: readonly LedgerRow[]): void {
  const sources = rows.map(({ boot, line, request, sequence }) =>
    JSON.stringify([boot, line, request, sequence]),
  );
  assert.equal(new Set(sources).size, rows.length);
}

/** Whether a stamp is of an edge that was driven between these times. */
export function isStampOf(stampNs: number, { beforeNs, afterNs }: Drive): boolean {
  return stampNs >= beforeNs && stampNs <= afterNs + KERNEL_STAMP_MS * NS_PER_MS;
}

/** Each record has the time of its edge, and of its end. */
export function assertStamped(recorded: RecordedDrives): void {
  for (const room of ROOMS) {
    const rises = drivesOf(recorded, room);
    const falls = drivesOf(recorded, room, false);
    for (const [index, row] of rowsOf(recorded, room).entries()) {
      const [rise, fall] = [rises[index], falls[index]];
      if (rise === undefined || fall === undefined) throw new Error(`A record of room ${room} has no edges.`);
      assert.isTrue(isStampOf(row.monotonicNs ?? Number.NaN, rise), `room ${room}, record ${index}`);
      for (const [ms, drive] of [
        [row.createdMs, rise],
        [row.endedMs ?? Number.NaN, fall],
      ] as const) {
        assert.isAtLeast(ms, drive.beforeMs - WALL_MS, `room ${room}, record ${index}`);
        assert.isAtMost(ms, drive.afterMs + KERNEL_STAMP_MS + WALL_MS, `room ${room}, record ${index}`);
      }
    }
  }
}
