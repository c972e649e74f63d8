import type { StoredRecord } from "./record.ts";

/** Sums of some records. Provisional records count, voided ones do not. */
export interface ReportSum {
  readonly count: number;
  readonly totalMicros: bigint;
  readonly voided: number;
  /** How many of those that count have no trusted time. */
  readonly provisional: number;
}

export interface RoomReport extends ReportSum {
  readonly deviceId: string;
  /** As the newest of its records has it. */
  readonly deviceName: string;
  readonly room: string;
}

const inOrder = new Intl.Collator(undefined, { numeric: true }).compare;
const NOTHING: ReportSum = { count: 0, totalMicros: 0n, voided: 0, provisional: 0 };

/** Sums per room. Records are added newest first. */
export class Report {
  readonly #rooms = new Map<string, RoomReport>();
  #totals = NOTHING;

  add(record: StoredRecord): void {
    const { deviceId, deviceName, room } = record;
    // No text of the ledger holds a NUL.
    const key = `${deviceId}\0${room}`;
    const known = this.#rooms.get(key) ?? { deviceId, deviceName, room, ...NOTHING };
    this.#rooms.set(key, { ...known, ...plus(known, record) });
    this.#totals = plus(this.#totals, record);
  }

  /** By the device's name and the room, in the order of numbers. */
  rooms(): readonly RoomReport[] {
    return [...this.#rooms.values()].sort(
      (a, b) =>
        inOrder(a.deviceName, b.deviceName) || inOrder(a.room, b.room) || inOrder(a.deviceId, b.deviceId),
    );
  }

  totals(): ReportSum {
    return this.#totals;
  }
}

function plus(sum: ReportSum, { voided, provisional, valorMicros }: StoredRecord): ReportSum {
  const { count, totalMicros } = sum;
  if (voided !== null) return { ...sum, voided: sum.voided + 1 };
  return {
    count: count + 1,
    totalMicros: totalMicros + BigInt(valorMicros),
    voided: sum.voided,
    provisional: sum.provisional + (provisional ? 1 : 0),
  };
}
