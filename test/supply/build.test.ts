import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CHECKOUT } from "../rig/program.ts";

const SOURCES = ["src", "bin", "scripts", "demo", "package.json", "tsconfig.json"];
/** Two copies of the checkout, and a build in each. */
const BUILD_MS = 180_000;

/** Every file of a folder by its hash. */
function hashesOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths.map((path) => [
      path.slice(folder.length),
      createHash("sha256").update(readFileSync(path)).digest("hex"),
    ]),
  );
}

describe("the build", function () {
  this.timeout(BUILD_MS);
  let directory: string;

  before(() => {
    // Beside node_modules, so that its files can be linked and not copied.
    mkdirSync(join(CHECKOUT, "build"), { recursive: true });
    directory = mkdtempSync(join(CHECKOUT, "build", "twice-"));
  });

  after(() => rmSync(directory, { recursive: true, force: true }));

  /** Copies the checkout to another folder, as if it had been cloned there another day. */
  function checkoutAt(name: string, timeMs: number): string {
    const folder = join(directory, name);
    mkdirSync(folder, { recursive: true });
    for (const source of SOURCES) cpSync(join(CHECKOUT, source), join(folder, source), { recursive: true });
    const linked = spawnSync("cp", ["-al", join(CHECKOUT, "node_modules"), folder], { encoding: "utf8" });
    expect(linked.status, linked.stderr).to.equal(0);
    for (const source of SOURCES) utimesSync(join(folder, source), timeMs / 1_000, timeMs / 1_000);
    return folder;
  }

  function build(
    checkout: string,
    environment: Readonly<Record<string, string>>,
    scripts: readonly string[] = ["build-web.mjs", "bundle.mjs"],
  ): Readonly<Record<string, string>> {
    for (const script of scripts) {
      const ended = spawnSync(process.execPath, [join("scripts", script)], {
        ...{ cwd: checkout, env: { ...process.env, ...environment }, encoding: "utf8" },
      });
      expect(ended.status, ended.stderr).to.equal(0);
    }
    return hashesOf(join(checkout, "dist", "program"));
  }

  it("gives the same bytes in another folder, on another day, of another zone and language", () => {
    const one = build(checkoutAt("one", Date.UTC(2020, 0, 1)), { TZ: "UTC", LANG: "C" });
    const far = checkoutAt(join("a longer name", "deeper", "other"), Date.UTC(2026, 10, 21));
    const other = build(far, { TZ: "Asia/Kathmandu", LANG: "es_ES.UTF-8" });
    expect(Object.keys(one)).to.include("/main.cjs").and.to.include("/web/index.html");
    expect(other).to.deep.equal(one);
    // The control: a byte of a source is a byte of the build.
    const source = join(far, "src", "main.ts");
    writeFileSync(source, readFileSync(source, "utf8").replace("const FAILED = 1;", "const FAILED = 3;"));
    expect(build(far, {}, ["bundle.mjs"])).not.to.deep.equal(one);
  });
});
