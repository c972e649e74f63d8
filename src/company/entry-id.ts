import { NUMBERS_OF_LEDGER } from "../domain/record.ts";

/**
 * Bits of the position, and of the branch, in an entry's
 * number over all gateways. The gateway's bits are above them.
 */
const POSITION_BITS = 30;
const BRANCH_BITS = Math.log2(NUMBERS_OF_LEDGER) - POSITION_BITS;
/** A number has 53 bits, so that JavaScript and JSON hold it. */
const GATEWAY_BITS = 53 - BRANCH_BITS - POSITION_BITS;

export const MAX_POSITION = 2 ** POSITION_BITS - 1;
export const MAX_BRANCH = 2 ** BRANCH_BITS - 1;
export const MAX_GATEWAY = 2 ** GATEWAY_BITS - 1;

/** The SQL of an entry's number over all gateways of a company. */
export function idOf(gateway: string, branch: string, position: string): string {
  return `((${gateway}::bigint << ${BRANCH_BITS + POSITION_BITS}) | (${branch}::bigint << ${POSITION_BITS}) | ${position})`;
}

/** The SQL of the gateway, the branch and the position of an entry with that number. */
export function placeOf(id: string) {
  return {
    gateway: `(${id} >> ${BRANCH_BITS + POSITION_BITS})::integer`,
    branch: `(${id} >> ${POSITION_BITS} & ${MAX_BRANCH})::integer`,
    position: `(${id} & ${MAX_POSITION})`,
  };
}
