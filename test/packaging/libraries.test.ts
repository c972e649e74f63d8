import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { expect } from "chai";
import { bundleSealed, LIBRARIES } from "../../scripts/bundle.ts";
import { forSuite } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const installed = createRequire(import.meta.url);

/** What the sealed program can load: Node's own modules alone. */
function sealedRequire(name: string): unknown {
  if (!isBuiltin(name)) throw new Error(`${name} is not in the sealed program`);
  return installed(name);
}

/** The packages of a library, by their names. */
function run(file: string): Readonly<Record<string, object>> {
  const module = { exports: {} };
  const source = compileFunction(readFileSync(file, "utf8"), ["exports", "require", "module", "__filename"]);
  source(module.exports, sealedRequire, module, file);
  return module.exports;
}

describe("The libraries of the sealed program", () => {
  const directory = forSuite(() => new TemporaryDirectory());

  before(() => bundleSealed(directory.path, process.arch === "arm64" ? "arm64" : "x64"));

  it("are not in the text that every process holds", () => {
    const main = readFileSync(directory.file("main.cjs"), "utf8");
    expect(main).to.contain("node_modules/koa/");
    for (const name of Object.values(LIBRARIES).flat()) {
      expect(main, name).not.to.contain(`node_modules/${name}/`);
    }
  });

  for (const [library, names] of Object.entries(LIBRARIES)) {
    it(`have ${library} with all that its packages export`, () => {
      const packages = run(join(directory.path, "library", `${library}.cjs`));
      expect(Object.keys(packages)).to.have.ordered.members(names);
      for (const name of names) {
        expect(Object.keys(packages[name] ?? {}), name).to.deep.equal(Object.keys(installed(name)));
      }
    });
  }
});
