import { readFileSync } from "node:fs";
import { expect } from "chai";
import { SCHEMA_PAGE, schemaPage } from "../../scripts/schema.ts";

describe("docs/schema.md", () => {
  it("is what npm run reference makes of this source", () => {
    const isCurrent = readFileSync(SCHEMA_PAGE, "utf8") === schemaPage();
    expect(isCurrent, "the schema has changed: npm run reference").to.equal(true);
  });

  it("draws what a table refers to, and lists a table that refers to nothing", () => {
    const page = schemaPage();
    expect(page).to.contain('wiring ||--o{ line_state : "line"');
    expect(page).to.contain("| `setting` | **name**, value |");
  });
});
