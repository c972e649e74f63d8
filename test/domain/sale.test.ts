import { expect } from "chai";
import fc from "fast-check";
import { judge, type LineState, missedRises, type Sighting } from "../../src/domain/sale.ts";

const NS_PER_MS = 1_000_000n;

function sighting(active: boolean, sequence: number, overrides: Partial<Sighting> = {}): Sighting {
  return {
    line: "GPIO17",
    deviceId: "d",
    actuatorId: "101",
    activeLow: false,
    active,
    timeMs: 1_000 * sequence,
    monotonicNs: BigInt(1_000 * sequence) * NS_PER_MS,
    source: { bootId: "boot", request: 1, sequence },
    missed: 0,
    provisional: false,
    ...overrides,
  };
}

function state(active: boolean, sequence: number, recordId: number | null = 1): LineState {
  const { timeMs, monotonicNs, source } = sighting(active, sequence);
  const changed = { timeMs, provisional: false, bootId: "boot", monotonicNs };
  return { active, activeLow: false, changed, source, recordId };
}

describe("the judgement of a level", () => {
  it("is a sale when a line goes from low to high", () => {
    expect(judge(state(false, 1), sighting(true, 2), 0)).to.equal("sale");
  });

  it("is the end when it goes from high to low", () => {
    expect(judge(state(true, 1), sighting(false, 2), 0)).to.equal("end");
  });

  it("is a sale when a line was low before a restart and is found high", () => {
    const found = sighting(true, 9, { source: { bootId: "boot", request: 2, sequence: 0 } });
    expect(judge(state(false, 5), found, 0)).to.equal("sale");
  });

  it("is nothing when a line was high before a restart and is found high: the same sale", () => {
    const found = sighting(true, 0, { source: { bootId: "later", request: 2, sequence: 0 } });
    expect(judge(state(true, 5), found, 0)).to.equal("nothing");
  });

  it("is only a baseline when a line is seen for the first time", () => {
    expect(judge(undefined, sighting(true, 0), 0)).to.equal("baseline");
    expect(judge(undefined, sighting(false, 0), 0)).to.equal("baseline");
  });

  it("is only a baseline when all that is known was read with the other polarity", () => {
    const turned = sighting(true, 0, {
      activeLow: true,
      source: { bootId: "boot", request: 2, sequence: 0 },
    });
    expect(judge(state(false, 5), turned, 0)).to.equal("baseline");
  });

  it("takes the same edge once, however often it is told", () => {
    expect(judge(state(false, 4), sighting(true, 4), 0)).to.equal("repeated");
    expect(judge(state(false, 4), sighting(true, 3), 0)).to.equal("repeated");
  });

  it("takes two rises in a row for one sale, unless an edge was lost between them", () => {
    expect(judge(state(true, 1), sighting(true, 2), 0)).to.equal("nothing");
    expect(judge(state(true, 1), sighting(true, 4, { missed: 2 }), 0)).to.equal("sale");
  });

  it("is the same sale when the line rises again within the rearm time", () => {
    expect(judge(state(false, 1), sighting(true, 2), 1_001)).to.equal("same_sale");
    expect(judge(state(false, 1), sighting(true, 2), 1_000)).to.equal("sale");
  });

  it("measures the rearm time on the monotonic clock while the machine is up, on the wall clock after", () => {
    const yearLater = sighting(true, 2, { timeMs: 4e10 });
    expect(judge(state(false, 1), yearLater, 5_000)).to.equal("same_sale");
    const afterBoot = sighting(true, 0, {
      timeMs: 4e10,
      source: { bootId: "later", request: 2, sequence: 0 },
    });
    expect(judge(state(false, 1), afterBoot, 5_000)).to.equal("sale");
  });

  it("is a sale when the wall clock went back between two boots", () => {
    const before = sighting(true, 0, { timeMs: 10, source: { bootId: "later", request: 2, sequence: 0 } });
    expect(judge(state(false, 5), before, 60_000)).to.equal("sale");
  });

  it("is a sale when the wall clock was not trusted at either end of the time between two boots", () => {
    const source = { bootId: "later", request: 2, sequence: 0 };
    const soon = sighting(true, 0, { timeMs: 5_001, source });
    expect(judge(state(false, 5), soon, 60_000)).to.equal("same_sale");
    expect(judge(state(false, 5), { ...soon, provisional: true }, 60_000)).to.equal("sale");
    const low = state(false, 5);
    const unplaced = { ...low, changed: { ...low.changed, provisional: true } };
    expect(judge(unplaced, soon, 60_000)).to.equal("sale");
    expect(judge(unplaced, sighting(true, 6), 60_000)).to.equal("same_sale");
  });

  it("never rearms a sale that was not made", () => {
    expect(judge(state(false, 1, null), sighting(true, 2), 60_000)).to.equal("sale");
  });

  it("counts exactly the rises of any alternating run, also when some are told twice", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.infiniteStream(fc.boolean()), (length, repeats) => {
        let known = state(false, 0);
        let sales = 0;
        for (let sequence = 1; sequence <= length; sequence += 1) {
          const active = sequence % 2 === 1;
          const times = repeats.next().value ? 2 : 1;
          for (let time = 0; time < times; time += 1) {
            const meaning = judge(known, sighting(active, sequence), 0);
            if (meaning === "sale") sales += 1;
            if (meaning !== "repeated") known = state(active, sequence);
          }
        }
        expect(sales).to.equal(Math.ceil(length / 2));
      }),
    );
  });
});

describe("lost edges", () => {
  it("alternate, so the number of lost rises follows from the level before", () => {
    expect(missedRises(false, 1)).to.equal(1);
    expect(missedRises(true, 1)).to.equal(0);
    expect(missedRises(false, 2_976)).to.equal(1_488);
    expect(missedRises(true, 2_977)).to.equal(1_488);
  });
});
