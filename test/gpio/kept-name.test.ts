import { expect } from "chai";
import fc from "fast-check";
import { BIASES } from "../../src/domain/line.ts";
import { formatKeptName, type KeptLine, parseKeptName } from "../../src/gpio/kept-name.ts";

const anyLine: fc.Arbitrary<KeptLine> = fc.record({
  line: fc.string({ unit: "grapheme", minLength: 1, maxLength: 32 }),
  chip: fc.constantFrom("gpiochip0", "gpiochip512"),
  offset: fc.nat(511),
  request: fc.nat(),
  room: fc.string({ unit: "grapheme", maxLength: 200 }),
  activeLow: fc.boolean(),
  bias: fc.constantFrom(...BIASES),
  debounceMs: fc.nat(60_000),
});

describe("The name of a kept line", () => {
  it("is what a person can read in systemd-analyze fdstore", () => {
    const name = formatKeptName({
      line: "gpiochip0:17",
      chip: "gpiochip0",
      offset: 17,
      request: 4,
      room: "101",
      activeLow: true,
      bias: "pull-up",
      debounceMs: 50,
    });
    expect(name).to.equal("line/gpiochip0%3A17/gpiochip0/17/4/active-low/pull-up/50ms/16dc368a89b428b2");
  });

  it("is one that systemd takes, and gives line, chip and offset back", () => {
    fc.assert(
      fc.property(anyLine, (kept) => {
        const name = formatKeptName(kept);
        if (name === null) return;
        // fdname_is_valid: printable ASCII, no colon, 1 to 255 characters.
        expect(name).to.match(/^[ -9;-~]{1,255}$/);
        const { line, chip, offset } = kept;
        expect(parseKeptName(name)).to.deep.equal({ line, chip, offset });
      }),
    );
  });

  it("differs for lines that differ in anything", () => {
    fc.assert(
      fc.property(anyLine, anyLine, (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b);
        const [first, second] = [formatKeptName(a), formatKeptName(b)];
        if (first !== null && second !== null) expect(first === second).to.equal(same);
      }),
    );
  });

  it("is none when it would be too long", () => {
    const [long] = fc.sample(anyLine, 1);
    if (long === undefined) throw new Error("no sample");
    expect(formatKeptName({ ...long, line: "é".repeat(60) })).to.equal(null);
  });

  for (const name of [
    "unknown",
    "line/",
    "line/a/b/x/1/active-high/as-is/0ms/00",
    "line/%zz/b/1/1/a/b/c/d",
  ]) {
    it(`is not read from ${name}`, () => {
      expect(parseKeptName(name)).to.equal(undefined);
    });
  }
});
