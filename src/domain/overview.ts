import type { Day } from "./day.ts";

/** Pairs of a location and a device offered as filters: those with the most sales. */
export const MAX_CHOICES = 300;

/** A local day, the seven up to it, the local calendar month that holds it, or the year. */
export type OverviewPeriod = "day" | "week" | "month" | "year";

/** Sales of one location or device; null matches all. */
export interface OverviewFilter {
  readonly location: string | null;
  readonly deviceId: string | null;
  /** Of these locations by their names, which are the member's own (`LocationLimit`); null for all. */
  readonly within: readonly string[] | null;
}

/** Number and exact sum of records, without voided ones. */
export interface Sales {
  readonly totalMicros: bigint;
  readonly count: number;
}

export const NOTHING_SOLD: Sales = { totalMicros: 0n, count: 0 };

/** Sales from one local day to another, both included. */
export interface SalesOfDays extends Sales {
  readonly from: Day;
  readonly to: Day;
}

/** What has been sold today, in the last seven days, in this month or year so far. */
export interface Span extends SalesOfDays {
  readonly name: OverviewPeriod;
  /** The same days of the period before; of its last day only what was sold up to this time of day. */
  readonly before: SalesOfDays;
  /** Whether anything was sold by the first day of `before`. Otherwise these days are not known in full. */
  readonly isComparable: boolean;
}

/** A day or month of a chart, by its first day, beside what is compared of the same one of the period before. */
export interface OverviewBar extends Sales {
  readonly start: Day;
  readonly before: Sales;
}

/** A location or a clinic by its name, with what it sold in the period before. */
export interface NamedSales extends Sales {
  readonly name: string;
  readonly before: Sales;
}

/** Locations that are compared: those with the highest sums. */
export const MAX_COMPARED = 50;

/** A device that has sold, and where. */
export interface Seller {
  readonly deviceId: string;
  readonly locationName: string;
}

/** What can be filtered by. */
export interface LocationChoices {
  /** By name. */
  readonly locations: readonly string[];
  /** Ordered by location and id. A device with sales at two locations is listed twice. */
  readonly devices: readonly Seller[];
  /** Those of these devices, and the device that is filtered by, that were removed: at most MAX_GONE. */
  readonly gone: readonly GoneDevice[];
}

/** Removed devices that are named, at most. */
export const MAX_GONE = 20;

/** A device that has sold but was removed, or never existed here. */
export interface GoneDevice {
  readonly deviceId: string;
  /** In its newest record. */
  readonly name: string;
}

/** A period beside the one before. */
export interface Overview extends SalesOfDays {
  /** The day, the seven days, the month or the year before; of a running one the same days, of the last of them only what was sold up to this time of day. */
  readonly before: SalesOfDays;
  readonly spans: readonly Span[];
  /** The day, 7 days, the days of the month, or 12 months, oldest first; 0 where nothing was sold. */
  readonly chart: readonly OverviewBar[];
  /** By their sums in the period, at most MAX_COMPARED. */
  readonly locations: readonly NamedSales[];
  /** The locations beyond those, together; null where all are listed. */
  readonly otherLocations: Omit<NamedSales, "name"> | null;
  /** By sales in the period and the one before, of all that is within: at most MAX_CHOICES. */
  readonly choices: LocationChoices;
}

/** Which overview is wanted. */
export interface OverviewRequest {
  readonly period: OverviewPeriod;
  /** A day of the period, the last one of a week; null is today. */
  readonly at: Day | null;
  readonly filter: OverviewFilter;
}

/** The two periods of the contract's summary. */
export type Period = "semanal" | "anual";

export interface ChartEntry {
  /** Name of the day or month, in the contract's spelling. */
  readonly name: string;
  readonly totalMicros: bigint;
}

export interface Summary {
  readonly totalMicros: bigint;
  readonly count: number;
  /** Distinct location names among the period's records. */
  readonly locations: number;
  /** Distinct device ids among the period's records. */
  readonly devices: number;
  /** 7 days, oldest first, or 12 months, January first; 0 where nothing was sold. */
  readonly chart: readonly ChartEntry[];
}
