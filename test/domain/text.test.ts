import { expect } from "chai";
import { textMistake } from "../../src/domain/text.ts";

describe("A text", () => {
  it("is counted in characters as people see them, not in the units that they are kept in", () => {
    expect(textMistake("🔑".repeat(3), 1, 3)).to.equal(undefined);
    expect(textMistake("🔑".repeat(4), 1, 3)).to.equal("too_long");
    expect(textMistake("", 1, 3)).to.equal("too_short");
    expect(textMistake("", 0, 3)).to.equal(undefined);
  });

  it("has no halves of characters, and nothing that ends it early", () => {
    expect(textMistake("\ud83d", 1, 3)).to.equal("malformed");
    expect(textMistake("a\0b", 1, 3)).to.equal("malformed");
  });
});
