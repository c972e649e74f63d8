import { expect } from "chai";
import fc from "fast-check";
import { judge, type LineState, missedRises, type Sighting } from "../../src/domain/sale.ts";
import { aSighting } from "./sighting.ts";

function state(active: boolean, sequence: number, recordId: number | null = 1): LineState {
  const { timeMs, monotonicNs, source } = aSighting(active, sequence);
  const changed = { timeMs, provisional: false, bootId: "boot", monotonicNs };
  return { active, activeLow: false, changed, source, recordId };
}

/** The level found when a watch begins, at another time or boot. */
function found(active: boolean, bootId: string, overrides: Partial<Sighting> = {}): Sighting {
  return aSighting(active, 9, { source: { bootId, request: 2, sequence: 0 }, ...overrides });
}

describe("The meaning of a sighting", () => {
  const inverted = found(true, "boot", { activeLow: true });
  const timedEarly = found(true, "later", { timeMs: 10 });
  for (const [what, known, seen, rearmMs, meaning] of [
    ["a rise", state(false, 1), aSighting(true, 2), 0, "sale"],
    ["a fall", state(true, 1), aSighting(false, 2), 0, "end"],
    ["a low line that is found high after a restart", state(false, 5), found(true, "boot"), 0, "sale"],
    ["a high line that is found high after a boot", state(true, 5), found(true, "later"), 0, "nothing"],
    ["the first sighting of a high line", undefined, aSighting(true, 0), 0, "baseline"],
    ["the first sighting of a low line", undefined, aSighting(false, 0), 0, "baseline"],
    ["the first sighting with another polarity", state(false, 5), inverted, 0, "baseline"],
    ["a repetition of the last edge", state(false, 4), aSighting(true, 4), 0, "repeated"],
    ["a repetition of an earlier edge", state(false, 4), aSighting(true, 3), 0, "repeated"],
    ["a second rise in a row", state(true, 1), aSighting(true, 2), 0, "nothing"],
    ["a second rise after lost edges", state(true, 1), aSighting(true, 4, { missed: 2 }), 0, "sale"],
    ["a rise within the rearm time", state(false, 1), aSighting(true, 2), 1_001, "same_sale"],
    ["a rise after the rearm time", state(false, 1), aSighting(true, 2), 1_000, "sale"],
    ["a rise within the rearm time of no sale", state(false, 1, null), aSighting(true, 2), 60_000, "sale"],
    ["a rise after the wall clock went back at a boot", state(false, 5), timedEarly, 60_000, "sale"],
  ] as const) {
    it(`is "${meaning}" for ${what}`, () => {
      expect(judge(known, seen, rearmMs)).to.equal(meaning);
    });
  }

  it("depends on monotonic time within a boot, and on wall time between boots", () => {
    const yearLater = aSighting(true, 2, { timeMs: 4e10 });
    expect(judge(state(false, 1), yearLater, 5_000)).to.equal("same_sale");
    const afterBoot = found(true, "later", { timeMs: 4e10 });
    expect(judge(state(false, 1), afterBoot, 5_000)).to.equal("sale");
  });

  it('is "sale" when the wall clock was not trusted at either end of the time between two boots', () => {
    const soon = found(true, "later", { timeMs: 5_001 });
    expect(judge(state(false, 5), soon, 60_000)).to.equal("same_sale");
    expect(judge(state(false, 5), { ...soon, provisional: true }, 60_000)).to.equal("sale");
    const low = state(false, 5);
    const unplaced = { ...low, changed: { ...low.changed, provisional: true } };
    expect(judge(unplaced, soon, 60_000)).to.equal("sale");
    expect(judge(unplaced, aSighting(true, 6), 60_000)).to.equal("same_sale");
  });

  it("counts each rise of any alternating sequence once, even if edges are repeated", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.infiniteStream(fc.boolean()), (length, repeats) => {
        let known = state(false, 0);
        let sales = 0;
        for (let sequence = 1; sequence <= length; sequence += 1) {
          const active = sequence % 2 === 1;
          const times = repeats.next().value ? 2 : 1;
          for (let time = 0; time < times; time += 1) {
            const meaning = judge(known, aSighting(active, sequence), 0);
            if (meaning === "sale") sales += 1;
            if (meaning !== "repeated") known = state(active, sequence);
          }
        }
        expect(sales).to.equal(Math.ceil(length / 2));
      }),
    );
  });
});

describe("Lost edges", () => {
  it("alternate, so the number of lost rises follows from the level before", () => {
    expect(missedRises(false, 1)).to.equal(1);
    expect(missedRises(true, 1)).to.equal(0);
    expect(missedRises(false, 2_976)).to.equal(1_488);
    expect(missedRises(true, 2_977)).to.equal(1_488);
  });
});
