import type { Api } from "./api.ts";
import { type Json, list, number, object, text } from "./read.ts";

/** `week`: the last seven local days, today included. `year`: the local calendar year. */
export type Period = "week" | "year";

/** What to sum up. An undefined part is left open. */
export interface SummaryFilter {
  readonly period: Period;
  /** A location's name. */
  readonly location: string | undefined;
  /** A device's id. */
  readonly device: string | undefined;
}

export interface Totals {
  readonly revenue: number;
  /** Number of records. */
  readonly sales: number;
  /** How many different ones sold something. */
  readonly locations: number;
  readonly devices: number;
}

/** One bar: a day or a month. */
export interface ChartEntry {
  /** The day, or the first of the month, as `2026-11-01`. */
  readonly start: string;
  readonly revenue: number;
  readonly sales: number;
}

export interface SoldDevice {
  readonly id: string;
  readonly locationName: string;
}

export interface Summary {
  readonly period: Period;
  /** First and last local day, both included; the last is today. */
  readonly from: string;
  readonly to: string;
  readonly totals: Totals;
  readonly before: Totals;
  readonly today: { readonly revenue: number; readonly sales: number };
  /** Seven days, oldest first, or twelve months, January first. */
  readonly chart: readonly ChartEntry[];
  /** What sold in the period or in the one before, whatever the filter. */
  readonly soldLocations: readonly string[];
  readonly soldDevices: readonly SoldDevice[];
}

export async function loadSummary(api: Pick<Api, "get">, filter: SummaryFilter): Promise<Summary> {
  return summaryOf(object((await api.get(summaryPath(filter)))["data"], "data"));
}

export function summaryPath({ period, location, device }: SummaryFilter): string {
  const query = new URLSearchParams({ period });
  if (location !== undefined) query.set("location", location);
  if (device !== undefined) query.set("device", device);
  return `/api/summary?${query}`;
}

/** Reads the answer's `data`. */
export function summaryOf(data: Json): Summary {
  const today = object(data["today"], "today");
  const choices = object(data["choices"], "choices");
  const names = choices["locations"];
  const period = text(data, "period");
  if (period !== "week" && period !== "year") throw new TypeError("period is not known");
  return {
    period,
    from: text(data, "from"),
    to: text(data, "to"),
    totals: totalsOf(data),
    before: totalsOf(object(data["before"], "before")),
    today: { revenue: number(today, "revenue"), sales: number(today, "sales") },
    chart: list(data, "chart", (entry) => ({
      start: text(entry, "start"),
      revenue: number(entry, "revenue"),
      sales: number(entry, "sales"),
    })),
    soldLocations: Array.isArray(names) ? names.map(String) : [],
    soldDevices: list(choices, "devices", (device) => ({
      id: text(device, "deviceId"),
      locationName: text(device, "locationName"),
    })),
  };
}

function totalsOf(data: Json): Totals {
  return {
    revenue: number(data, "revenue"),
    sales: number(data, "sales"),
    locations: number(data, "locations"),
    devices: number(data, "devices"),
  };
}
