import { readFileSync } from "node:fs";
import { expect } from "chai";
import { REFERENCE, referencePage } from "../../scripts/reference.ts";

describe("docs/reference.md", () => {
  it("is what npm run reference makes of this source", async () => {
    const isCurrent = readFileSync(REFERENCE, "utf8") === (await referencePage());
    expect(isCurrent, "the source has changed: npm run reference").to.equal(true);
  });
});
