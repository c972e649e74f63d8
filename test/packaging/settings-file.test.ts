import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "smol-toml";
import { settingsFile } from "../../scripts/release/package.ts";
import { CONFIG_KEYS, configSchema } from "../../src/contract/config/schema.ts";
import { defaultConfig, loadConfig } from "../../src/service/config-file.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const CHECKOUT = join(import.meta.dirname, "..", "..");

describe("The installed settings file", () => {
  const text = settingsFile();
  const unlocked = text.replaceAll(/^#(\w)/gm, "$1");
  const directory = forEachTest(() => new TemporaryDirectory());

  it("sets nothing", () => {
    expect(parse(text)).to.deep.equal({});
  });

  it("names every setting, with what it means", () => {
    expect(Object.keys(parse(unlocked))).to.deep.equal([...CONFIG_KEYS]);
    for (const key of CONFIG_KEYS) expect(text).to.contain(`# ${configSchema.shape[key].description}`);
  });

  it("shows each with its default, so that taking the # away changes nothing", () => {
    const config = directory.file("flanco.toml");
    writeFileSync(config, unlocked);
    const { time_zone: _, ...shown } = loadConfig({ config }, {}, null);
    const { time_zone: __, ...defaults } = defaultConfig(null);
    expect(shown).to.deep.equal(defaults);
  });
});

describe("The package's scripts", () => {
  const folder = join(CHECKOUT, "packaging", "maintainer");
  for (const name of readdirSync(folder)) {
    it(`${name} is one that sh reads`, () => {
      const { status, stderr } = spawnSync("sh", ["-n", join(folder, name)], { encoding: "utf8" });
      expect(stderr).to.equal("");
      expect(status).to.equal(0);
    });
  }
});
