import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Patch, patched } from "../../scripts/patch.ts";
import { SIMULATED_CONTROLS } from "../simulation/controls.ts";
import { CONTROLS } from "./controls.ts";
import { CHECKOUT } from "./program.ts";

const VERSIONS: Readonly<Record<string, readonly Patch[]>> = {
  ...CONTROLS,
  ...SIMULATED_CONTROLS,
};

describe("the controls", () => {
  for (const [name, patches] of Object.entries(VERSIONS)) {
    it(`can change the sources so that ${name}`, () => {
      for (const file of new Set(patches.map((patch) => patch.file))) {
        const source = readFileSync(join(CHECKOUT, file), "utf8");
        expect(patched(file, source, patches)).not.to.equal(source);
      }
    });
  }
});
