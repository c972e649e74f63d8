import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import Database from "better-sqlite3";
import { expect } from "chai";
import { FlancoError } from "../../../src/domain/error.ts";
import {
  DiskRoom,
  isFailing,
  isFull,
  namedByDisk,
  RESERVE_BYTES,
  Reserve,
} from "../../../src/ledger/engine/disk-room.ts";
import { requireRoom } from "../../../src/ledger/safety/file-copy.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";
import { until } from "../../rig/until.ts";

const RECOVERY_MS = 5_000;
const BLOCK_BYTES = 512;
const EXBIBYTE = 2 ** 60;

/** A reserve whose disk the test fills and frees. */
class HandReserve extends Reserve {
  room = true;

  override take(): boolean {
    return this.room && super.take();
  }
}

describe("the room on the disk", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  const reserve = forEachTest(() => new HandReserve(directory.file("reserve")));
  let told: (number | null)[];
  let room: DiskRoom;

  beforeEach(() => {
    told = [];
    room = new DiskRoom(reserve, (fullSinceMs) => void told.push(fullSinceMs));
  });

  afterEach(() => room.close());

  it("holds the reserve from the start, and is not full then", () => {
    room.open(1_000);
    expect(reserve.held).to.equal(true);
    expect(room.full).to.equal(false);
    expect(told).to.deep.equal([]);
  });

  it("gives the reserve up when a write found no room, and tells it once", () => {
    room.open(1_000);
    expect(room.ranOut(2_000), "worth another try").to.equal(true);
    expect(room.ranOut(3_000), "nothing left to give up").to.equal(false);
    expect(room.full).to.equal(true);
    expect(existsSync(directory.file("reserve"))).to.equal(false);
    expect(told).to.deep.equal([2_000]);
  });

  it("is full until the reserve could be made again", async () => {
    room.open(1_000);
    reserve.room = false;
    room.ranOut(2_000);
    reserve.room = true;
    await until("the reserve is held again", () => !room.full, RECOVERY_MS);
    expect(reserve.held).to.equal(true);
    expect(told).to.deep.equal([2_000, null]);
  });

  it("is full from the start where there is no room for the reserve", () => {
    reserve.room = false;
    room.open(9_000);
    expect(room.full).to.equal(true);
    expect(told).to.deep.equal([9_000]);
  });
});

describe("the reserve on the disk", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  const reserve = forEachTest(() => new Reserve(directory.file("reserve")));

  it("takes up its room for real, for its owner alone", () => {
    expect(reserve.held).to.equal(false);
    expect(reserve.take()).to.equal(true);
    expect(reserve.held).to.equal(true);
    const { size, blocks, mode } = statSync(directory.file("reserve"));
    expect(size).to.equal(RESERVE_BYTES);
    expect(blocks * BLOCK_BYTES).to.be.at.least(RESERVE_BYTES);
    expect(mode & 0o077).to.equal(0);
  });

  it("gives its room up once, and can be taken again", () => {
    reserve.take();
    expect(reserve.release()).to.equal(true);
    expect(existsSync(directory.file("reserve"))).to.equal(false);
    expect(reserve.release()).to.equal(false);
    expect(reserve.take()).to.equal(true);
  });

  it("makes a half-written one anew, and leaves nothing beside it", () => {
    writeFileSync(directory.file("reserve"), "half");
    writeFileSync(directory.file("reserve.new"), "half");
    expect(reserve.held).to.equal(false);
    expect(reserve.take()).to.equal(true);
    expect(readdirSync(directory.path)).to.deep.equal(["reserve"]);
  });

  it("leaves one that is held as it is", () => {
    reserve.take();
    const { ino } = statSync(directory.file("reserve"));
    expect(reserve.take()).to.equal(true);
    expect(statSync(directory.file("reserve")).ino).to.equal(ino);
  });
});

function sqlite(code: string) {
  return new Database.SqliteError("message", code);
}

/** What becomes of a commit that failed so: `full` may come again, `failing` ends the process. */
function verdict(error: unknown): string {
  return isFull(error) ? "full" : isFailing(error) ? "failing" : "neither";
}

describe("A write that failed", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  for (const [code, refusal, said] of [
    ["SQLITE_FULL", "ENOSPC", "full"],
    ["SQLITE_IOERR_WRITE", "EDQUOT", "full"],
    ["SQLITE_IOERR_WRITE", "EIO", "failing"],
    ["SQLITE_IOERR_WRITE", "EROFS", "failing"],
    ["SQLITE_IOERR_WRITE", undefined, "failing"],
    ["SQLITE_IOERR_FSYNC", "EDQUOT", "failing"],
    ["SQLITE_CONSTRAINT", "EDQUOT", "neither"],
  ] as const) {
    it(`with ${code}, where the disk itself says ${refusal ?? "nothing"}, is taken for: ${said}`, () => {
      expect(verdict(namedByDisk(sqlite(code), "/", () => refusal))).to.equal(said);
    });
  }

  it("on a disk that takes writes leaves nothing of the question there", () => {
    const error = sqlite("SQLITE_IOERR_WRITE");
    expect(namedByDisk(error, directory.path)).to.equal(error);
    expect(readdirSync(directory.path)).to.deep.equal([]);
  });
});

describe("The look at free space before a copy", () => {
  it("passes where there is room", () => {
    requireRoom(tmpdir(), 1, "make a backup");
  });

  it("says how much the copy takes, how much there is, and how much to free", () => {
    expect(() => requireRoom(tmpdir(), EXBIBYTE, "make a backup"))
      .to.throw(
        FlancoError,
        /^There is no room to make a backup: it takes 1099511627776 MiB, and the disk of .* has \d+ MiB\.$/,
      )
      .with.property("hint")
      .that.matches(/^Free \d+ MiB there\.$/);
  });
});
