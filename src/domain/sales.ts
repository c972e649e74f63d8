import type { Day } from "./day.ts";
import type { EitherWay } from "./heavy-read.ts";
import type { LedgerReader } from "./ledger.ts";
import type { OverviewPeriod, PlaceSold, SoldOnDays } from "./overview.ts";

/** Reads of lines, which a company's database cannot answer: it knows the chain alone. */
type LineRead = "gaps" | "wirings";

/**
 * Reads that a gateway's ledger and a company's database answer alike, each of one commit. For a company
 * the account is the company, places are those that have sold, and days are local to each clinic.
 */
export type SalesReads = Pick<LedgerReader, "localTime"> &
  EitherWay<
    Pick<
      LedgerReader,
      | ("summary" | "overview" | "sumRecords")
      | ("findRecords" | "findMoved" | "mark" | "chainHead")
      | ("locations" | "devices" | LineRead)
    >
  >;

/** What all clinics sold in a period, and each, the highest sum first, beside the same days before. */
interface Comparison extends SoldOnDays {
  readonly before: SoldOnDays;
  readonly clinics: readonly PlaceSold[];
}

/** What a company has sold, and its clinics side by side. The account that is asked for is the company. */
export interface CompanySales extends SalesReads {
  /** Compares the clinics in a period up to today. `at` is a day of the period; null is today. */
  compare(period: OverviewPeriod, at: Day | null, nowMs: number): Promise<Comparison>;
}
