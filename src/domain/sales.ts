import type { LedgerReader, SyncOrAsync } from "./ledger.ts";

/** Reads of lines, which a company's database cannot answer: it knows the chain alone. */
type LineRead = "gaps" | "wirings";

/**
 * Reads of sales that a gateway's ledger and a company's database answer alike. In
 * a company's database the account is the company, a location or device is one that
 * has sold, and a day is the local day of its clinic. Each answer is of one commit.
 */
export type SalesReads = Pick<LedgerReader, "localTime"> &
  SyncOrAsync<
    Pick<
      LedgerReader,
      | ("summary" | "overview" | "sumRecords" | "firstDay")
      | ("findRecords" | "findMoved" | "mark" | "chainHead")
      | ("locations" | "devices" | LineRead)
    >
  >;
