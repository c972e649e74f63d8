import { MICROS_PER_UNIT } from "../domain/amount.ts";
import type { Day } from "../domain/day.ts";
import type { ArchiveStatement } from "./archive-statement.ts";

/** A record that counts, and where. */
export interface CountedSale {
  readonly userId: string;
  readonly locationName: string;
  readonly deviceId: string;
  readonly room: string;
  readonly micros: number;
}

interface Total {
  count: number;
  units: number;
  micros: number;
}

/** Adds up what an archive's statement tells: per day, and per room. */
export class ArchiveSums {
  readonly #days = new Map<string, Total & { readonly at: [string, Day, string, string] }>();
  readonly #rooms = new Map<string, Total & { readonly at: [string, string, string, string] }>();

  add({ userId, locationName, deviceId, room, micros }: CountedSale, day: Day): void {
    addAt(this.#days, [userId, day, locationName, deviceId], micros);
    addAt(this.#rooms, [userId, locationName, deviceId, room], micros);
  }

  /** Always in the same order, so that equal sums make equal texts. */
  result(): Pick<ArchiveStatement, "days" | "rooms"> {
    return {
      days: sorted(this.#days).map(({ at, count, units, micros }) => [...at, count, units, micros]),
      rooms: sorted(this.#rooms).map(({ at, count, units, micros }) => [...at, count, units, micros]),
    };
  }
}

function addAt<At extends readonly (string | number)[]>(
  totals: Map<string, Total & { readonly at: At }>,
  at: At,
  amount: number,
): void {
  // No text of the ledger holds a NUL.
  const key = at.join("\0");
  let total = totals.get(key);
  if (total === undefined) {
    total = { at, count: 0, units: 0, micros: 0 };
    totals.set(key, total);
  }
  const micros = total.micros + (amount % MICROS_PER_UNIT);
  total.count += 1;
  total.units += Math.trunc(amount / MICROS_PER_UNIT) + Math.trunc(micros / MICROS_PER_UNIT);
  total.micros = micros % MICROS_PER_UNIT;
}

function sorted<T>(totals: ReadonlyMap<string, T>): T[] {
  return [...totals].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
}
