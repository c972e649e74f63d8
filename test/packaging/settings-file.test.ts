import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "smol-toml";
import { settingsFile } from "../../scripts/release/settings-file.ts";
import { defaultConfig } from "../../src/config/default.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { CONFIG_KEYS, configSchema } from "../../src/config/schema.ts";

const CHECKOUT = join(import.meta.dirname, "..", "..");
const INSTALLED = { checkout: null };

describe("The installed settings file", () => {
  const text = settingsFile();
  const unlocked = parse(text.replaceAll(/^#(\w)/gm, "$1"));

  it("sets nothing", () => {
    expect(parse(text)).to.deep.equal({});
  });

  it("names every setting, with what it means", () => {
    expect(Object.keys(unlocked)).to.deep.equal([...CONFIG_KEYS]);
    for (const key of CONFIG_KEYS) expect(text).to.contain(`# ${configSchema.shape[key].description}`);
  });

  it("shows each with its default, so that taking the # away changes nothing", () => {
    const source = { values: unlocked, nameOf: (key: string) => key };
    const { time_zone: _, ...shown } = parseConfig([source], INSTALLED);
    const { time_zone: __, ...defaults } = defaultConfig(INSTALLED);
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
