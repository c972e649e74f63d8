import { hash } from "node:crypto";
import type { AuditEntry } from "../domain/audit.ts";

const HALF_BITS = 20;
const HALF = 2 ** HALF_BITS;
const ROUNDS = 4;
const HEX_DIGITS_OF_HALF = HALF_BITS / 4;

/**
 * The numbers of records, gaps and audit entries as accounts see them. The ledger counts over
 * all accounts, so its own numbers would tell an account how much the others sell. A number
 * of 40 bits is therefore shown as another one, by a permutation (a Feistel network). Its key
 * is in the ledger, so that shown numbers stay the same after a restart or a restore.
 */
export class ShownNumbers {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  /**
   * The shown form of a ledger's number, in no order. Numbers beyond 40 bits, which
   * no ledger reaches, stay as they are: a search uses one that is above all others.
   */
  show(number: number): number {
    if (number >= HALF * HALF) return number;
    let [left, right] = halvesOf(number);
    for (let round = 0; round < ROUNDS; round += 1) [left, right] = [right, left ^ this.#mix(round, right)];
    return left * HALF + right;
  }

  /** The ledger's number for a shown one. */
  find(shown: number): number {
    if (shown >= HALF * HALF) return shown;
    let [left, right] = halvesOf(shown);
    for (let round = ROUNDS - 1; round >= 0; round -= 1)
      [left, right] = [right ^ this.#mix(round, left), left];
    return left * HALF + right;
  }

  /** An audit entry's details, which name a record by its number. */
  showDetails({ details }: Pick<AuditEntry, "details">): AuditEntry["details"] {
    const { recordId } = details;
    return typeof recordId === "number" ? { ...details, recordId: this.show(recordId) } : details;
  }

  #mix(round: number, half: number): number {
    return Number.parseInt(hash("sha256", `${this.#key} ${round} ${half}`).slice(0, HEX_DIGITS_OF_HALF), 16);
  }
}

function halvesOf(number: number): [number, number] {
  return [Math.floor(number / HALF), number % HALF];
}
