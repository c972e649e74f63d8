import { type Json, number, text } from "./read.ts";

/** Where a record came from. `live` has just been told by an event, which does not say. */
export type SaleOrigin = "posted" | "edge" | "found_at_start" | "live";

/** One record of the ledger. */
export interface Sale {
  /** Grows by commit order. */
  readonly recordId: number;
  readonly locationName: string;
  readonly deviceName: string;
  readonly deviceId: string;
  readonly room: string;
  readonly valor: number;
  readonly createdTimeMs: number;
  /** When the room was switched off; null while it is on, and for posted records. */
  readonly endedTimeMs: number | null;
  readonly origin: SaleOrigin;
  /** True while its time is not certain: the gateway's clock was not set when it was made. */
  readonly isProvisional: boolean;
  /** Why it was taken back and counts no more; null while it counts. */
  readonly voidReason: string | null;
}

/** A record as the event `record` tells it. */
export function liveSaleOf(data: Json): Sale {
  return {
    recordId: number(data, "recordId"),
    locationName: text(data, "locationName"),
    deviceName: text(data, "deviceName"),
    deviceId: text(data, "deviceId"),
    room: text(data, "habitacion"),
    valor: number(data, "valor"),
    createdTimeMs: number(data, "createdTime"),
    endedTimeMs: null,
    origin: "live",
    isProvisional: false,
    voidReason: null,
  };
}
