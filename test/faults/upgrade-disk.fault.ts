import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { SCHEMA_VERSION } from "../../src/store/migration.ts";
import { openForWriting } from "../../src/store/open.ts";
import { faultsOf, verifyLedger } from "../../src/store/verify.ts";
import { SmallDisk } from "./small-disk.ts";

const FIXTURE = join(import.meta.dirname, "..", "store", "fixtures", "schema-1.sql");
const DISK_MEBIBYTES = 8;
const KIBIBYTE = 1_024;
/** From no room at all to enough for the copy, its log and its new columns. */
const ROOM_KIBIBYTES = [0, 40, 80, 120, 160, 200, 300, 400, 600, 1_000, 2_000];
const TEST_MS = 120_000;

describe("An upgrade on a full disk", function () {
  this.timeout(TEST_MS);
  const base = mkdtempSync(join(tmpdir(), "flanco-upgrade-disk-"));
  const disk = new SmallDisk(base);
  const file = join(base, "flanco.db");

  before(() => disk.mount(DISK_MEBIBYTES));

  after(() => {
    disk.unmount();
    rmSync(base, { recursive: true, force: true });
  });

  function make(): void {
    disk.free();
    for (const name of readdirSync(base)) rmSync(join(base, name));
    const db = new DatabaseConstructor(file);
    // A dump tells its tables by name, children before parents.
    db.pragma("foreign_keys = OFF");
    db.exec(readFileSync(FIXTURE, "utf8"));
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
        openForWriting(file).close();
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
        openForWriting(file).close();
      }
      const { records } = verifyLedger(file, () => {});
      expect(faultsOf(verifyLedger(file, () => {})), told).to.deep.equal([]);
      expect(held(), told).to.match(new RegExp(`^${SCHEMA_VERSION} `));
      expect(records, told).to.be.above(0);
    }
    console.log(`      ${[...outcomes].map(([outcome, times]) => `${times} ${outcome}`).join(", ")}`);
    expect([...outcomes.keys()].sort()).to.deep.equal(["refused", "upgraded"]);
  });
});
