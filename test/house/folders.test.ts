import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CHECKOUT } from "../rig/program.ts";

const MAX_LINES = 10;

describe("the folders of src", () => {
  it("say in ten lines what lives there, what they may import, and where to begin", () => {
    const folders = globSync(["src/*/", "src/ledger/*/"], { cwd: CHECKOUT });
    expect(folders).to.include("src/domain").and.to.include("src/ledger/nouns");
    for (const folder of folders) {
      const text = readFileSync(join(CHECKOUT, folder, "README.md"), "utf8");
      expect(text).to.match(/^# /).and.to.include("\n- May import: ").and.to.include("\n- Begin with: ");
      expect(text.trimEnd().split("\n").length, folder).to.be.at.most(MAX_LINES);
    }
  });
});
