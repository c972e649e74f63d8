import type { Asker } from "./job-slots.ts";
import type { LedgerReader } from "./ledger.ts";

/** Reads whose cost grows with the names, records and acceptance reports of an account. */
export type HeavyRead =
  | "summary"
  | "overview"
  | "roomsToday"
  | "roomDays"
  | "sumRecords"
  | "ledgerStatus"
  | "audit"
  | "acceptanceReports";

/**
 * The same reads, of which none delays another request, however
 * long it takes. They reject with `overloaded` when many wait.
 */
export type HeavyReads = {
  readonly [N in HeavyRead]: (...input: Parameters<LedgerReader[N]>) => Promise<ReturnType<LedgerReader[N]>>;
} & {
  /** Does work whose reads are this member's: those of an account are made by turns. Others are the account's own. */
  as<T>(asker: Asker, work: () => T): T;
};

/** The same reads, where a ledger's file answers at once and a company's database answers later. */
export type EitherWay<Reads> = {
  readonly [N in keyof Reads]: Reads[N] extends (...input: infer Input) => infer Answer
    ? (...input: Input) => Answer | Promise<Answer>
    : never;
};

/** The ledger's reads, of which the heavy ones may answer later. */
export type CalmReader = Omit<LedgerReader, HeavyRead> & EitherWay<Pick<LedgerReader, HeavyRead>>;
