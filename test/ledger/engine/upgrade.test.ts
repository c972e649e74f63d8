import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { expect } from "chai";
import { openForReading, openForWriting } from "../../../src/ledger/engine/open.ts";
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from "../../../src/ledger/engine/schema.ts";
import { upgradeLedger } from "../../../src/ledger/engine/upgrade.ts";
import { faultsOf, verifyLedger } from "../../../src/ledger/safety/verify.ts";
import { LATER_MIGRATIONS } from "../../rig/later-schema.ts";
import { change, query } from "../../rig/ledger-file.ts";
import { forEachTest } from "../../rig/standing.ts";
import { newRecord, TestLedger } from "../test-ledger.ts";

const SALES = 12;
const LATER = LATER_MIGRATIONS.length;

/** A list of migrations with one more. */
const and = (migration: Migration) => [...MIGRATIONS, migration];

describe("an upgrade of a ledger", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let file: string;

  beforeEach(async () => {
    file = ledger.file;
    const { user } = await ledger.wire();
    for (let index = 0; index < SALES; index += 1) await ledger.writer.addRecord(user.id, newRecord(), null);
    await ledger.writer.voidRecord(3, "Cobro de prueba");
    await ledger.close();
  });

  const names = () => readdirSync(dirname(file)).sort();

  const valuesIn = (name: string, sql: string) =>
    query<object>(name, sql).flatMap((row) => Object.values(row));
  const schemaOf = (name: string) => valuesIn(name, "PRAGMA user_version")[0];
  const valuesOf = (name: string) => valuesIn(name, "SELECT valor_micros FROM record ORDER BY record_id");

  it("to a later schema holds the same, and the old file stays beside it", () => {
    const values = valuesOf(file);
    openForWriting(file, () => {}, LATER_MIGRATIONS).close();
    expect(names()).to.deep.equal(["flanco.db", "flanco.db.id", `flanco.db.schema-${SCHEMA_VERSION}`]);
    expect(schemaOf(file)).to.equal(LATER);
    expect(schemaOf(`${file}.schema-${SCHEMA_VERSION}`)).to.equal(SCHEMA_VERSION);
    expect(valuesOf(file)).to.deep.equal(values);
    expect(valuesIn(file, "SELECT name FROM sqlite_schema WHERE name = 'later'")).to.have.lengthOf(1);
    // The later schema has one table more: this program's check reads such a ledger as its own.
    change(file, `PRAGMA user_version = ${SCHEMA_VERSION}`);
    expect(faultsOf(verifyLedger(file, () => {}))).to.deep.equal([]);
  });

  it("keeps the old file of the newest upgrade alone: it holds what those before held", () => {
    openForWriting(file, () => {}, LATER_MIGRATIONS).close();
    openForWriting(file, () => {}, [...LATER_MIGRATIONS, { sql: "CREATE TABLE a (x)" }]).close();
    expect(names()).to.deep.equal(["flanco.db", "flanco.db.id", `flanco.db.schema-${LATER}`]);
  });

  it("runs what SQL cannot do, and shows its progress", () => {
    const progress: number[] = [];
    const convert = (db: Database, onProgress: (done: number, total: number) => void) => {
      db.exec("INSERT INTO converted VALUES (1)");
      onProgress(1, 1);
    };
    const migrations = and({ sql: "CREATE TABLE converted (x INTEGER)", convert });
    openForWriting(file, (done) => void progress.push(done), migrations).close();
    expect(valuesIn(file, "SELECT x FROM converted")).to.deep.equal([1]);
    expect(progress).to.deep.equal([0, 4, 4, 6, 6, 8]);
  });

  it("runs every migration that the file lacks, in their order", () => {
    const migrations = [...and({ sql: "CREATE TABLE a (x)" }), { sql: "ALTER TABLE a RENAME TO b" }];
    openForWriting(file, () => {}, migrations).close();
    expect(schemaOf(file)).to.equal(LATER + 1);
    expect(valuesIn(file, "SELECT name FROM sqlite_schema WHERE name IN ('a', 'b')")).to.deep.equal(["b"]);
  });

  it("is left to a writer: readers of a later program refuse an older ledger, and those of this one a newer", () => {
    change(file, "PRAGMA user_version = 0");
    expect(() => openForReading(file))
      .to.throw(/older flanco.*schema 0/)
      .with.property("code", "unavailable");
    expect(schemaOf(file)).to.equal(0);
    change(file, `PRAGMA user_version = ${LATER}`);
    for (const open of [openForReading, openForWriting]) {
      expect(() => open(file))
        .to.throw(/newer flanco/)
        .with.property("code", "too_new");
    }
    expect(schemaOf(file)).to.equal(LATER);
  });

  for (const [what, sql, reason] of [
    ["a migration fails", "CREATE TABLE rolled_up (x)", /SQLITE_ERROR/],
    ["a room's sum would change", "UPDATE record SET valor_micros = 2 WHERE record_id = 5", /monthly totals/],
    ["a record's number would change", "UPDATE record SET number = 9 WHERE record_id = 5", /monthly totals/],
    ["a record would go", "DELETE FROM record WHERE record_id = 6", /monthly totals/],
    [
      "the copy does not hold together",
      "UPDATE correction SET record_id = 77777",
      /the copy does not hold together/,
    ],
  ] as const) {
    it(`leaves the ledger as it was when ${what}`, () => {
      const values = valuesOf(file);
      expect(() => openForWriting(file, () => {}, and({ sql })))
        .to.throw(reason)
        .with.property("code", "unavailable");
      expect(names()).to.deep.equal(["flanco.db", "flanco.db.id"]);
      expect(schemaOf(file)).to.equal(SCHEMA_VERSION);
      expect(valuesOf(file)).to.deep.equal(values);
    });
  }

  for (const [what, sql] of [
    [
      "a correction",
      `INSERT INTO correction (correction_id, kind, record_id, reason, noted_ms, hash)
       VALUES (900000, 'void', 888888, 'x', 1, zeroblob(32))`,
    ],
    [
      "a line's level",
      `INSERT INTO boot (boot, boot_id) VALUES (1, 'b');
       INSERT INTO line_state VALUES ('GPIO17', 1, 0, 1, 1, 1, 1, 1, 1, 888888, 0)`,
    ],
  ] as const) {
    it(`is made where ${what} refers to a record that is lost`, () => {
      change(file, sql);
      openForWriting(file, () => {}, LATER_MIGRATIONS).close();
      expect(schemaOf(file)).to.equal(LATER);
      expect(valuesOf(file)).to.have.lengthOf(SALES);
    });
  }

  it("is not switched under a program that reads the ledger", () => {
    const reader = new DatabaseConstructor(file, { readonly: true });
    reader.prepare("SELECT count(*) FROM record").get();
    const db = new DatabaseConstructor(file);
    expect(() => upgradeLedger(db, file, () => {}, LATER_MIGRATIONS))
      .to.throw(/Another program reads the ledger/)
      .with.property("code", "unavailable");
    reader.close();
    openForWriting(file, () => {}, LATER_MIGRATIONS).close();
    expect(schemaOf(file)).to.equal(LATER);
  });
});
