import { expect } from "chai";
import { HOUR_MS, NS_PER_MS } from "../../src/domain/clock.ts";
import {
  type ClockedMoment,
  judgePaid,
  NOTHING_PAID,
  type PaidSale,
  paidMsOf,
  type RoomPaid,
} from "../../src/domain/paid-time.ts";
import { judge, type LineState } from "../../src/domain/sale.ts";
import { aSighting } from "./sighting.ts";

const BOOTED_H = 1_000_000;

/** An hour after a boot, which began so many hours after another one. */
function at(hours: number, bootId = "boot", isTimed = true): ClockedMoment {
  const timeMs = isTimed ? (BOOTED_H + hours) * HOUR_MS : null;
  return { timeMs, monotonic: { bootId, ns: BigInt(Math.round(hours * HOUR_MS * NS_PER_MS)) } };
}

function sale(moment: ClockedMoment, recordId = 1, hours = 24): PaidSale {
  const ids = { paidId: recordId, recordId, number: recordId };
  return { ...ids, paidMs: paidMsOf(hours * 60), moment, doubt: "none" };
}

function verdict(paid: Partial<RoomPaid>, rise: ClockedMoment, isSettling = false): string {
  const judged = judgePaid({ ...NOTHING_PAID, ...paid }, rise, isSettling);
  return judged.kind === "sale" ? `sale ${judged.doubt}` : `same as ${judged.as.recordId}`;
}

describe("A rise in a room with paid time", () => {
  const sure = sale(at(0));
  const unset = sale(at(2, "later", false), 2);

  for (const [what, paid, rise, expected] of [
    ["of which nothing is paid", {}, at(0), "sale none"],
    ["in its sale's own moment", { none: sure }, at(0), "same as 1"],
    ["a moment before its end", { none: sure }, at(24 - 1e-6), "same as 1"],
    ["at its end", { none: sure }, at(24), "sale none"],
    ["in a later boot, by wall time", { none: sure }, at(23, "later"), "same as 1"],
    ["in a later boot, after its end", { none: sure }, at(25, "later"), "sale none"],
    ["by a wall clock that was set back", { none: sale(at(30)) }, at(1, "later"), "sale none"],
    ["in a later boot without a clock", { none: sure }, at(2, "later", false), "sale open"],
    ["in a later boot that has run for it", { none: sure }, at(24, "later", false), "sale none"],
    ["after a sale in doubt", { none: sure, open: unset }, at(3, "later", false), "sale open"],
    ["long after a sale in doubt", { none: sure, open: unset }, at(26, "later", false), "sale none"],
    ["after a boot whose clock was never set", { none: unset }, at(1, "third"), "sale lasting"],
    ["without a clock, after such a boot", { none: unset }, at(1, "third", false), "sale lasting"],
    ["after a sale of unknown time, in its boot", { lasting: unset }, at(3, "later", false), "same as 2"],
    ["after a posted sale", { none: sale({ ...at(0), monotonic: null }) }, at(5), "same as 1"],
  ] as const) {
    it(`is "${expected}" ${what}`, () => {
      expect(verdict(paid, rise)).to.equal(expected);
    });
  }

  it("is decided for good when nothing more will be learned of its time", () => {
    expect(verdict({ none: sure }, at(2, "later", false), true)).to.equal("sale lasting");
    expect(verdict({ none: sure }, at(2, "later"), true)).to.equal("same as 1");
    expect(verdict({ none: sure, lasting: unset }, at(3, "later", false), true)).to.equal("same as 2");
  });

  it("goes by monotonic time within a boot, whatever the wall clock was set to", () => {
    const stepped = { ...at(2), timeMs: (BOOTED_H + 10_000) * HOUR_MS };
    expect(verdict({ none: sure }, stepped)).to.equal("same as 1");
    expect(verdict({ none: sure }, { ...at(30), timeMs: at(3).timeMs })).to.equal("sale none");
  });

  it("is the same sale only where it would be one: a first high, a fall and a repetition stay what they are", () => {
    const { timeMs, monotonicNs, source } = aSighting(false, 1);
    const changed = { timeMs, provisional: false, bootId: "boot", monotonicNs };
    const low: LineState = { active: false, activeLow: false, changed, source, recordId: 1 };
    const paid = { ...NOTHING_PAID, none: sale({ timeMs: 0, monotonic: { bootId: "boot", ns: 0n } }) };
    expect(judge(low, aSighting(true, 2), 0, paid)).to.equal("same_sale");
    expect(judge(low, aSighting(true, 1), 0, paid)).to.equal("repeated");
    expect(judge(undefined, aSighting(true, 0), 0, paid)).to.equal("baseline");
    expect(judge(undefined, aSighting(true, 2), 0, paid), "of a line that was wired anew").to.equal(
      "same_sale",
    );
    expect(judge({ ...low, active: true }, aSighting(false, 2), 0, paid)).to.equal("end");
    const overrun = aSighting(true, 4, { missed: 2 });
    expect(judge({ ...low, active: true }, overrun, 0, paid), "after lost edges").to.equal("same_sale");
  });
});
