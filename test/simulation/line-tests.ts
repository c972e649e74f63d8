interface Begun {
  readonly line: string;
  readonly bootId: string;
  readonly fromUs: number;
  endUs: number;
}

/** When each line was under test. */
export class LineTests {
  readonly #all: Begun[] = [];

  begin(line: string, bootId: string, fromUs: number, lifeUs: number): void {
    this.#all.push({ line, bootId, fromUs, endUs: fromUs + lifeUs });
  }

  end(line: string, us: number): void {
    for (const test of this.#all) if (test.line === line) test.endUs = Math.min(test.endUs, us);
  }

  has(line: string, us: number, bootId: string): boolean {
    return this.#all.some(
      (test) => test.line === line && test.bootId === bootId && test.fromUs <= us && us < test.endUs,
    );
  }
}
