import { expect } from "chai";
import fc from "fast-check";
import { Gathering } from "../../../src/store/ledger/gathering.ts";

describe("a batch that waits for those that were just answered", () => {
  for (const [what, { answered, came, syncMs, waiting, writeMs = 0.1 }, waitMs] of [
    ["half of the group is back", { answered: 8, came: 0, syncMs: 5, waiting: 4 }, 2.5],
    ["the group is back", { answered: 8, came: 0, syncMs: 5, waiting: 8 }, 0],
    ["only those are there that came meanwhile", { answered: 4, came: 4, syncMs: 5, waiting: 4 }, 2.5],
    ["a client is alone", { answered: 1, came: 0, syncMs: 5, waiting: 1 }, 0],
    ["the disk is fast", { answered: 8, came: 0, syncMs: 0.9, waiting: 1 }, 0],
    ["the main thread takes longer", { answered: 8, came: 8, syncMs: 5, waiting: 8, writeMs: 0.4 }, 0],
    ["the disk is very slow", { answered: 8, came: 0, syncMs: 100, waiting: 1 }, 25],
  ] as const) {
    it(`waits ${waitMs} ms where ${what}`, () => {
      let busyMs = 0;
      const gathering = new Gathering(() => busyMs);
      busyMs = answered * writeMs;
      gathering.answered(answered, came, syncMs, 0);
      expect(gathering.waitMs(waiting, 0)).to.equal(waitMs);
    });
  }

  for (const [what, writeMs, syncMs, size] of [
    ["the main thread takes longer than a sync", 0.4, 5, 10],
    ["the disk is fast", 0.01, 0.9, 10],
    ["no sync has been measured", 0, 0, 8],
  ] as const) {
    it(`leaves with half of the clients where ${what}, also within a turn and behind one other batch`, () => {
      let busyMs = 0;
      const gathering = new Gathering(() => busyMs);
      busyMs = 10 * writeMs;
      if (syncMs > 0) gathering.answered(10, 10, syncMs, 0);
      for (const waiting of [size - 1, size]) {
        const isGroup = waiting === size;
        expect(gathering.leavesAtOnce(waiting)).to.equal(isGroup);
        expect([0, 1, 2].map((batches) => gathering.mayLeave(waiting, batches))).to.deep.equal([
          ...[true, isGroup, false],
        ]);
      }
    });
  }

  it("leaves with all clients where the main thread takes less time for them than a sync, and behind none", () => {
    const gathering = new Gathering(() => 0);
    gathering.answered(10, 10, 5, 0);
    expect(gathering.leavesAtOnce(20)).to.equal(false);
    expect([0, 1].map((batches) => gathering.mayLeave(20, batches))).to.deep.equal([true, false]);
  });

  it("waits by what syncs and writes have taken lately, not by one of them", () => {
    const gathering = new Gathering(() => 0);
    for (let sync = 0; sync < 20; sync += 1) gathering.answered(8, 0, 0.5, 0);
    gathering.answered(8, 0, 2.5, 0);
    expect(gathering.waitMs(1, 0), "one slow sync").to.equal(0);
    gathering.answered(8, 0, 2.5, 0);
    expect(gathering.waitMs(1, 0), "two").to.be.within(0.5, 0.7);
  });

  it("waits half of a sync's time at most, and never over 25 ms", () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(5_000), fc.nat(10_000), (writes, waiting, syncMs) => {
        const gathering = new Gathering(() => 0);
        gathering.answered(writes, waiting, syncMs, 0);
        expect(gathering.waitMs(waiting, 0)).to.be.within(0, Math.min(25, syncMs / 2));
        expect(gathering.waitMs(writes + waiting, 0)).to.equal(0);
        expect(gathering.waitMs(waiting, Math.min(25, syncMs / 2))).to.equal(0);
      }),
    );
  });
});
