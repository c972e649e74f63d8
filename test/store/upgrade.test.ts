import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { expect } from "chai";
import { SCHEMA_VERSION } from "../../src/store/migration.ts";
import { openForReading, openForWriting } from "../../src/store/open.ts";
import { openReader } from "../../src/store/reader.ts";
import { upgradeLedger } from "../../src/store/upgrade.ts";
import { verifyLedger } from "../../src/store/verify.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const ZONE = "Europe/Madrid";
const ALL = { before: null, limit: 100 };
/** As the fixture's program counted them: two rooms in twelve months, two edges, and one of another user. */
const SALES = 26;

describe("a ledger of an older schema", () => {
  let directory: string;
  let file: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "flanco-upgrade-"));
    file = join(directory, "flanco.db");
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  function make(schema: number, change: (db: Database) => void = () => {}): void {
    const db = new DatabaseConstructor(file);
    // A dump tells its tables by name, children before parents.
    db.pragma("foreign_keys = OFF");
    db.exec(readFileSync(join(FIXTURES, `schema-${schema}.sql`), "utf8"));
    change(db);
    db.close();
  }

  const names = () => readdirSync(directory).sort();

  function schemaOf(name: string): unknown {
    const db = new DatabaseConstructor(name, { readonly: true });
    const version = db.pragma("user_version", { simple: true });
    db.close();
    return version;
  }

  for (let schema = 1; schema < SCHEMA_VERSION; schema += 1) {
    it(`of schema ${schema} holds the same after the upgrade, chained, and the old file stays beside it`, () => {
      make(schema);
      const progress: number[] = [];
      openForWriting(file, (done) => void progress.push(done)).close();
      expect(progress.at(-1)).to.equal(SALES + 1);
      expect(names()).to.deep.equal(["flanco.db", `flanco.db.schema-${schema}`]);
      expect(schemaOf(file)).to.equal(SCHEMA_VERSION);
      expect(schemaOf(`${file}.schema-${schema}`)).to.equal(schema);

      const verified = verifyLedger(file, () => {});
      expect(verified).to.deep.equal({
        records: SALES + 1,
        entries: SALES + 1,
        broken: null,
        differences: [],
        damage: [],
      });
      const reader = openReader(file, ZONE);
      const ana = reader.credentials("ana@example.org")?.user.id ?? "";
      expect(reader.records(ana, ALL)).to.have.length(SALES);
      expect(reader.summary(ana, "anual", Date.UTC(2026, 11, 31))?.count).to.equal(SALES);
      expect(reader.wirings(ana)).to.have.length(1);
      expect(reader.gaps(ana, ALL)).to.have.length(1);
      reader.close();
    });
  }

  it("is told to readers, who cannot bring it up to date", () => {
    make(1);
    expect(() => openForReading(file)).to.throw(/older flanco.*schema 1/);
    expect(schemaOf(file)).to.equal(1);
  });

  it("tells of records that were missing before, and of nothing else", () => {
    make(1, (db) => {
      db.pragma("foreign_keys = OFF");
      db.exec("DELETE FROM record WHERE record_id IN (5, 6, 9)");
    });
    const db = openForWriting(file);
    const holes = db
      .prepare("SELECT lost_from, lost_to FROM correction WHERE kind = 'lost' ORDER BY correction_id")
      .raw()
      .all();
    db.close();
    expect(holes).to.deep.equal([
      [5, 6],
      [9, 9],
    ]);
    expect(verifyLedger(file, () => {}).broken).to.equal(null);
  });

  for (const [what, sabotage, reason] of [
    [
      "a table of its own is in the way",
      (db: Database) => db.exec("CREATE TABLE chain_head (x)"),
      /SQLITE_ERROR/,
    ],
    [
      "the copy does not hold together",
      (db: Database) => {
        db.pragma("foreign_keys = OFF");
        db.exec("INSERT INTO line_state SELECT 'GPIO99', 1, 0, 0, 77, 0, 77, 0, 0, NULL");
      },
      /the copy does not hold together/,
    ],
  ] as const) {
    it(`is left as it was when ${what}`, () => {
      make(1, sabotage);
      expect(() => openForWriting(file))
        .to.throw(reason)
        .with.property("code", "unavailable");
      expect(names()).to.deep.equal(["flanco.db"]);
      expect(schemaOf(file)).to.equal(1);
      const db = new DatabaseConstructor(file, { readonly: true });
      expect(db.prepare("SELECT count(*) FROM record").pluck().get()).to.equal(SALES + 1);
      db.close();
    });
  }

  it("is not switched under a program that reads it", () => {
    make(1);
    const first = new DatabaseConstructor(file);
    first.pragma("journal_mode = WAL");
    first.close();
    const reader = new DatabaseConstructor(file, { readonly: true });
    reader.prepare("SELECT count(*) FROM record").get();
    const db = new DatabaseConstructor(file);
    expect(() => upgradeLedger(db, file, () => {}))
      .to.throw(/Another program reads the ledger/)
      .with.property("code", "unavailable");
    reader.close();
    openForWriting(file).close();
    expect(schemaOf(file)).to.equal(SCHEMA_VERSION);
  });
});
