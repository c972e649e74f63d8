import type { Day } from "./day.ts";

/** Pairs of a location and a device that are offered to filter by: those with the most sales. */
export const MAX_CHOICES = 300;

/** The last seven local days up to now, or the local calendar year that holds now. */
export type OverviewPeriod = "week" | "year";

/** Sales of one place or one device alone; null: of all. Both must fit where both are given. */
export interface PlaceFilter {
  readonly location: string | null;
  readonly deviceId: string | null;
}

/** Records that count, and their exact sum. */
export interface Sold {
  readonly totalMicros: bigint;
  readonly count: number;
}

/** What was sold on some local days, both ends included. */
export interface SoldOnDays extends Sold {
  readonly from: Day;
  readonly to: Day;
  /** Distinct location names, and distinct device ids, among the records. */
  readonly locations: number;
  readonly devices: number;
}

/** What a filter may choose. */
export interface PlaceChoices {
  /** By name. */
  readonly locations: readonly string[];
  /** By location and id; a device that has sold at two places is there twice. */
  readonly devices: readonly { readonly deviceId: string; readonly locationName: string }[];
}

/** A period beside the one before. */
export interface Overview extends SoldOnDays {
  /** The seven days before the week, or the same days of last year. */
  readonly before: SoldOnDays;
  /** Today up to now. */
  readonly today: Sold;
  /** 7 days, oldest first, or 12 months by their first day, January first; 0 where nothing was sold. */
  readonly chart: readonly (Sold & { readonly start: Day })[];
  /** What sold most in the period and the one before, no filter applied: all of it, but for hundreds. */
  readonly choices: PlaceChoices;
}
