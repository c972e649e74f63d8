import { microsFromValor } from "./amount.ts";
import { formatMonth, type Month } from "./day.ts";
import { inOrder } from "./text.ts";

/** A share of what is sold; a fixed canon for each month; the share, but at least an amount for each month. */
export const TERMS_KINDS = ["share", "canon", "minimum"] as const;

/** What clinic and company have agreed on for one location, as it is written to the ledger. They hold until later terms do. */
export interface Terms {
  /** The month from which they hold: `2026-10`. */
  readonly from: string;
  readonly kind: (typeof TERMS_KINDS)[number];
  /** The clinic's share of what is sold, VAT included, in percent with two decimals; 0 with a canon. */
  readonly share: number;
  /** The canon or the minimum of a month, in units of the currency; 0 with a share alone. */
  readonly amount: number;
  /** The rate of the VAT that prices include, in percent with two decimals. */
  readonly vat: number;
  /** Names of the two who sign; empty where they are not known. */
  readonly companySigner: string;
  readonly clinicSigner: string;
  /** Whether the account's months may be closed without a person. */
  readonly closesItself: boolean;
}

/** The same with the name of their location. */
export interface LocationTerms extends Terms {
  readonly location: string;
}

/** The rate of Spain, in percent. */
export const DEFAULT_VAT = 21;

/** The terms of a location that hold in a month; null where none do. */
export function termsIn(all: readonly LocationTerms[], location: string, month: Month): Terms | null {
  const [latest] = all
    .filter((terms) => terms.location === location && terms.from <= formatMonth(month))
    .sort((one, other) => inOrder(other.from, one.from));
  if (latest === undefined) return null;
  const { location: _, ...terms } = latest;
  return terms;
}

/** What an amount is split into: base and VAT add up to the net exactly, and so do the clinic's and the company's part. */
export const SPLIT = ["net", "base", "vat", "clinic", "company"] as const;
/** In millionths. */
export type Split = Readonly<Record<(typeof SPLIT)[number], bigint>>;

/**
 * Splits what a month has brought. The VAT base and the clinic's part are rounded to `unit`, the currency's smallest
 * amount in millionths, halves away from zero; VAT and the company's part are the rest. Without terms all is the company's.
 */
export function splitOf(net: bigint, terms: Terms | null, unit: bigint): Split {
  const rate = inHundredths(terms?.vat ?? DEFAULT_VAT);
  const base = rounded(net * WHOLE, (WHOLE + rate) * unit) * unit;
  const clinic = clinicPart(net, terms, unit);
  return { net, base, vat: net - base, clinic, company: net - clinic };
}

function clinicPart(net: bigint, terms: Terms | null, unit: bigint): bigint {
  if (terms === null) return 0n;
  const amount = BigInt(microsFromValor(terms.amount));
  if (terms.kind === "canon") return amount;
  const share = rounded(net * inHundredths(terms.share), WHOLE * unit) * unit;
  return terms.kind === "minimum" && share < amount ? amount : share;
}

/** 100 % in hundredths of a percent. */
const WHOLE = 10_000n;

/** Hundredths of a percent. */
export function inHundredths(percent: number): bigint {
  return BigInt(Math.round(percent * 100));
}

/** The quotient, rounded to a whole number, halves away from zero. The denominator is positive. */
function rounded(numerator: bigint, denominator: bigint): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const whole = (magnitude * 2n + denominator) / (denominator * 2n);
  return numerator < 0n ? -whole : whole;
}
