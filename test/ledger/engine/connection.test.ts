import { expect } from "chai";
import { Connection } from "../../../src/ledger/engine/connection.ts";

describe("A connection to the ledger", () => {
  let db: Connection;

  beforeEach(() => {
    db = new Connection(":memory:");
    db.exec("CREATE TABLE line (name TEXT PRIMARY KEY, edges INTEGER)");
  });

  afterEach(() => void db.close());

  it("prepares a statement at its first run", () => {
    const insert = db.prepare<[string, number]>("INSERT INTO later VALUES (?, ?)");
    expect(() => insert.run("bed 1", 1)).to.throw("no such table: later");
    db.exec("CREATE TABLE later (name TEXT, edges INTEGER)");
    insert.run("bed 1", 1);
    expect(db.prepare("SELECT * FROM later").all()).to.deep.equal([{ name: "bed 1", edges: 1 }]);
  });

  it("keeps how its results are wanted until then", () => {
    const line = { name: "bed 1", edges: 2 ** 40 };
    db.prepare<[typeof line]>("INSERT INTO line VALUES (:name, :edges)").run(line);
    expect(db.prepare("SELECT * FROM line").get()).to.deep.equal(line);
    expect(db.prepare("SELECT * FROM line").raw().all()).to.deep.equal([["bed 1", 2 ** 40]]);
    expect(db.prepare("SELECT edges FROM line").pluck().safeIntegers().get()).to.equal(2n ** 40n);
    expect([...db.prepare("SELECT name FROM line").pluck().iterate()]).to.deep.equal(["bed 1"]);
  });

  it("takes a question mark or colon in a text for what it is", () => {
    const joined = db.prepare("SELECT 'a?:b@c' || ? || @c").pluck();
    expect(joined.get("x", { c: "y" })).to.equal("a?:b@cxy");
  });
});
