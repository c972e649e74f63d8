import type { StoredRecord } from "./record.ts";
import { inOrder } from "./text.ts";

/** Sums of some records. Provisional records count, voided ones do not. */
export interface ReportSum {
  /** Sales. */
  readonly count: number;
  /** Net: what was sold without what was given back. */
  readonly totalMicros: bigint;
  readonly refunds: number;
  /** What was given back: 0 or more. */
  readonly refundedMicros: bigint;
  /** Voided sales, which are in no other sum. */
  readonly voided: number;
  readonly voidedMicros: bigint;
  /** Sales that were added by hand. */
  readonly byHand: number;
  readonly byHandMicros: bigint;
  /** How many of the sales have no trusted time. */
  readonly provisional: number;
}

export interface RoomReport extends ReportSum {
  readonly location: string;
  readonly deviceId: string;
  /** The device's name in the newest of these records. */
  readonly deviceName: string;
  readonly room: string;
  /** The lowest and the highest price of its sales; null without one. */
  readonly leastMicros: number | null;
  readonly mostMicros: number | null;
  /** Until when these sales have paid for it, at most, in Unix milliseconds; null where none has. */
  readonly paidUntilMs: number | null;
}

/** The most rooms with a sum of their own, and the most characters of their names together. */
export const MAX_REPORTED_ROOMS = 2_000;
export const MAX_CHARACTERS = 200_000;

export const NOTHING: ReportSum = {
  count: 0,
  totalMicros: 0n,
  refunds: 0,
  refundedMicros: 0n,
  voided: 0,
  voidedMicros: 0n,
  byHand: 0,
  byHandMicros: 0n,
  provisional: 0,
};

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
    else this.#rooms.set(key, { ...known, ...plus(known, record), ...tariffWith(known, record) });
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
    return { ...names, ...NOTHING, leastMicros: null, mostMicros: null, paidUntilMs: null };
  }
}

/** Its prices, and until when it is paid, with one more record. */
function tariffWith(
  { leastMicros, mostMicros, paidUntilMs }: RoomReport,
  { voided, refundOf, valorMicros, paid }: StoredRecord,
): Partial<RoomReport> {
  if (voided !== null || refundOf !== null) return {};
  return {
    leastMicros: Math.min(leastMicros ?? valorMicros, valorMicros),
    mostMicros: Math.max(mostMicros ?? valorMicros, valorMicros),
    paidUntilMs: paid === null ? paidUntilMs : Math.max(paidUntilMs ?? 0, paid.untilMs),
  };
}

/** A sum with one more record. */
export function plus(
  sum: ReportSum,
  { voided, refundOf, origin, provisional, ...record }: StoredRecord,
): ReportSum {
  const micros = BigInt(record.valorMicros);
  const totalMicros = sum.totalMicros + micros;
  if (refundOf !== null) {
    if (voided !== null) return sum;
    return { ...sum, totalMicros, refunds: sum.refunds + 1, refundedMicros: sum.refundedMicros - micros };
  }
  if (voided !== null) return { ...sum, voided: sum.voided + 1, voidedMicros: sum.voidedMicros + micros };
  const byHand = origin === "by_hand";
  return {
    ...sum,
    count: sum.count + 1,
    totalMicros,
    byHand: sum.byHand + (byHand ? 1 : 0),
    byHandMicros: sum.byHandMicros + (byHand ? micros : 0n),
    provisional: sum.provisional + (provisional ? 1 : 0),
  };
}
