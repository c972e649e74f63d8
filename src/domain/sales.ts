import type { Day } from "./day.ts";
import type { EitherWay, LedgerReader } from "./ledger.ts";
import type { OverviewPeriod, PlaceSold, SoldOnDays } from "./overview.ts";

/** Reads of lines, which a company's database cannot answer: it knows the chain alone. */
type LineRead = "gaps" | "wirings";

/**
 * Reads of sales that a gateway's ledger and a company's database answer alike. In
 * a company's database the account is the company, a location or device is one that
 * has sold, and a day is the local day of its clinic. Each answer is of one commit.
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

/** What all clinics have sold in a period, and each, the highest sum first, beside the same days before. */
interface Comparison extends SoldOnDays {
  readonly before: SoldOnDays;
  readonly clinics: readonly PlaceSold[];
}

/** What a company has sold, and its clinics side by side. The account that is asked for is the company. */
export interface CompanySales extends SalesReads {
  /**
   * The sales of all clinics in a period, up to today, beside the
   * same days before. `at` is a day of the period; null is today.
   */
  compare(period: OverviewPeriod, at: Day | null, nowMs: number): Promise<Comparison>;
}
