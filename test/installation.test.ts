import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect } from "chai";
import { type InstalledFile, readFiles } from "../src/installation.ts";
import { forEachTest } from "./rig/standing.ts";
import { TemporaryDirectory } from "./rig/temporary-directory.ts";

const BUILDS = 100;
const ASSETS = 5;

/** Builds a page in the way of scripts/build-web.mjs, each time of other assets, whenever one more build is asked for. */
const BUILDER = `
const { renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { page, drafts, assets, builds, counts } = require("node:worker_threads").workerData;
function write(name, text) {
  writeFileSync(join(drafts, "draft"), text);
  renameSync(join(drafts, "draft"), join(page, name));
}
let before = [];
try {
  for (let build = 0; build < builds; build += 1) {
    Atomics.wait(counts, 0, build);
    const names = Array.from({ length: assets }, (_, index) => "assets/" + build + "-" + index + ".js");
    for (const name of names) write(name, name);
    write("index.html", names.join(" "));
    for (const name of before) rmSync(join(page, name));
    before = names;
    Atomics.store(counts, 1, build + 1);
  }
} finally {
  // A failed one is not waited for.
  Atomics.store(counts, 1, builds);
}
`;

describe("The built page, read from its folder", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let page: string;

  beforeEach(() => {
    page = directory.file("web");
    mkdirSync(join(page, "assets"), { recursive: true });
  });

  /** Before the first build is done, nothing is named. */
  function expectWhole(files: readonly InstalledFile[]): void {
    const texts = new Map(files.map(({ name, content }) => [name, content.toString()]));
    const named = texts.get("index.html")?.split(" ") ?? [];
    expect(named.map((name) => texts.get(name))).to.deep.equal(named);
  }

  it("has every file that its index names, whenever a build comes in between", async () => {
    // How many builds were asked for, and how many are done.
    const counts = new Int32Array(new SharedArrayBuffer(8));
    const workerData = { page, drafts: directory.path, assets: ASSETS, builds: BUILDS, counts };
    const builder = new Worker(BUILDER, { eval: true, workerData });
    await once(builder, "online");
    try {
      for (let build = 1; build <= BUILDS; build += 1) {
        Atomics.store(counts, 0, build);
        Atomics.notify(counts, 0);
        do expectWhole(readFiles(page));
        while (Atomics.load(counts, 1) < build);
      }
    } finally {
      await builder.terminate();
    }
  });

  it("is nothing where there is no folder, and the files below it where there is one", () => {
    expect(readFiles(directory.file("none"))).to.deep.equal([]);
    const name = join(page, "assets", "app.js");
    writeFileSync(name, "");
    expect(readFiles(page).map((file) => file.name)).to.deep.equal(["assets/app.js"]);
  });
});
