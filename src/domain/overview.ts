import type { Day } from "./day.ts";

/** Pairs of a location and a device offered as filters: those with the most sales. */
export const MAX_CHOICES = 300;

/** The last seven local days, all of today included, or the local calendar year that holds now. */
export type OverviewPeriod = "week" | "year";

/** Sales of one location or device; null matches all. */
export interface OverviewFilter {
  readonly location: string | null;
  readonly deviceId: string | null;
}

/** Number and exact sum of records, without voided ones. */
export interface Sold {
  readonly totalMicros: bigint;
  readonly count: number;
}

/** Sales from one local day to another, both included. */
export interface SoldOnDays extends Sold {
  readonly from: Day;
  readonly to: Day;
  /** Distinct location names, and distinct device ids, among the records. */
  readonly locations: number;
  readonly devices: number;
}

/** What can be filtered by. */
export interface PlaceChoices {
  /** By name. */
  readonly locations: readonly string[];
  /** Ordered by location and id. A device with sales at two locations is listed twice. */
  readonly devices: readonly { readonly deviceId: string; readonly locationName: string }[];
}

/** A period beside the one before. */
export interface Overview extends SoldOnDays {
  /** The seven days before the week, or the same days of last year. */
  readonly before: SoldOnDays;
  /** All of today. */
  readonly today: Sold;
  /** 7 days, oldest first, or 12 months by their first day, January first; 0 where nothing was sold. */
  readonly chart: readonly (Sold & { readonly start: Day })[];
  /** By sales in the period and the one before, unfiltered: at most MAX_CHOICES. */
  readonly choices: PlaceChoices;
}
