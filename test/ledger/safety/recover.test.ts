import {
  cpSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import type { ProvenBackup } from "../../../src/domain/backup.ts";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { FlancoError } from "../../../src/domain/error.ts";
import type { Id } from "../../../src/domain/id.ts";
import { writeProof } from "../../../src/ledger/safety/backup-directory.ts";
import { recoverLedger } from "../../../src/ledger/safety/recover.ts";
import { segmentsIn } from "../../../src/ledger/safety/tail.ts";
import { verifyLedger } from "../../../src/ledger/safety/verify.ts";
import { forEachTest } from "../../rig/standing.ts";
import { newRecord, TestLedger } from "../test-ledger.ts";
import { STUMP_BYTES } from "./tailed-ledger.ts";

/** Of the frame that says that the writer has ended by itself. */
const MARK_BYTES = 16;

describe("A rebuilt ledger that is destroyed before its first backup", () => {
  const ledger = forEachTest(() => new TestLedger());
  let userId: string;

  beforeEach(async () => {
    ledger.tail = true;
    await ledger.open();
    userId = (await ledger.addUser()).id;
    await sell(2);
  });

  /** Gives the newest record's number. */
  async function sell(count: number): Promise<number> {
    let newest = 0;
    for (let sold = 0; sold < count; sold += 1) {
      newest = (await ledger.writer.addRecord(userId, newRecord(), null)).recordId;
    }
    return newest;
  }

  async function rebuilt(isKilled = false): Promise<ReturnType<TestLedger["recover"]>> {
    const { folder } = ledger;
    await ledger.close();
    const newest = segmentsIn(folder).at(-1);
    if (isKilled) truncateSync(newest?.file ?? "", (newest?.bytes ?? 0) - MARK_BYTES);
    truncateSync(ledger.file, STUMP_BYTES);
    const recovered = ledger.recover();
    await ledger.open();
    return recovered;
  }

  for (const [how, isKilled, unknown] of [
    ["was stopped", false, 0],
    ["was killed", true, 1],
  ] as const) {
    it(`gives no number again, and tells what it had, where it ${how}`, async () => {
      expect((await rebuilt()).lost).to.deep.equal([]);
      const newest = await sell(3);
      // What says of the rebuild is an entry as well.
      expect((await rebuilt(isKilled)).lost).to.deep.equal([{ from: newest - 3, to: newest + unknown }]);
      expect(await sell(1)).to.be.above(newest);
      const { records, findings } = ledger.verify();
      expect({ records, kinds: findings.map(({ kind }) => kind) }).to.deep.equal({
        records: 3,
        kinds: ["lost"],
      });
    });
  }

  it("is rebuilt from the backup that was restored also where nothing of the tail could be read", async () => {
    const backup = await ledger.backUp();
    await sell(2);
    await ledger.close();
    const [tail = expect.fail()] = segmentsIn(ledger.folder);
    writeFileSync(tail.file, tail.content.fill(0xff));
    truncateSync(ledger.file, STUMP_BYTES);
    const restored = ledger.restore(backup, { tail: segmentsIn(ledger.folder) });
    expect(restored.later).to.equal(0);
    expect(restored.lost).not.to.deep.equal([]);
    await ledger.open();
    const newest = await sell(1);
    const { backup: base, lost } = await rebuilt();
    expect(base).to.deep.equal(backup);
    expect(lost.at(-1)?.to).to.be.at.least(newest);
  });

  it("tells what it had also after a restore that took the tail", async () => {
    const backup = await ledger.backUp();
    const before = await sell(2);
    await ledger.close();
    truncateSync(ledger.file, STUMP_BYTES);
    const restored = ledger.restore(backup, { tail: segmentsIn(ledger.folder) });
    expect(restored).to.deep.include({ records: 4, later: 2, position: before });
    await ledger.open();
    const newest = await sell(3);
    const { backup: base, commits, lost } = await rebuilt();
    expect(base).to.deep.equal(backup);
    expect(commits).to.equal(2);
    expect(lost.at(-1)?.to).to.equal(newest);
    expect(await sell(1)).to.be.above(newest);
  });
});

describe("A rebuild beside a disk that fails", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let older: ProvenBackup;

  beforeEach(async () => {
    await ledger.addUser();
    older = await ledger.backUp();
  });

  async function rebuiltFrom(directories: readonly string[]): Promise<ProvenBackup | null> {
    await ledger.close();
    truncateSync(ledger.file, STUMP_BYTES);
    const damage = new FlancoError("damaged", "It was destroyed.");
    return recoverLedger(ledger.file, damage, directories, ledger.nowMs, () => {}).backup;
  }

  it("takes what the other disk has where that one's folder cannot be read", async () => {
    const disk = join(ledger.directory, "disk");
    mkdirSync(disk);
    writeFileSync(ledger.folder.replace(ledger.backups, disk), "no directory");
    expect(await rebuiltFrom([disk, ledger.backups])).to.deep.equal(older);
  });

  it("takes an older backup where the newest cannot be read", async () => {
    ledger.nowMs += DAY_MS;
    await ledger.addUser("eva");
    const newest = await ledger.backUp();
    const file = join(ledger.folder, newest.file);
    rmSync(file);
    // A read of it fails, as of a bad block.
    mkdirSync(file);
    writeProof(ledger.folder, { ...newest, bytes: statSync(file).size });
    expect(await rebuiltFrom([ledger.backups])).to.deep.equal(older);
  });
});

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
