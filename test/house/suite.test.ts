import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CHECKOUT } from "../rig/program.ts";

describe("npm test", () => {
  it("runs each test file once, in whatever order its patterns name them", () => {
    const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as {
      readonly scripts: { readonly mocha: string };
    };
    const patterns = [...scripts.mocha.matchAll(/'([^']+)'/g)].map(([, pattern = ""]) => pattern);
    const named = patterns.flatMap((pattern) => globSync(pattern, { cwd: CHECKOUT }));
    expect(named.sort()).to.deep.equal(globSync("test/**/*.test.ts", { cwd: CHECKOUT }).sort());
  });
});
