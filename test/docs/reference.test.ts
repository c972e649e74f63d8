import { readFileSync } from "node:fs";
import { expect } from "chai";
import { REFERENCE, referencePage } from "../../scripts/reference.ts";

describe("docs/reference.md", () => {
  it("is what npm run reference makes of this source", () => {
    expect(readFileSync(REFERENCE, "utf8")).to.equal(referencePage());
  });
});
