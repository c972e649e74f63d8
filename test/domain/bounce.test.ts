import { expect } from "chai";
import { measureBounces } from "../../src/domain/verdict.ts";

const edges = (line: string, ...times: readonly number[]) => times.map((atMs) => ({ line, atMs }));

describe("The bounce of a contact", () => {
  it("is none where each switching is one edge: the default debounce does", () => {
    expect(measureBounces(edges("GPIO17", 1_000, 2_000, 3_000))).to.deep.equal([
      { line: "GPIO17", switchings: 3, mostEdges: 1, longestMs: 0, debounceMs: 50 },
    ]);
  });

  it("is measured over all edges of a switching, and asks for twice its longest time", () => {
    const [bounce] = measureBounces(edges("GPIO17", 1_000, 1_003, 1_010, 1_041, 9_000, 9_001, 9_002));
    expect(bounce).to.deep.equal({
      ...{ line: "GPIO17", switchings: 2, mostEdges: 4, longestMs: 41, debounceMs: 90 },
    });
  });

  it("is each line's own", () => {
    const changes = [...edges("SIM1", 0, 5), ...edges("SIM0", 5)];
    expect(measureBounces(changes).map(({ line, mostEdges }) => [line, mostEdges])).to.deep.equal([
      ["SIM0", 1],
      ["SIM1", 2],
    ]);
  });

  it("ends where the contact rests for longer than a switching takes", () => {
    const [bounce] = measureBounces(edges("GPIO17", 0, 200, 401));
    expect(bounce).to.include({ switchings: 2, longestMs: 200 });
  });
});
