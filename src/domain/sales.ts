import type { Day } from "./day.ts";
import type { EitherWay, LedgerReader } from "./ledger.ts";
import type { OverviewPeriod, PlaceSold, SoldOnDays } from "./overview.ts";

/** What is known of the lines at which sales are made: nothing where only the chain is known. */
type LineRead = "gaps" | "wirings";

/**
 * What was sold, as a gateway's ledger and a company's database tell it alike. In a company's database the account is the
 * company, a location or device is one that has sold, and a day is the local day of its clinic. Each answer is of one commit.
 */
export type SalesReads = Pick<LedgerReader, "localTime"> &
  EitherWay<
    Pick<
      LedgerReader,
      | ("summary" | "overview" | "countRecords" | "sumRecords")
      | ("findRecords" | "findMoved" | "mark" | "chainHead")
      | ("locations" | "devices" | LineRead)
    >
  >;

/** What all clinics have sold in a period, and each of them, the highest sum first, beside the same days before. */
interface Comparison extends SoldOnDays {
  readonly before: SoldOnDays;
  readonly clinics: readonly PlaceSold[];
}

/** What a company has sold, and its clinics side by side. The account that is asked for is the company. */
export interface CompanySales extends SalesReads {
  /** A period of all clinics, those to come left out, beside the same days before; `at` is a day of it, today where null. */
  compare(period: OverviewPeriod, at: Day | null, nowMs: number): Promise<Comparison>;
}
