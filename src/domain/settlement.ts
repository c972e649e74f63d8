import type { Month } from "./day.ts";
import { FlancoError } from "./error.ts";
import type { Currency } from "./status.ts";

/** The record was made since its month was closed, was voided since, or its time was learned since. */
export const CORRECTION_REASONS = ["late", "voided", "moved"] as const;

/** What a settlement has beside what the ledger says. */
export interface SettlementDetails {
  /** When it is made, in Unix milliseconds. */
  readonly time: number;
  readonly currency: Currency;
  /** Money that was counted, in units of the currency, by location. */
  readonly counted: ReadonlyMap<string, number>;
}

/** A month to close. */
export interface NewSettlement {
  readonly month: Month;
  /** Number of the settlement before; null where there is none. */
  readonly previous: number | null;
  /** Its settlement: JSON in the contract's shape, made of the entries up to its mark. */
  readonly text: string;
}

/** A closed month, by its entry of the chain. */
export interface SettlementHead {
  readonly month: Month;
  /** Among the account's lasting audit entries. */
  readonly number: number;
  /** In the chain. */
  readonly position: number;
  readonly hash: string;
  readonly timeMs: number;
  readonly who: string | null;
  readonly from: string;
}

/** A closed month with its settlement. */
export interface StoredSettlement extends SettlementHead {
  /** As `NewSettlement` has it. */
  readonly text: string;
}

/** A closed month stays closed, and a clock that is not trusted may be months ahead. */
export function clockNotSet(): FlancoError {
  return new FlancoError("conflict", "The gateway's clock is not set: it may be months ahead.", {
    hint: "A closed month stays closed. Start the service, connect the gateway to a network or set its clock, and close the month then.",
  });
}

/** Another month was closed meanwhile: the settlement lacks what that one's mark says. */
export function closedMeanwhile(): FlancoError {
  return new FlancoError("conflict", "A month was closed meanwhile.", {
    hint: "Look at the figures again, and close the month then.",
  });
}
