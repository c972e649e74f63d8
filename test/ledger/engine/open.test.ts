import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { guarded, openForReading, openForWriting } from "../../../src/ledger/engine/open.ts";
import { SCHEMA_VERSION } from "../../../src/ledger/engine/schema.ts";
import { change, query } from "../../rig/ledger-file.ts";
import { thrown } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

const FULL = 2;

describe("opening the ledger", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  const file = () => directory.file("flanco.db");

  function make(records = 0): void {
    const db = openForWriting(file());
    const insert = db.prepare(
      `INSERT INTO record (user_id, location_name, device_name, device_id, room, valor_micros, created_ms, effective_ms, day, origin, hash, number)
       VALUES ('u', 'l', 'd', 'x', '1', 1, 1, 1, 1, 'posted', x'', 1)`,
    );
    for (let index = 0; index < records; index += 1) insert.run();
    db.close();
  }

  it("syncs every commit in full", () => {
    const db = openForWriting(file());
    expect(db.pragma("synchronous", { simple: true })).to.equal(FULL);
    expect(db.pragma("journal_mode", { simple: true })).to.equal("wal");
    expect(db.pragma("user_version", { simple: true })).to.equal(SCHEMA_VERSION);
    db.close();
  });

  it("says where the disk is full what to do, and not that it may not be mounted", () => {
    for (const code of ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"]) {
      const full = new DatabaseConstructor.SqliteError("no room", code);
      const refused = thrown(() =>
        guarded(file(), () => {
          throw full;
        }),
      );
      expect(refused.hint, code).to.match(/^The disk is full: free at least 8 MB/);
    }
  });

  it("gives readers that cannot write", () => {
    make();
    const db = openForReading(file());
    expect(() => db.exec("DELETE FROM record")).to.throw(/readonly/);
    db.close();
  });

  for (const [what, damage] of [
    ["garbage", () => writeFileSync(file(), Buffer.alloc(8192, 7))],
    ["an empty file", () => writeFileSync(file(), "")],
    ["a file cut in the middle", () => truncateSync(file(), 20_480)],
    ["a file of a few bytes", () => truncateSync(file(), 50)],
    ["a file whose start was overwritten", () => overwrite(0, 100)],
    ["a file whose schema was overwritten", () => overwrite(100, 3_900)],
  ] as const) {
    it(`refuses ${what} as damaged, and leaves it as it is`, () => {
      make(200);
      damage();
      const before = readFileSync(file());
      expect(thrown(() => openForWriting(file())).code).to.equal("damaged");
      expect(readFileSync(file()).equals(before)).to.equal(true);
    });
  }

  function overwrite(start: number, length: number): void {
    const bytes = readFileSync(file());
    bytes.fill(0x5a, start, start + length);
    writeFileSync(file(), bytes);
  }

  it("refuses another program's database", () => {
    change(file(), "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
    expect(thrown(() => openForWriting(file())).code).to.equal("damaged");
  });

  it("refuses a ledger from before the first release, and says how its sales come over", () => {
    make();
    change(file(), `PRAGMA application_id = ${0x666c6e63}`);
    const refusal = thrown(() => openForWriting(file()));
    expect([refusal.code, refusal.hint]).to.deep.equal([
      "unavailable",
      "Export its sales with the program that made it (flanco export), and import them into a new one (flanco import).",
    ]);
  });

  it("refuses to make a new ledger beside the log of a missing one", () => {
    writeFileSync(`${file()}-wal`, "log");
    expect(thrown(() => openForWriting(file())).code).to.equal("damaged");
  });

  it("refuses a ledger of a newer version, and leaves it as it is", () => {
    make();
    change(file(), `PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    expect(thrown(() => openForWriting(file())).code).to.equal("too_new");
    expect(query(file(), "PRAGMA user_version")).to.deep.equal([{ user_version: SCHEMA_VERSION + 1 }]);
  });

  it("starts anew over the remains of a first start that was cut off", () => {
    writeFileSync(`${file()}.new`, "half");
    make();
    expect(() => openForWriting(file()).close()).not.to.throw();
  });
});
