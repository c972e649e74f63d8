import { NANOSECONDS_PER_MILLISECOND, SECOND_MS } from "../../src/domain/clock.ts";
import type { Sighting } from "../../src/domain/sale.ts";

/** A level of room 101 on the line GPIO17, so many seconds after the boot and after 1970. */
export function aSighting(active: boolean, sequence: number, overrides: Partial<Sighting> = {}): Sighting {
  const timeMs = sequence * SECOND_MS;
  return {
    line: "GPIO17",
    deviceId: "d",
    actuatorId: "101",
    activeLow: false,
    active,
    timeMs,
    monotonicNs: BigInt(timeMs) * NANOSECONDS_PER_MILLISECOND,
    source: { bootId: "boot", request: 1, sequence },
    missed: 0,
    provisional: false,
    ...overrides,
  };
}
