import { cpSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import type { ProvenBackup } from "../../../src/domain/backup.ts";
import type { Id } from "../../../src/domain/id.ts";
import { verifyLedger } from "../../../src/ledger/safety/verify.ts";
import { forEachTest } from "../../rig/standing.ts";
import { newRecord, TestLedger } from "../test-ledger.ts";

const SALES = 60;

describe("a ledger that is set aside", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let userId: Id;
  let backup: ProvenBackup;

  beforeEach(async () => {
    userId = (await ledger.addUser()).id;
    backup = await ledger.backUp();
    await sell(SALES);
  });

  async function sell(count: number): Promise<void> {
    for (let sold = 0; sold < count; sold += 1) await ledger.writer.addRecord(userId, newRecord(), null);
  }

  /** The ledger as a process that is killed leaves it, its log not folded in. */
  async function crash(): Promise<string> {
    const directory = join(ledger.directory, "crashed");
    mkdirSync(directory);
    const file = join(directory, "flanco.db");
    for (const suffix of ["", "-wal"]) cpSync(ledger.file + suffix, file + suffix);
    await ledger.close();
    Object.assign(ledger, { file });
    return file;
  }

  const kept = (file: string) =>
    readdirSync(dirname(file)).filter((name) => /\.(damaged|replaced)-\w+$/.test(name));

  it("by a restore keeps its log as it is, and tells what of it is missing", async () => {
    const file = await crash();
    const { keptAs, missing } = ledger.restore(backup);
    expect(missing?.records).to.equal(SALES);
    expect(verifyLedger(keptAs ?? "", () => {})).to.deep.include({ records: SALES, findings: [] });
    expect(kept(file)).to.have.length(1);
  });

  it("has no second name while it goes on: nothing that is opened there writes an old log into it", async () => {
    const file = await crash();
    // The recovery does not come to its end: something is in its way.
    mkdirSync(`${file}.restore-draft`);
    expect(() => ledger.recover()).to.throw(/EISDIR|directory/);
    rmdirSync(`${file}.restore-draft`);
    await ledger.open();
    await sell(2 * SALES);
    await ledger.close();
    for (const name of kept(file)) {
      const db = new DatabaseConstructor(join(dirname(file), name));
      db.prepare("SELECT count(*) FROM record").get();
      db.close();
    }
    expect(verifyLedger(file, () => {})).to.deep.include({ records: 3 * SALES, findings: [], damage: [] });
  });
});
