const PRICE = /^\d{1,9}(?:[.,]\d{1,6})?$/;

/** Reads a price as people write it, with a comma or a point before the decimals; undefined for anything else. */
export function priceOf(text: string): number | undefined {
  const written = text.trim();
  return PRICE.test(written) ? Number(written.replace(",", ".")) : undefined;
}

/** Reads a whole number from 0 to `most`; undefined for anything else. */
export function wholeOf(text: string, most: number): number | undefined {
  const written = text.trim();
  if (!/^\d{1,9}$/.test(written)) return undefined;
  const value = Number(written);
  return value <= most ? value : undefined;
}
