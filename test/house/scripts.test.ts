import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SCRIPT_HELP } from "../../scripts/help.ts";
import { CHECKOUT } from "../rig/program.ts";

const TERMINAL_COLUMNS = 110;

describe("npm run help", () => {
  it("has a line for each npm script, and for no other", () => {
    const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(Object.keys(SCRIPT_HELP)).to.have.members(Object.keys(scripts));
    for (const line of Object.values(SCRIPT_HELP))
      expect(line.length).to.be.within(10, TERMINAL_COLUMNS - 25);
  });
});

describe(".editorconfig", () => {
  it("says what biome.json formats by", () => {
    const { formatter } = JSON.parse(readFileSync(join(CHECKOUT, "biome.json"), "utf8")) as {
      readonly formatter: {
        readonly indentStyle: string;
        readonly indentWidth: number;
        readonly lineWidth: number;
      };
    };
    const lines = readFileSync(join(CHECKOUT, ".editorconfig"), "utf8").split("\n");
    expect(lines).to.include.members([
      `indent_style = ${formatter.indentStyle}`,
      `indent_size = ${formatter.indentWidth}`,
      `max_line_length = ${formatter.lineWidth}`,
    ]);
  });
});
