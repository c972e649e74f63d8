import { createHash } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { openForWriting } from "../../src/ledger/engine/open.ts";
import { LATER_MIGRATIONS } from "../rig/later-schema.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { SmallDisk } from "./small-disk.ts";

const RECORDS = 200;
const DISK_MEBIBYTES = 8;
const KIBIBYTE = 1_024;
/** From no room at all to enough for the copy, its log and its new columns. */
const ROOM_KIBIBYTES = [0, 40, 80, 120, 160, 200, 300, 400, 600, 1_000, 2_000];
const TEST_MS = 120_000;

describe("An upgrade on a full disk", function () {
  this.timeout(TEST_MS);
  const directory = new TemporaryDirectory();
  const base = directory.path;
  const disk = new SmallDisk(base);
  const file = directory.file("flanco.db");

  before(() => disk.mount(DISK_MEBIBYTES));

  after(() => {
    disk.unmount();
    directory.remove();
  });

  function make(): void {
    disk.free();
    for (const name of readdirSync(base)) rmSync(join(base, name));
    const db = openForWriting(file);
    const insert = db.prepare(
      `INSERT INTO record (user_id, location_name, device_name, device_id, room, valor_micros, created_ms, effective_ms,
                           day, origin, hash, number)
       VALUES ('u', 'l', 'd', 'x', '1', 1, 1, 1, 1, 'posted', randomblob(200), 1)`,
    );
    for (let record = 0; record < RECORDS; record += 1) insert.run();
    db.pragma("journal_mode = DELETE");
    db.close();
  }

  /** Everything that the file holds, as one text. */
  function held(): string {
    const db = new DatabaseConstructor(file, { readonly: true });
    const rows = db.prepare<[], unknown[]>("SELECT * FROM record ORDER BY record_id").raw().all();
    const version = db.pragma("user_version", { simple: true });
    db.close();
    return `${version} ${createHash("sha256").update(JSON.stringify(rows)).digest("hex")}`;
  }

  it("leaves the old ledger as it was at every amount of room, says so, and is done once there is enough", () => {
    const outcomes = new Map<string, number>();
    for (const kibibytes of ROOM_KIBIBYTES) {
      make();
      const before = held();
      disk.fillBut(kibibytes * KIBIBYTE);
      const told = `with ${kibibytes} KiB of room`;
      let outcome = "upgraded";
      try {
        openForWriting(file, () => {}, LATER_MIGRATIONS).close();
      } catch (error) {
        if (!(error instanceof FlancoError)) throw error;
        expect(error.code, told).to.equal("unavailable");
        expect(error.hint, told).to.be.a("string");
        outcome = "refused";
      }
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      disk.free();
      if (outcome === "refused") {
        expect(held(), told).to.equal(before);
        expect(
          readdirSync(base).filter((name) => /upgrade|schema-/.test(name)),
          told,
        ).to.deep.equal([]);
        openForWriting(file, () => {}, LATER_MIGRATIONS).close();
      }
      expect(held(), told).to.equal(before.replace(/^\d+/, String(LATER_MIGRATIONS.length)));
    }
    console.log(`      ${[...outcomes].map(([outcome, times]) => `${times} ${outcome}`).join(", ")}`);
    expect([...outcomes.keys()].sort()).to.deep.equal(["refused", "upgraded"]);
  });
});
