import { expect } from "chai";
import fc from "fast-check";
import { type Boot, leastAgeMs } from "../../src/domain/boot.ts";

/** One stretch of power: how long it was off before and on since, and whether its clock was ever set. */
const stretch = fc.record({
  offMs: fc.nat(1e9),
  onMs: fc.nat(1e9),
  trusted: fc.boolean(),
});

/** Boots with true zeros, and what truly was the time at each one's start. */
function lived(stretches: readonly { offMs: number; onMs: number; trusted: boolean }[]) {
  let trueMs = 1.7e12;
  return stretches.map(({ offMs, onMs, trusted }, index) => {
    const startMs = trueMs + offMs;
    trueMs = startMs + onMs;
    const boot: Boot = { bootId: `b${index}`, zeroMs: trusted ? startMs : null, lastMs: onMs };
    return { boot, startMs, onMs };
  });
}

describe("The least age of a moment", () => {
  it("is exact within a boot, independent of the boots' zeros", () => {
    const boots = [{ bootId: "b", zeroMs: -1e15, lastMs: 0 }];
    const age = leastAgeMs({ bootId: "b", monotonicMs: 1_000 }, { bootId: "b", monotonicMs: 5_000 }, boots);
    expect(age).to.equal(4_000);
  });

  it("is at most the true age, at least the time with power, and exact between two known boots", () => {
    fc.assert(
      fc.property(fc.array(stretch, { minLength: 1, maxLength: 6 }), fc.nat(100), (stretches, percent) => {
        const all = lived(stretches);
        const [first, last] = [all[0], all.at(-1)];
        if (first === undefined || last === undefined) return;
        const begunMs = Math.floor((first.onMs * percent) / 100);
        const age = leastAgeMs(
          { bootId: first.boot.bootId, monotonicMs: begunMs },
          { bootId: last.boot.bootId, monotonicMs: last.onMs },
          all.map(({ boot }) => boot),
        );
        const trueAge = last.startMs + last.onMs - (first.startMs + begunMs);
        const powered = all.reduce((sum, { onMs }) => sum + onMs, 0) - begunMs;
        expect(age).to.be.at.most(trueAge);
        expect(age).to.be.at.least(powered);
        if (first.boot.zeroMs !== null && last.boot.zeroMs !== null) expect(age).to.equal(trueAge);
      }),
    );
  });

  it("includes the time between two known boots when the moment's own boot is not known", () => {
    const boots = [
      { bootId: "a", zeroMs: null, lastMs: 10 },
      { bootId: "b", zeroMs: 1_000, lastMs: 20 },
      { bootId: "c", zeroMs: null, lastMs: 30 },
      { bootId: "d", zeroMs: 9_000, lastMs: 0 },
    ];
    expect(leastAgeMs({ bootId: "a", monotonicMs: 4 }, { bootId: "d", monotonicMs: 5 }, boots)).to.equal(
      6 + 8_000 + 5,
    );
  });

  it("is the current boot's time for a moment of a boot that is not in the ledger", () => {
    const boots = [
      { bootId: "a", zeroMs: 0, lastMs: 900 },
      { bootId: "b", zeroMs: 2_000, lastMs: 0 },
    ];
    const age = leastAgeMs({ bootId: "gone", monotonicMs: 4 }, { bootId: "b", monotonicMs: 50 }, boots);
    expect(age).to.equal(50);
  });
});
