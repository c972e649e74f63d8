import { expect } from "chai";
import { pinProblem } from "../../src/domain/pin.ts";

const PI = { label: "pinctrl-bcm2711" };
const AS_IS = { bias: "as-is", activeLow: true } as const;
const offsets = Array.from({ length: 28 }, (_, offset) => offset);

describe("The pins of a Raspberry Pi", () => {
  it("are not for relays where they are for something else", () => {
    const pulledUp = { bias: "pull-up", activeLow: true } as const;
    const taken = offsets.filter((offset) => pinProblem(PI, { offset }, pulledUp) !== undefined);
    expect(taken).to.deep.equal([0, 1, 2, 3, 14, 15]);
    expect(pinProblem(PI, { offset: 14 }, pulledUp)?.what).to.contain("serial line");
    expect(pinProblem({ label: "mcp23017" }, { offset: 14 }, pulledUp)).to.equal(undefined);
  });

  it("are pulled up from power-on up to GPIO8, and down from GPIO9, which reads on with the one or the other polarity", () => {
    const readsOn = (offset: number, activeLow: boolean) =>
      pinProblem(PI, { offset }, { bias: "as-is", activeLow })?.what.startsWith("from power-on") === true;
    const isFree = (offset: number) => ![0, 1, 2, 3, 14, 15].includes(offset);
    for (const offset of offsets.filter(isFree)) {
      expect([readsOn(offset, true), readsOn(offset, false)]).to.deep.equal([offset > 8, offset <= 8]);
    }
  });

  it("of another chip, and lines without a bias, are not known", () => {
    expect(pinProblem({ label: "mcp23017" }, { offset: 9 }, AS_IS)).to.equal(undefined);
    expect(pinProblem(PI, { offset: 40 }, AS_IS)).to.equal(undefined);
    expect(pinProblem(PI, { offset: 17 }, { ...AS_IS, bias: "disabled" })).to.equal(undefined);
  });

  it("with a bias towards on have the other one proposed", () => {
    expect(pinProblem(PI, { offset: 17 }, { bias: "pull-up", activeLow: false })).to.deep.equal({
      what: "pull-up and active-high, so that a cut wire reads as on",
      todo: "Give the line pull-down: on the page under Lines, or with flanco wiring set; docs/wiring.md says why.",
    });
  });
});
