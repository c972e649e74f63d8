import type { EitherWay, LedgerReader } from "./ledger.ts";

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
