import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { RESERVE_BYTES, Reserve } from "../../../src/store/ledger/disk-room.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

const BLOCK_BYTES = 512;

describe("the reserve on the disk", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let file: string;
  let reserve: Reserve;

  beforeEach(() => {
    file = directory.file("reserve");
    reserve = new Reserve(file);
  });

  it("takes up its room for real, for its owner alone", () => {
    expect(reserve.held).to.equal(false);
    expect(reserve.take()).to.equal(true);
    expect(reserve.held).to.equal(true);
    const { size, blocks, mode } = statSync(file);
    expect(size).to.equal(RESERVE_BYTES);
    expect(blocks * BLOCK_BYTES).to.be.at.least(RESERVE_BYTES);
    expect(mode & 0o077).to.equal(0);
  });

  it("gives its room up once, and can be taken again", () => {
    reserve.take();
    expect(reserve.release()).to.equal(true);
    expect(existsSync(file)).to.equal(false);
    expect(reserve.release()).to.equal(false);
    expect(reserve.take()).to.equal(true);
  });

  it("makes a half-written one anew, and leaves nothing beside it", () => {
    writeFileSync(file, "half");
    writeFileSync(`${file}.new`, "half");
    expect(reserve.held).to.equal(false);
    expect(reserve.take()).to.equal(true);
    expect(readdirSync(directory.path)).to.deep.equal(["reserve"]);
  });

  it("leaves one that is held as it is", () => {
    reserve.take();
    const { ino } = statSync(file);
    expect(reserve.take()).to.equal(true);
    expect(statSync(file).ino).to.equal(ino);
  });
});
