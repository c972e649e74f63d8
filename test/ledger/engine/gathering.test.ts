import { expect } from "chai";
import fc from "fast-check";
import { Gathering } from "../../../src/ledger/engine/gathering.ts";

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
