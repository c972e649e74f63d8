import { expect } from "chai";
import type { Line } from "../../src/web/api/line.ts";
import { planInOrder, planRoom, roomsInDoubt } from "../../src/web/guide/line-plan.ts";

function lineOf(address: string): Line {
  return {
    address,
    name: null,
    consumer: null,
    wired: null,
    isOthers: false,
    isWatched: false,
    level: null,
    problem: null,
  };
}

describe("The guide's plan of lines", () => {
  it("gives the rooms the first free lines in order, as far as there are any", () => {
    const plan = planInOrder(["101", "102", "103"], [lineOf("c:0"), lineOf("c:4")]);
    expect([...plan]).to.deep.equal([
      ["101", "c:0"],
      ["102", "c:4"],
    ]);
  });

  it("changes one room at a time, and takes a line away", () => {
    const plan = planRoom(planRoom(new Map(), "101", "c:1"), "102", "c:2");
    expect([...planRoom(plan, "101", "")]).to.deep.equal([["102", "c:2"]]);
    expect([...plan.keys()]).to.deep.equal(["101", "102"]);
  });

  it("doubts both rooms of a line that is chosen twice", () => {
    const plan = new Map([
      ["101", "c:1"],
      ["102", "c:2"],
      ["103", "c:1"],
    ]);
    expect([...roomsInDoubt(plan)]).to.deep.equal(["101", "103"]);
  });
});
