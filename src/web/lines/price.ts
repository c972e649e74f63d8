import type { Format } from "../format/format.ts";

const PRICE = /^\d{1,9}(?:[.,]\d{1,6})?$/;
/** Of a currency, or its code, before or behind the amount. */
const SIGN = /^(?:\p{Sc}|[A-Z]{3})|(?:\p{Sc}|[A-Z]{3})$/u;

/**
 * Reads a price as people write it, with a comma or a point before the decimals, and with a currency's sign
 * or without; undefined for anything else.
 */
export function priceOf(text: string): number | undefined {
  const written = text.trim().replace(SIGN, "").trim();
  return PRICE.test(written) ? Number(written.replace(",", ".")) : undefined;
}

/** An amount with signs between its thousands, by the sign before its decimals. */
const GROUPED = {
  ",": /^\d{1,3}(?:\.\d{3})+(?:,\d{1,6})?$/,
  ".": /^\d{1,3}(?:,\d{3})+(?:\.\d{1,6})?$/,
} as const;

/** The same of an amount, which may be written as the page writes it: `1.234,50 €` in Spanish. */
export function amountOf(text: string, { typedMoney }: Pick<Format, "typedMoney">): number | undefined {
  const decimalSign = typedMoney(1 / 2).includes(",") ? "," : ".";
  const written = text.trim().replace(SIGN, "").trim();
  const isWithThousands = GROUPED[decimalSign].test(written);
  return priceOf(isWithThousands ? written.replaceAll(decimalSign === "," ? "." : ",", "") : written);
}

/** Whether what is read as three decimals may be meant as thousands: `4.500`. */
export function isGrouped(text: string): boolean {
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(text.trim().replace(SIGN, "").trim());
}

/** A price so many times above or below the usual one is asked about. */
const ODD_TIMES = 10;

/** Whether a price is far from the median of the account's prices: a comma in the wrong place, most likely. */
export function isOddPrice(valor: number | undefined, known: readonly (number | null)[]): boolean {
  const prices = known
    .flatMap((price) => (price !== null && price > 0 ? [price] : []))
    .sort((one, other) => one - other);
  const median = prices[Math.floor(prices.length / 2)];
  if (valor === undefined || median === undefined) return false;
  return valor >= median * ODD_TIMES || (valor > 0 && valor <= median / ODD_TIMES);
}
