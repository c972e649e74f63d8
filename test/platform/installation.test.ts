import { mkdirSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { readFiles } from "../../src/platform/installation.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

describe("The built page, read from its folder", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  it("is nothing where there is no folder, and the files below it where there is one", () => {
    expect(readFiles(directory.file("none"))).to.deep.equal([]);
    mkdirSync(directory.file("web/assets"), { recursive: true });
    writeFileSync(directory.file("web/assets/app.js"), "one");
    writeFileSync(directory.file("web/index.html"), "two");
    const files = readFiles(directory.file("web")).map(({ name, content }) => [name, String(content)]);
    expect(files).to.deep.equal([
      ["assets/app.js", "one"],
      ["index.html", "two"],
    ]);
  });
});
