import { expect } from "chai";
import { Freshness } from "../../src/web/live/freshness.ts";

describe("What was read before the stream of changes begins", () => {
  it("lacks nothing when all of it was read where the stream begins, or when it was nothing", () => {
    expect(begun(["a:5", "a:5"], "a:5")).to.equal(false);
    expect(begun([], "a:5")).to.equal(false);
  });

  it("may lack a change when one of it is older, is of another run, does not say, or did not come", () => {
    expect(begun(["a:5", "a:4"], "a:5")).to.equal(true);
    expect(begun(["a:4", "a:5"], "a:5")).to.equal(true);
    expect(begun(["b:5"], "a:5")).to.equal(true);
    expect(begun(["a:5", null], "a:5")).to.equal(true);
    expect(begun([null, "a:5"], "a:5")).to.equal(true);
    expect(begun(["nonsense"], "a:5")).to.equal(true);
  });

  it("may lack one when it comes after the stream has begun, and was read before", () => {
    const freshness = new Freshness();
    freshness.onStream("a:5");
    expect(freshness.onRead("a:4")).to.equal(true);
    expect(freshness.onRead("a:5")).to.equal(false);
    expect(freshness.onRead("a:9")).to.equal(false);
    expect(freshness.onRead("b:1")).to.equal(false);
    expect(freshness.onRead(null)).to.equal(false);
  });

  it("may always lack one when the stream begins again: what was asked for anew may never have come", () => {
    const freshness = new Freshness();
    freshness.onRead("a:5");
    expect(freshness.onStream("a:5")).to.equal(false);
    expect(freshness.onStream("a:5")).to.equal(true);
    expect(freshness.onStream("b:1")).to.equal(true);
  });
});

function begun(reads: readonly (string | null)[], at: string): boolean {
  const freshness = new Freshness();
  for (const read of reads) expect(freshness.onRead(read)).to.equal(false);
  return freshness.onStream(at);
}
