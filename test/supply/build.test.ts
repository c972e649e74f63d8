import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { CHECKOUT } from "../rig/program.ts";

const SOURCES = ["docs", "src", "bin", "scripts", "demo", "package.json", "tsconfig.json"];
/** A copy of the checkout, and three builds in it. */
const BUILD_MS = 180_000;

/** The script that compiles the addon of the sysfs driver, where this machine has a compiler. */
const ADDON = spawnSync("g++", ["--version"]).status === 0 ? ["epoll.ts"] : [];

/** Every file of a folder by its hash. */
function hashesOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.sort().map((path) => [path.slice(folder.length), hash("sha256", readFileSync(path))]),
  );
}

describe("the build", () => {
  let directory: string;

  before(() => {
    // Beside node_modules, so that its files can be linked and not copied.
    mkdirSync(join(CHECKOUT, "build"), { recursive: true });
    directory = mkdtempSync(join(CHECKOUT, "build", "twice-"));
  });

  after(() => rmSync(directory, { recursive: true, force: true }));

  function build(
    checkout: string,
    environment: Readonly<Record<string, string>>,
    scripts: readonly string[] = ["build-web.ts", ...ADDON, "bundle.ts"],
  ): Readonly<Record<string, string>> {
    for (const script of scripts) {
      const ended = spawnSync(process.execPath, [join("scripts", script)], {
        cwd: checkout,
        env: { ...process.env, ...environment },
        encoding: "utf8",
      });
      expect(ended.status, ended.stderr).to.equal(0);
    }
    return hashesOf(join(checkout, "dist", "program"));
  }

  it("gives the same bytes in another folder, on another day, of another zone and language", function () {
    this.timeout(BUILD_MS);
    const near = join(directory, "one");
    mkdirSync(near);
    for (const source of SOURCES) cpSync(join(CHECKOUT, source), join(near, source), { recursive: true });
    const linked = spawnSync("cp", ["-al", join(CHECKOUT, "node_modules"), near], { encoding: "utf8" });
    expect(linked.status, linked.stderr).to.equal(0);
    const one = build(near, { TZ: "UTC", LANG: "C" });
    rmSync(join(near, "dist"), { recursive: true });
    const far = join(directory, "clínica ñandú (1)", "a [longer] name", "other");
    mkdirSync(dirname(far), { recursive: true });
    renameSync(near, far);
    for (const source of SOURCES) utimesSync(join(far, source), 0, 0);
    const other = build(far, { TZ: "Asia/Kathmandu", LANG: "es_ES.UTF-8" });
    expect(Object.keys(one)).to.include("/main.cjs").and.to.include("/web/index.html");
    expect(other).to.deep.equal(one);
    // Where it was not compiled, the addon of the sysfs driver alone is missing, and the program starts.
    rmSync(join(far, "node_modules", "epoll", "build"), { recursive: true, force: true });
    const without = Object.keys(build(far, {}, ["bundle.ts"]));
    expect(without).to.deep.equal(Object.keys(one).filter((file) => file !== "/addon/epoll.node"));
    const version = spawnSync(process.execPath, ["dist/program/flanco.mjs", "--version"], { cwd: far });
    expect(version.status).to.equal(0);
    // The control: a byte of a source is a byte of the build.
    const source = join(far, "src", "main.ts");
    writeFileSync(source, readFileSync(source, "utf8").replace("ExitCode = 1;", "ExitCode = 3;"));
    expect(build(far, {}, ["bundle.ts"])).not.to.deep.equal(one);
  });
});
