import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { expect } from "chai";
import { runCommand, tryCommand } from "../../scripts/command.ts";
import { aptSource, buildAptSource } from "../../scripts/release/apt-source.ts";
import { buildPackage } from "../../scripts/release/package.ts";
import { makeKey, ownProcessor } from "../package/versions.ts";
import { CHECKOUT } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const EPOCH_SECONDS = 1_763_000_000;

describe("The apt source of a release", () => {
  const folder = forSuite(() => new TemporaryDirectory());
  const processor = ownProcessor();

  /** apt, with nothing of this machine's but the package that its own folders say. */
  function apt(...words: readonly string[]) {
    const own = { Etc: "etc", State: "state", Cache: "cache" };
    for (const path of ["etc", "state/lists/partial", "cache/archives/partial"])
      mkdirSync(folder.file(path), { recursive: true });
    writeFileSync(folder.file("state", "status"), "");
    const folders = Object.entries(own).flatMap(([name, path]) => [
      "-o",
      `Dir::${name}=${folder.file(path)}`,
    ]);
    const status = ["-o", `Dir::State::status=${folder.file("state", "status")}`];
    return tryCommand(["apt-get", ...folders, ...status, "-o", "APT::Update::Error-Mode=any", ...words], {
      directory: folder.path,
    });
  }

  before(async () => {
    const binary = folder.file("program");
    writeFileSync(binary, "#!/bin/sh\n");
    const keyFile = makeKey(folder.path, "ours");
    const source = aptSource(keyFile, `file:${folder.file("source")}`);
    const deb = folder.file(`flanco_7.0.0_${processor.debian}.deb`);
    const common = { processor, checkout: CHECKOUT, directory: folder.path, epochSeconds: EPOCH_SECONDS };
    await buildPackage({ ...common, version: "7.0.0", binary, target: deb, quick: true, source });
    buildAptSource({ debs: [deb], target: folder.file("source"), keyFile, epochSeconds: EPOCH_SECONDS });
    // What the package brings tells apt of the source.
    runCommand(["dpkg-deb", "--extract", deb, folder.file("installed")]);
    mkdirSync(folder.file("etc", "sources.list.d"), { recursive: true });
    const told = readFileSync(folder.file("installed/usr/share/flanco/flanco.sources"), "utf8");
    const here = told.replace("/usr/share/keyrings", folder.file("installed/usr/share/keyrings"));
    writeFileSync(folder.file("etc/sources.list.d/flanco.sources"), here);
  });

  it("gives apt the package that it has, with its notes", () => {
    expect(apt("update")).to.include({ status: 0 });
    expect(apt("download", "flanco")).to.include({ status: 0 });
    const [list = ""] = globSync(folder.file("state", "lists", "*_Packages*"));
    const shown = readFileSync(list, "utf8");
    expect(shown).to.match(/^Version: 7\.0\.0$/m);
    expect(shown).to.match(/^Notes-Es:\n \S/m);
  });

  it("is refused once another key has signed it, or a package is another one", () => {
    const deb = folder.file(`flanco_7.0.0_${processor.debian}.deb`);
    const inRelease = readFileSync(folder.file("source", "InRelease"));
    buildAptSource({
      debs: [deb],
      target: folder.file("source"),
      keyFile: makeKey(folder.path, "theirs"),
      epochSeconds: EPOCH_SECONDS + 1,
    });
    const refused = apt("update");
    expect(refused.status, refused.tail).not.to.equal(0);
    expect(refused.tail).to.match(/NO_PUBKEY|not signed|Missing key/);
    writeFileSync(folder.file("source", "InRelease"), inRelease);
    writeFileSync(folder.file("source", basename(deb)), "another one");
    rmSync(folder.file("cache"), { recursive: true });
    const download = apt("download", "flanco");
    expect(download.status, download.tail).not.to.equal(0);
  });
});
