import { expect } from "chai";
import { textMistake } from "../../src/domain/text.ts";

describe("A text", () => {
  it("is measured in code points, not in UTF-16 units", () => {
    expect(textMistake("🔑".repeat(3), 1, 3)).to.equal(undefined);
    expect(textMistake("🔑".repeat(4), 1, 3)).to.equal("too_long");
    expect(textMistake("", 1, 3)).to.equal("too_short");
    expect(textMistake("", 0, 3)).to.equal(undefined);
  });

  it("has no lone surrogates and no NUL", () => {
    expect(textMistake("\ud83d", 1, 3)).to.equal("malformed");
    expect(textMistake("a\0b", 1, 3)).to.equal("malformed");
  });
});
