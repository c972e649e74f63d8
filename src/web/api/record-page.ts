import type { Api } from "./api.ts";
import { flag, type Json, list, numberOrNull, object, text } from "./read.ts";
import { liveSaleOf, type Sale } from "./sale.ts";

/** Some records, newest first by time. */
export interface RecordPage {
  readonly records: readonly Sale[];
  /** Asks for those after; null once there are no more. A page may be empty and yet have a next one. */
  readonly next: string | null;
}

const PAGE_RECORDS = 200;

/** A page of the records that a filter lets through (a query without `?`), from the newest or from a cursor on. */
export async function loadRecords(
  api: Pick<Api, "get">,
  filter: string,
  before: string | null,
  limit = PAGE_RECORDS,
): Promise<RecordPage> {
  const answer = await api.get(recordsPath(filter, before, limit));
  const next = answer["next"];
  return {
    records: list(answer, "data", recordOf),
    next: next === null ? null : typeof next === "number" ? String(next) : text(answer, "next"),
  };
}

/** Asks for what `loadRecords` gives. */
export function recordsPath(filter: string, before: string | null, limit = PAGE_RECORDS): string {
  const query = new URLSearchParams(filter);
  query.set("limit", String(limit));
  if (before !== null) query.set("before", before);
  return `/api/records?${query}`;
}

function recordOf(data: Json): Sale {
  const voided = data["voided"];
  return {
    ...liveSaleOf(data),
    endedTimeMs: numberOrNull(data, "endedTime"),
    origin: originOf(text(data, "origin")),
    isProvisional: flag(data, "provisional"),
    voidReason: voided === null ? null : text(object(voided, "voided"), "reason"),
  };
}

function originOf(origin: string): Sale["origin"] {
  if (origin === "posted" || origin === "edge" || origin === "found_at_start") return origin;
  throw new TypeError("origin is not known");
}
