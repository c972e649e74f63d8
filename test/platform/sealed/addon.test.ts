import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Addon, addonDirectories, placeAddon } from "../../../src/platform/sealed/addon.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

const UID = process.getuid?.() ?? 0;

function addonOf(text: string): Addon {
  const content = Buffer.from(text);
  return {
    name: "sqlite",
    sha256: createHash("sha256").update(content).digest("hex"),
    content: () => content,
  };
}

describe("An addon of the sealed program", () => {
  const base = forEachTest(() => new TemporaryDirectory());
  const directory = () => base.file("cache", "addons");

  it("is written once, writable for its user alone, and reused", () => {
    const file = placeAddon(directory(), addonOf("one"), UID);
    const { mode, ino } = statSync(file);
    expect(readFileSync(file, "utf8")).to.equal("one");
    expect(mode & 0o022).to.equal(0);
    expect(statSync(directory()).mode & 0o022).to.equal(0);
    expect(placeAddon(directory(), addonOf("one"), UID)).to.equal(file);
    expect(statSync(file).ino).to.equal(ino);
  });

  it("is replaced where it was altered, truncated, replaced by a link, or made writable for others", () => {
    const file = placeAddon(directory(), addonOf("one"), UID);
    const elsewhere = base.file("elsewhere");
    writeFileSync(elsewhere, "one");
    for (const spoil of [
      () => writeFileSync(file, "two"),
      () => writeFileSync(file, ""),
      () => {
        rmSync(file);
        symlinkSync(elsewhere, file);
      },
      () => chmodSync(file, 0o666),
    ]) {
      spoil();
      expect(placeAddon(directory(), addonOf("one"), UID)).to.equal(file);
      expect(readFileSync(file, "utf8")).to.equal("one");
      expect(statSync(file).mode & 0o022).to.equal(0);
      expect(statSync(elsewhere).ino).not.to.equal(statSync(file).ino);
    }
  });

  it("replaces the file of another version", () => {
    placeAddon(directory(), addonOf("one"), UID);
    const file = placeAddon(directory(), addonOf("two"), UID);
    expect(readdirSync(directory()).map((name) => join(directory(), name))).to.deep.equal([file]);
  });

  it("is not written where others may write", () => {
    mkdirSync(directory(), { recursive: true });
    chmodSync(directory(), 0o777);
    expect(() => placeAddon(directory(), addonOf("one"), UID)).to.throw("others may write to");
    chmodSync(directory(), 0o700);
    chmodSync(base.file("cache"), 0o777);
    expect(() => placeAddon(directory(), addonOf("one"), UID)).to.throw("others may write to");
    // Like /tmp: other users may not rename its entries.
    chmodSync(base.file("cache"), 0o1777);
    expect(placeAddon(directory(), addonOf("one"), UID)).to.contain(directory());
  });

  it("is not written into another user's directory(), nor through a link", () => {
    mkdirSync(base.file("cache"));
    mkdirSync(base.file("theirs"));
    symlinkSync(base.file("theirs"), directory());
    expect(() => placeAddon(directory(), addonOf("one"), UID)).to.throw("is no directory");
    expect(() => placeAddon(base.file("theirs"), addonOf("one"), UID + 1)).to.throw("is another user's");
  });

  it("is readable for the service's user when root wrote it, with any umask", () => {
    const umask = process.umask(0o077);
    try {
      const file = placeAddon(directory(), addonOf("one"), UID);
      if (UID === 0) {
        expect(statSync(file).mode & 0o777).to.equal(0o755);
        expect(statSync(directory()).mode & 0o777).to.equal(0o755);
      } else expect(statSync(file).mode & 0o777).to.equal(0o700);
    } finally {
      process.umask(umask);
    }
  });

  it("replaces another user's file", () => {
    const file = placeAddon(directory(), addonOf("one"), UID);
    if (UID !== 0) return;
    chownSync(file, 4711, 4711);
    placeAddon(directory(), addonOf("one"), UID);
    expect(statSync(file).uid).to.equal(0);
  });
});

describe("The directories of addons", () => {
  const environment = { CACHE_DIRECTORY: "/var/cache/flanco:/x", XDG_CACHE_HOME: "/c", HOME: "/home/ana" };

  it("are systemd's, then the user's own, then shared ones by the user's number", () => {
    expect(addonDirectories({ uid: 1000, environment }).slice(0, 5)).to.deep.equal([
      "/var/cache/flanco/addons",
      "/c/flanco/addons",
      "/home/ana/.cache/flanco/addons",
      "/run/flanco-1000",
      "/dev/shm/flanco-1000",
    ]);
  });

  it("are the service's own before those that any user may have made, for a command that runs as that user", () => {
    expect(addonDirectories({ uid: 7, environment: {} }).slice(0, 2)).to.deep.equal([
      "/var/cache/flanco/addons",
      "/run/flanco-7",
    ]);
  });

  it("are never in a home for root, are never relative, and need no variable", () => {
    expect(addonDirectories({ uid: 0, environment })).not.to.include("/home/ana/.cache/flanco/addons");
    expect(addonDirectories({ uid: 0, environment: {} })[0]).to.equal("/run/flanco-0");
    expect(addonDirectories({ uid: 7, environment: { XDG_CACHE_HOME: "x", HOME: "" } })).to.deep.equal(
      addonDirectories({ uid: 7, environment: {} }),
    );
  });
});
