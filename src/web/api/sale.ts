import type { Api } from "./api.ts";
import { flag, type Json, list, number, numberOrNull, object, text } from "./read.ts";

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

/** Newest first. `next` asks for the page after; null at the end of the ledger. */
export interface SalePage {
  readonly sales: readonly Sale[];
  readonly next: number | null;
}

const PAGE_SALES = 50;

/** The newest sales, or those before a record. */
export async function loadSales(api: Api, before: number | null): Promise<SalePage> {
  const cursor = before === null ? "" : `&before=${before}`;
  const answer = await api.get(`/api/records?limit=${PAGE_SALES}${cursor}`);
  return { sales: list(answer, "data", storedSaleOf), next: numberOrNull(answer, "next") };
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

function storedSaleOf(data: Json): Sale {
  return {
    ...liveSaleOf(data),
    endedTimeMs: numberOrNull(data, "endedTime"),
    origin: originOf(data),
    isProvisional: flag(data, "provisional"),
    voidReason: data["voided"] === null ? null : text(object(data["voided"], "voided"), "reason"),
  };
}

function originOf(data: Json): SaleOrigin {
  const origin = text(data, "origin");
  if (origin === "posted" || origin === "edge" || origin === "found_at_start") return origin;
  throw new TypeError("origin is not known");
}
