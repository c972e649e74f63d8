import { ROOMS } from "../report.ts";
import { until } from "./deadline.ts";
import type { Ledger } from "./ledger.ts";

const COMMIT_MS = 20_000;

/**
 * What the ledger is expected to come to: for each line, how many sales have begun and ended. It is told of
 * each level that the program must see, and says when the file has caught up. More than expected counts as
 * not caught up, so that a record too many is not overlooked.
 */
export class Books {
  readonly #ledger: Ledger;
  readonly #expected: { records: number; ended: number }[];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    const counts = ledger.counts();
    this.#expected = ROOMS.map((room) => ({ ...(counts.get(room) ?? { records: 0, ended: 0 }) }));
  }

  expect(offset: number, high: boolean): void {
    const line = this.#expected[offset];
    if (line === undefined) throw new Error(`There is no line ${offset}.`);
    if (high) line.records += 1;
    else line.ended += 1;
  }

  /** Resolves once the file holds what is expected, of one line or of all. */
  async settled(offset?: number): Promise<void> {
    await until(() => this.#missing(offset), COMMIT_MS);
  }

  #missing(only: number | undefined): string | null {
    const counts = this.#ledger.counts();
    for (const [offset, room] of ROOMS.entries()) {
      if (only !== undefined && only !== offset) continue;
      const expected = this.#expected[offset];
      const { records, ended } = counts.get(room) ?? { records: 0, ended: 0 };
      if (records !== expected?.records || ended !== expected.ended) {
        return `room ${room} has ${records} records, ${ended} ended, of ${expected?.records} and ${expected?.ended}`;
      }
    }
    return null;
  }
}
