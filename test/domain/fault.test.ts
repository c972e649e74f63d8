import { expect } from "chai";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import { type Fault, FaultWatch, fault } from "../../src/domain/fault.ts";

const DISK = fault("disk_full", 1);
const HOT = fault("too_hot", 1, { temperature: 81 });
const LOST = fault("edges_lost", 1, { gaps: 1, edges: 1, sales: 0, lines: "GPIO17" });

/** What people are told, with the minute, while the given faults are there from one minute to another (left out). */
function told(
  watch: FaultWatch,
  until: number,
  ...present: readonly (readonly [Fault, number, number])[]
): string[] {
  return Array.from({ length: until }, (_, minute) => {
    const faults = present.filter(([, from, to]) => minute >= from && minute < to).map(([one]) => one);
    const { begun, over } = watch.look(faults, minute * MINUTE_MS);
    return [
      ...begun.map(({ code }) => `${minute} begun ${code}`),
      ...over.map(({ code }) => `${minute} over ${code}`),
    ];
  }).flat();
}

describe("what people are told of faults", () => {
  it("is each fault once when it lasts, and once when it is over", () => {
    expect(told(new FaultWatch([]), 100, [DISK, 10, 40])).to.deep.equal([
      "12 begun disk_full",
      "55 over disk_full",
    ]);
  });

  it("is nothing of a fault that passes at once", () => {
    expect(told(new FaultWatch([]), 100, [DISK, 10, 12])).to.deep.equal([]);
  });

  it("is one message of a fault that comes and goes", () => {
    const flutter = Array.from({ length: 20 }, (_, turn) => [HOT, turn * 5, turn * 5 + 3] as const);
    expect(told(new FaultWatch([]), 130, ...flutter)).to.deep.equal(["2 begun too_hot", "113 over too_hot"]);
  });

  it("is one message though the fault's numbers change", () => {
    const hotter = { ...HOT, details: { temperature: 85 } };
    expect(told(new FaultWatch([]), 30, [HOT, 0, 10], [hotter, 10, 30])).to.deep.equal(["2 begun too_hot"]);
  });

  it("is nothing again after a restart, and the end of what another process has told of", () => {
    expect(told(new FaultWatch([DISK, HOT]), 60, [DISK, 1, 60])).to.deep.equal(["15 over too_hot"]);
  });

  it("is no end of what has happened and cannot be mended", () => {
    expect(told(new FaultWatch([]), 100, [LOST, 0, 30])).to.deep.equal(["2 begun edges_lost"]);
  });
});
