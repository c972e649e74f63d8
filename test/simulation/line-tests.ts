import { type Boot, type BootMoment, leastAgeMs } from "../../src/domain/boot.ts";

interface Begun {
  readonly line: string;
  readonly at: BootMoment;
  readonly fromUs: number;
  readonly lifeMs: number;
  endUs: number;
}

/** When each line was under test. */
export class LineTests {
  readonly #all: Begun[] = [];

  begin(line: string, at: BootMoment, fromUs: number, lifeMs: number): void {
    this.#all.push({ line, at, fromUs, lifeMs, endUs: Number.POSITIVE_INFINITY });
  }

  end(line: string, us: number): void {
    for (const test of this.#all) if (test.line === line) test.endUs = Math.min(test.endUs, us);
  }

  /** `boots`: what the ledger knows of them, in order. */
  has(line: string, us: number, at: BootMoment, boots: readonly Boot[]): boolean {
    return this.#all.some(
      (test) =>
        test.line === line &&
        test.fromUs <= us &&
        us < test.endUs &&
        leastAgeMs(test.at, at, boots) < test.lifeMs,
    );
  }
}
