import type { StoredRecord } from "./record.ts";
import { inOrder } from "./text.ts";

/** Sums of some records. Provisional records count, voided ones do not. */
export interface ReportSum {
  readonly count: number;
  readonly totalMicros: bigint;
  readonly voided: number;
  /** How many of those that count have no trusted time. */
  readonly provisional: number;
}

export interface RoomReport extends ReportSum {
  readonly location: string;
  readonly deviceId: string;
  /** The device's name in the newest of these records. */
  readonly deviceName: string;
  readonly room: string;
}

/** The most rooms with a sum of their own, and the most characters of their names together. */
export const MAX_REPORTED_ROOMS = 2_000;
const MAX_CHARACTERS = 200_000;

const NOTHING: ReportSum = { count: 0, totalMicros: 0n, voided: 0, provisional: 0 };

/**
 * Sums per room. Where there are too many rooms, those that
 * sold last have sums of their own. Add records newest first.
 */
export class Report {
  readonly #rooms = new Map<string, RoomReport>();
  #characters = 0;
  #others: ReportSum | null = null;
  #totals = NOTHING;

  add(record: StoredRecord): void {
    const { locationName: location, deviceId, deviceName, room } = record;
    // No text of the ledger holds a NUL.
    const key = `${location}\0${deviceId}\0${room}`;
    const known = this.#rooms.get(key) ?? this.#newRoom({ location, deviceId, deviceName, room });
    if (known === undefined) this.#others = plus(this.#others ?? NOTHING, record);
    else this.#rooms.set(key, { ...known, ...plus(known, record) });
    this.#totals = plus(this.#totals, record);
  }

  /** By the location, the device's name and the room, in the order of numbers. */
  rooms(): readonly RoomReport[] {
    return [...this.#rooms.values()].sort(
      (a, b) =>
        inOrder(a.location, b.location) ||
        inOrder(a.deviceName, b.deviceName) ||
        inOrder(a.room, b.room) ||
        inOrder(a.deviceId, b.deviceId),
    );
  }

  /** The sum of the rooms beyond the bound; null where there are none. */
  others(): ReportSum | null {
    return this.#others;
  }

  totals(): ReportSum {
    return this.#totals;
  }

  /** Undefined beyond the bound. */
  #newRoom(names: Pick<RoomReport, "location" | "deviceId" | "deviceName" | "room">): RoomReport | undefined {
    const characters = Object.values(names).reduce((sum, name) => sum + name.length, this.#characters);
    const isFull = this.#others !== null || this.#rooms.size >= MAX_REPORTED_ROOMS;
    if (isFull || characters > MAX_CHARACTERS) return undefined;
    this.#characters = characters;
    return { ...names, ...NOTHING };
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
