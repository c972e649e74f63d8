import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { expect } from "chai";
import type { ProvenBackup } from "../../../src/domain/backup.ts";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { folderOf, identitiesOf, identityOf } from "../../../src/ledger/engine/identity.ts";
import { foreignBackups, headsOf, listBackups } from "../../../src/ledger/safety/backup-directory.ts";
import type { RestoredLedger } from "../../../src/ledger/safety/restore.ts";
import { verifyLedger } from "../../../src/ledger/safety/verify.ts";
import { thrown } from "../../rig/rejection.ts";
import { newRecord, TestLedger } from "../test-ledger.ts";
import { STUMP_BYTES } from "./tailed-ledger.ts";

describe("A stick with the backups of two ledgers", () => {
  let own: TestLedger;
  let other: TestLedger;
  let stick: string;
  let backup: ProvenBackup;

  beforeEach(async () => {
    other = new TestLedger();
    other.tail = true;
    await other.open();
    stick = other.backups;
    await sell(other, "Clínica Norte", 60);
    await backUp(other);
    own = new TestLedger();
    own.tail = true;
    symlinkSync(stick, own.backups);
    await own.open();
    await sell(own, "Clínica Sur", 20);
    backup = await backUp(own);
  });

  afterEach(async () => {
    await own.remove();
    await other.remove();
  });

  async function sell(ledger: TestLedger, locationName: string, count: number): Promise<void> {
    const { id } = ledger.reader.members()[0] ?? (await ledger.addUser());
    const records = Array.from({ length: count }, () => newRecord({ locationName }));
    await Promise.all(records.map((record) => ledger.writer.addRecord(id, record, null)));
  }

  const backUp = (ledger: TestLedger, rotate = false) => ledger.backUp({ directory: stick, rotate });
  const recover = (ledger = own) => ledger.recover();
  const records = (ledger = own) => ledger.verify().records;

  function restore(ledger: TestLedger, which: ProvenBackup, mayBeOther = false): RestoredLedger {
    return ledger.restore(which, { mayBeOther });
  }

  const newestOf = (ledger: TestLedger) =>
    listBackups(folderOf(stick, identityOf(ledger.file) ?? ""))[0] ?? backup;

  it("gives a rebuild this ledger's alone, also where the damaged file does not say which it is", async () => {
    await own.close();
    truncateSync(own.file, STUMP_BYTES);
    expect(recover().backup).to.deep.equal(backup);
    expect(records()).to.equal(20);
  });

  it("gives none where this ledger has none there: nothing is changed", async () => {
    await own.close();
    rmSync(folderOf(stick, backup.ledger), { recursive: true });
    truncateSync(own.file, STUMP_BYTES);
    expect(thrown(recover).message).to.contain("There is no proven backup");
    expect(readFileSync(own.file)).to.have.length(STUMP_BYTES);
  });

  it("gives none where it cannot be known whose the damaged file is, and says what to do", async () => {
    await own.close();
    truncateSync(own.file, STUMP_BYTES);
    rmSync(`${own.file}.id`);
    const { message, hint } = thrown(recover);
    expect(message).to.contain("Which ledger it is cannot be read");
    expect(hint).to.contain("--replace-ledger");
  });

  it("gives none of this ledger that a restore has led away from", async () => {
    await sell(own, "Clínica Sur", 5);
    await backUp(own);
    await own.close();
    restore(own, backup);
    await own.open();
    await sell(own, "Clínica Oeste", 9);
    await own.close();
    expect(recover().backup).to.deep.equal(backup);
    expect(records()).to.equal(29);
  });

  it("loses nothing of the other when this one's are thinned out", async () => {
    for (let day = 0; day < 40; day += 1) {
      own.nowMs += DAY_MS;
      await backUp(own, true);
    }
    expect(listBackups(folderOf(stick, backup.ledger)).length).to.be.below(12);
    expect(newestOf(other).records).to.equal(60);
  });

  it("tells whose the other's are", () => {
    const [foreign, ...more] = foreignBackups(stick, identitiesOf(own.file));
    expect(more).to.deep.equal([]);
    expect(foreign).to.deep.include({ locations: ["Clínica Norte"], records: 60 });
  });

  it("restores the other's only where that is said, and names both", async () => {
    const wrong = newestOf(other);
    await own.close();
    const { message, hint } = thrown(() => restore(own, wrong));
    expect(message).to.contain("Clínica Norte, 60 records from 2026-11-21 to 2026-11-21, 60 in all");
    expect(message).to.contain("Clínica Sur, 20 records");
    expect(hint).to.contain("--replace-ledger");
    expect(records()).to.equal(20);
    expect(readdirSync(own.directory).filter((name) => /restore|replaced/.test(name))).to.deep.equal([]);
    expect(restore(own, wrong, true).records).to.equal(60);
    const moved = identityOf(own.file);
    expect(identitiesOf(own.file)).to.deep.equal([moved, wrong.ledger]);
    truncateSync(own.file, STUMP_BYTES);
    expect(identitiesOf(own.file), "by the file beside it").to.deep.equal([moved, wrong.ledger]);
  });

  it("is another one on another gateway: each goes on by itself, though one disk is carried to and fro", async () => {
    await sell(own, "Clínica Sur", 3);
    const replaced = identityOf(other.file);
    await Promise.all([own.close(), other.close()]);
    restore(other, backup, true);
    await other.open();
    await sell(other, "Clínica Este", 7);
    await other.close();
    await own.open();
    await own.close();
    expect(records(), "what was sold here since the backup").to.equal(23);
    for (const [ledger, sold] of [
      [own, 23],
      [other, 27],
    ] as const) {
      truncateSync(ledger.file, STUMP_BYTES);
      expect(recover(ledger).backup).to.deep.equal(backup);
      expect(records(ledger)).to.equal(sold);
    }
    const foreign = foreignBackups(stick, identitiesOf(other.file));
    expect(
      foreign.map(({ ledger }) => ledger),
      "the one that it replaced, not the one that it came from",
    ).to.deep.equal([replaced]);
  });

  it("is held on another gateway against what was proved of it before, and not against what came there later", async () => {
    await Promise.all([own.close(), other.close()]);
    restore(other, backup, true);
    await own.open();
    await sell(own, "Clínica Sur", 3);
    await backUp(own);
    await other.open();
    await sell(other, "Clínica Este", 7);
    const moved = await backUp(other);
    await other.close();
    const heads = headsOf(other.file, [stick]);
    expect(heads.map(({ head }) => head)).to.deep.equal([backup.head, moved.head]);
    expect(verifyLedger(other.file, () => {}, heads).findings).to.deep.equal([]);
  });

  it("is told from a ledger that was put there by hand once the service has started with it", async () => {
    const { ledger: id } = newestOf(other);
    await Promise.all([own.close(), other.close()]);
    for (const suffix of ["-wal", "-shm"]) rmSync(own.file + suffix, { force: true });
    cpSync(other.file, own.file);
    await own.open();
    await own.close();
    truncateSync(own.file, STUMP_BYTES);
    expect(identityOf(own.file)).to.equal(id);
  });

  it("is read from the ledger where its note cannot be read, and keeps no service from its start", async () => {
    const { ledger: id } = newestOf(own);
    await own.close();
    rmSync(`${own.file}.id`, { force: true });
    mkdirSync(`${own.file}.id`);
    expect(identityOf(own.file)).to.equal(id);
    expect(headsOf(own.file, [stick])).not.to.deep.equal([]);
    await own.open();
  });
});
