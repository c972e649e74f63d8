import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import * as z from "zod";
import { licencesDocument } from "../../scripts/licences.ts";
import { CHECKOUT } from "../rig/program.ts";

/** Licences that ask for no more than to be named. Another one is for a person to decide on. */
const TAKEN = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT", "MIT-0"];
/** Of tools that build and test, and are in nothing that is shipped. */
const TAKEN_AS_TOOLS = [
  ...["MPL-2.0", "PSF-2.0", "MIT OR Apache-2.0"],
  ...["(MIT OR WTFPL)", "(BSD-2-Clause OR MIT OR Apache-2.0)"],
];
/** What the lock file calls integrity: SHA-512. */
const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

const lockedPackage = z.object({
  version: z.string(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  deprecated: z.string().optional(),
});
const lock = z
  .object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), z.unknown()) })
  .parse(readJson("package-lock.json"));
const manifest = z
  .object({
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()),
    allowScripts: z.record(z.string(), z.boolean()),
    scripts: z.object({ sbom: z.string() }),
  })
  .parse(readJson("package.json"));
const packages = Object.entries(lock.packages)
  .filter(([path]) => path !== "")
  .map(([path, entry]) => ({
    path,
    name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
    ...lockedPackage.parse(entry),
  }));

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(CHECKOUT, file), "utf8"));
}

describe("what flanco is made of", () => {
  it("is locked: every package by its hash, from the registry and nowhere else", () => {
    expect(packages.length).to.be.greaterThan(100);
    for (const { path, integrity, resolved } of packages) {
      expect(integrity, path).to.match(INTEGRITY);
      if (resolved !== undefined) expect(resolved, path).to.match(/^https:\/\/registry\.npmjs\.org\//);
    }
  });

  it("is named by exact versions", () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    for (const [name, version] of Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    })) {
      expect(version, name).to.match(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      const locked = packages.find(({ path }) => path === `node_modules/${name}`);
      expect(locked?.version, name).to.equal(version);
    }
  });

  it("runs no script of a package at its install", () => {
    const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript === true);
    expect(scripted.length).to.be.greaterThan(0);
    for (const { name } of scripted) expect(manifest.allowScripts[name], name).to.equal(false);
    expect(Object.values(manifest.allowScripts)).not.to.include(true);
  });

  it("holds no package that its makers have given up", () => {
    const deprecated = packages.filter((entry) => entry.deprecated !== undefined && entry.dev !== true);
    expect(deprecated.map(({ name }) => name)).to.deep.equal([]);
  });

  it("is under licences that were looked at, and docs/licences.md names all of them", () => {
    for (const { path, license, dev } of packages) {
      const taken = dev === true ? [...TAKEN, ...TAKEN_AS_TOOLS] : TAKEN;
      expect(taken, path).to.include(license);
    }
    expect(readFileSync(join(CHECKOUT, "docs", "licences.md"), "utf8")).to.equal(licencesDocument());
  });

  it("has a bill of materials that names every package with its hash", () => {
    // As `npm run` does it, without a second npm in front.
    const text = execFileSync("sh", ["-c", manifest.scripts.sbom], {
      cwd: CHECKOUT,
      encoding: "utf8",
      stdio: "pipe",
    });
    const { components } = z
      .object({
        bomFormat: z.literal("CycloneDX"),
        components: z.array(
          z.object({ purl: z.string(), hashes: z.array(z.object({ content: z.string() })) }),
        ),
      })
      .parse(JSON.parse(text));
    const listed = new Set(components.map(({ purl }) => decodeURIComponent(purl)));
    for (const name of Object.keys(manifest.dependencies)) {
      expect(listed).to.include(`pkg:npm/${name}@${manifest.dependencies[name]}`);
    }
    expect(components.every(({ hashes }) => hashes.length > 0)).to.equal(true);
  });
});
