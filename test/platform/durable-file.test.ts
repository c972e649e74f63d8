import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { makeDirectory } from "../../src/platform/durable-file.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const PERMISSIONS = 0o777;

describe("A directory that is made", () => {
  const above = forEachTest(() => new TemporaryDirectory());

  /** Makes it, and gives the directories whose names were made durable, in their order. */
  function synced(directory: string): readonly string[] {
    const paths: string[] = [];
    makeDirectory(directory, (path) => void paths.push(path));
    return paths;
  }

  it("is durable with those above it that were made for it, each by its name in the one that holds it", () => {
    const [first, second, third] = [above.file("a"), above.file("a", "b"), above.file("a", "b", "c")];
    expect(synced(third)).to.deep.equal([above.path, first, second]);
    for (const made of [first, second, third]) expect(statSync(made).mode & PERMISSIONS).to.equal(0o700);
  });

  it("leaves what was there as it is, and makes nothing of it durable again", () => {
    mkdirSync(above.file("a"));
    chmodSync(above.file("a"), 0o755);
    expect(synced(above.file("a", "b"))).to.deep.equal([above.file("a")]);
    expect(synced(above.file("a", "b"))).to.deep.equal([]);
    expect(statSync(above.file("a")).mode & PERMISSIONS).to.equal(0o755);
  });

  it("is refused where its file system takes no new names, and where a file stands in its way", () => {
    writeFileSync(above.file("file"), "");
    for (const directory of ["/proc/x/y", above.file("file"), above.file("file", "a")]) {
      expect(() => synced(directory)).to.throw(directory.startsWith("/proc") ? "ENOENT" : "EEXIST");
    }
  });
});
