import { readFileSync } from "node:fs";
import { expect } from "chai";
import { REFERENCE, referencePage } from "../../scripts/reference.ts";
import { describedCommands, describedProgram, shownOptions } from "../../scripts/release/manual.ts";

describe("docs/reference.md", () => {
  it("is what npm run reference makes of this source", async () => {
    const isCurrent = readFileSync(REFERENCE, "utf8") === (await referencePage());
    expect(isCurrent, "the source has changed: npm run reference").to.equal(true);
  });

  it("has every option of every command, also of one that has commands of its own", async () => {
    const sections = (await referencePage()).split(/^#+ /m);
    const [, ...commands] = describedCommands(await describedProgram());
    for (const { command, title } of commands) {
      const section = sections.find((text) => text.startsWith(`${title}\n`));
      for (const { flags } of shownOptions(command)) expect(section, title).to.contain(`\`${flags}\``);
    }
  });
});
