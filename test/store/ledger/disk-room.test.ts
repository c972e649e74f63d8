import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "chai";
import { DiskRoom, Reserve } from "../../../src/store/ledger/disk-room.ts";
import { until } from "../../rig/until.ts";

const RECOVERY_MS = 5_000;

/** A reserve whose disk the test fills and frees. */
class HandReserve extends Reserve {
  room = true;

  override take(): boolean {
    return this.room && super.take();
  }
}

describe("the room on the disk", () => {
  let directory: string;
  let db: Database.Database;
  let reserve: HandReserve;
  let told: (number | null)[];
  let room: DiskRoom;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "flanco-room-"));
    db = new Database(join(directory, "room.db"));
    db.exec("CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT");
    reserve = new HandReserve(join(directory, "reserve"));
    told = [];
    room = make();
  });

  afterEach(() => {
    room.close();
    db.close();
    rmSync(directory, { recursive: true });
  });

  function make(): DiskRoom {
    return new DiskRoom(db, reserve, (fullSinceMs) => void told.push(fullSinceMs));
  }

  function savedSince(): unknown {
    return db.prepare("SELECT value FROM setting WHERE name = 'disk_full_since'").pluck().get();
  }

  it("holds the reserve from the start, and is not full then", () => {
    room.open(1_000);
    expect(reserve.held).to.equal(true);
    expect(room.full).to.equal(false);
    expect(told).to.deep.equal([]);
  });

  it("gives the reserve up when a write found no room, tells it once, and keeps since when in the ledger", () => {
    room.open(1_000);
    expect(room.ranOut(2_000), "worth another try").to.equal(true);
    expect(room.ranOut(3_000), "nothing left to give up").to.equal(false);
    expect(room.full).to.equal(true);
    expect(existsSync(join(directory, "reserve"))).to.equal(false);
    expect(told).to.deep.equal([2_000]);
    expect(savedSince()).to.equal("2000");
  });

  it("is full until the reserve could be made again", async () => {
    room.open(1_000);
    reserve.room = false;
    room.ranOut(2_000);
    reserve.room = true;
    await until("the reserve is held again", () => !room.full, RECOVERY_MS);
    expect(reserve.held).to.equal(true);
    expect(told).to.deep.equal([2_000, null]);
    expect(savedSince()).to.equal(undefined);
  });

  it("is full from the start without room for the reserve, since when it was full before a restart", () => {
    room.open(1_000);
    reserve.room = false;
    room.ranOut(2_000);
    room.close();
    room = make();
    room.open(9_000);
    expect(room.full).to.equal(true);
    expect(told).to.deep.equal([2_000, 2_000]);
    expect(savedSince()).to.equal("2000");
  });

  it("forgets, when it starts with room, that the disk was full", () => {
    room.open(1_000);
    room.ranOut(2_000);
    room.close();
    room = make();
    room.open(9_000);
    expect(room.full).to.equal(false);
    expect(savedSince()).to.equal(undefined);
  });
});
