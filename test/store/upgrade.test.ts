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
import { recordsOf } from "./records-of.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const ZONE = "Europe/Madrid";
const ALL = { before: null, limit: 100 };
/** Ana's, as schema 1's program counted them: two rooms in twelve months, and two edges; one more is another user's. */
const SALES = 26;
/**
 * What each fixture's program counted in all. From schema 2 on two were taken back, one of them made for it, and
 * two moved to their time.
 */
const HELD = [
  { schema: 1, records: SALES + 1, entries: SALES + 1, counted: SALES, archived: 0, gaps: [[4, 2]] },
  {
    schema: 2,
    records: SALES + 2,
    entries: SALES + 6,
    counted: SALES - 1,
    archived: 0,
    gaps: [
      [2, 1],
      [4, 2],
    ],
  },
  {
    schema: 3,
    records: SALES + 2,
    entries: SALES + 6,
    counted: SALES - 1,
    archived: 0,
    gaps: [
      [2, 1],
      [null, null],
      [4, 2],
    ],
  },
  // One month was archived: its two records, one of them void, are in its file.
  {
    schema: 4,
    records: SALES + 2,
    entries: SALES + 7,
    counted: SALES - 1,
    archived: 2,
    gaps: [
      [2, 1],
      [null, null],
      [4, 2],
    ],
  },
] as const;

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

  it("is in a fixture, of every schema there was", () => {
    expect(HELD.map(({ schema }) => schema)).to.deep.equal(
      Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 1),
    );
  });

  it("shows how far its records are chained", () => {
    make(1);
    const progress: number[] = [];
    openForWriting(file, (done) => void progress.push(done)).close();
    expect(progress.at(-1)).to.equal(SALES + 1);
  });

  for (const { schema, records, entries, counted, archived, gaps } of HELD) {
    it(`of schema ${schema} holds the same after the upgrade, chained, and the old file stays beside it`, () => {
      make(schema);
      openForWriting(file).close();
      expect(names()).to.deep.equal(["flanco.db", `flanco.db.schema-${schema}`]);
      expect(schemaOf(file)).to.equal(SCHEMA_VERSION);
      expect(schemaOf(`${file}.schema-${schema}`)).to.equal(schema);

      const verified = verifyLedger(file, () => {});
      expect(verified).to.deep.equal({
        records,
        entries,
        broken: null,
        differences: [],
        damage: [],
      });
      const reader = openReader(file, ZONE);
      const ana = reader.credentials("ana@example.org")?.user.id ?? "";
      expect(recordsOf(reader, ana)).to.have.length(records - 1 - archived);
      expect(reader.summary(ana, "anual", Date.UTC(2026, 11, 31))?.count).to.equal(counted);
      expect(reader.wirings(ana)).to.have.length(1);
      const lost = reader.gaps(ana, ALL).map(({ missed, missedRises }) => [missed, missedRises]);
      expect(lost).to.deep.equal(gaps);
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
      // The migration itself sets it off.
      (db: Database) =>
        db.exec(
          `CREATE TRIGGER stray AFTER UPDATE ON record WHEN new.record_id = 7 BEGIN
             UPDATE line_state SET record_id = 77777 WHERE record_id IS NOT 77777;
           END`,
        ),
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

  for (const [what, sql] of [
    [
      "a correction",
      `INSERT INTO correction (correction_id, kind, record_id, reason, noted_ms, hash)
       VALUES (900000, 'void', 888888, 'x', 1, zeroblob(32))`,
    ],
    ["a line's level", "UPDATE line_state SET record_id = 888888"],
  ] as const) {
    it(`is brought up to date where ${what} refers to a record that is lost`, () => {
      make(4, (db) => {
        expect(db.prepare(sql).run().changes).to.be.above(0);
      });
      openForWriting(file).close();
      expect(schemaOf(file)).to.equal(SCHEMA_VERSION);
      expect(verifyLedger(file, () => {}).records).to.equal(SALES + 2);
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
