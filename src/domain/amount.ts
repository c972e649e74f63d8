/**
 * Money. `valor` is a number in the contract's units at the edge, and a whole
 * number of millionths within: `valorMicros`, a number, for one record,
 * `totalMicros`, a bigint, for a sum. Sums of integers are exact, in any order.
 */
export const MICROS_PER_UNIT = 1_000_000;
/** The contract's bound on the magnitude of one `valor`, in units. */
export const MAX_VALOR = 10_000_000;

export const MICROS_DECIMALS = 6;

/**
 * Rounds a finite number of magnitude up to `MAX_VALOR` to millionths. Exact: toFixed works on the number's
 * true value, where multiplying by 1e6 would round a second time. At most 1e13, so a safe integer.
 */
export function microsFromValor(valor: number): number {
  const micros = Number(valor.toFixed(MICROS_DECIMALS).replace(".", ""));
  return micros === 0 ? 0 : micros;
}

/** The number nearest to a sum of micros, as JSON carries it. */
export function valorFromMicros(micros: bigint | number): number {
  const sum = BigInt(micros);
  const magnitude = sum < 0n ? -sum : sum;
  const units = magnitude / BigInt(MICROS_PER_UNIT);
  const rest = (magnitude % BigInt(MICROS_PER_UNIT)).toString().padStart(MICROS_DECIMALS, "0");
  return Number(`${sum < 0n ? "-" : ""}${units}.${rest}`);
}
