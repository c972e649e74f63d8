import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { SERVICE_ACTOR } from "../../../src/domain/audit.ts";
import type { ProvenBackup } from "../../../src/domain/backup.ts";
import { DAY_MS } from "../../../src/domain/clock.ts";
import type { Id } from "../../../src/domain/id.ts";
import { beginJob } from "../../../src/ledger/engine/job.ts";
import { SCHEMA_VERSION } from "../../../src/ledger/engine/schema.ts";
import { type MadeBackup, makeBackup } from "../../../src/ledger/safety/backup.ts";
import { listBackups } from "../../../src/ledger/safety/backup-directory.ts";
import { joinedKeys } from "../../../src/ledger/safety/finding.ts";
import { readToldChanges } from "../../../src/ledger/safety/loss.ts";
import { finishReplacing, isReplacing, replacementDraft } from "../../../src/ledger/safety/replace.ts";
import { faultsOf, openFindings, verifyLedger } from "../../../src/ledger/safety/verify.ts";
import { longestHold } from "../../http/loop-holds.ts";
import { codeOf } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";
import { newDevice, newRecord, newWiring, TestLedger } from "../test-ledger.ts";

const SALES = 40;

describe("a backup", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let userId: Id;
  let directory: string;

  beforeEach(async () => {
    userId = (await ledger.addUser()).id;
    directory = ledger.folder;
    await sell(SALES);
  });

  async function sell(count: number): Promise<void> {
    const records = Array.from({ length: count }, () => ledger.writer.addRecord(userId, newRecord(), null));
    await Promise.all(records);
  }

  /** Somebody, or the disk, changes a file that no program has open. */
  function alter(file: string, sql: string): void {
    const db = new DatabaseConstructor(file);
    db.exec(sql);
    db.close();
  }

  const files = () => readdirSync(directory).filter((name) => name !== "backup.lock");

  it("holds one moment of a ledger that is written to meanwhile, and is one file with its proof", async () => {
    const backing = beginJob("backup", ledger.backupRequest());
    let made: MadeBackup | undefined;
    const done = backing.done.then((backup) => {
      made = backup;
      return backup;
    });
    let rounds = 0;
    for (; made === undefined; rounds += 1) await sell(5);
    const { findings: _findings, keysLeftOut: _left, tailFrom: _from, ...backup } = await done;
    expect(rounds).to.be.above(1);
    expect(backup.records).to.be.at.least(SALES);
    expect(backup.totalMicros).to.equal(String(backup.records * 1_000_000));
    expect(files()).to.deep.equal([backup.file, `${backup.file}.json`]);
    expect(verifyLedger(join(directory, backup.file), () => {})).to.deep.include({
      records: backup.records,
      findings: [],
      damage: [],
    });
    expect(listBackups(directory)).to.deep.equal([backup]);
  });

  it("does not count, nor touch earlier ones, when the ledger it is of was altered", async () => {
    const first = await ledger.backUp();
    await ledger.close();
    alter(ledger.file, "UPDATE record SET valor_micros = valor_micros + 1 WHERE record_id = 7");
    expect(await codeOf(() => makeBackup(ledger.backupRequest()))).to.equal("damaged");
    expect(listBackups(directory)).to.deep.equal([first]);
    expect(files()).to.deep.equal([first.file, `${first.file}.json`]);
  });

  it("removes what a run that was cut off has left, and nothing of earlier ones", async () => {
    const first = await ledger.backUp();
    for (const name of ["backup.draft", "backup.draft-journal"]) {
      writeFileSync(join(directory, name), "half");
    }
    ledger.nowMs += DAY_MS;
    const second = await ledger.backUp();
    expect(listBackups(directory)).to.deep.equal([second, first]);
    expect(files()).to.have.length(4);
  });

  it("removes outdated ones, also while the clock is not trusted, and never one that is not its own", async () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "flanco-20200101T000000Z.db"), "a copy made by hand");
    await ledger.backUp({ rotate: false });
    const first = await ledger.backUp({ rotate: false });
    const second = await ledger.backUp({ clockTrusted: false });
    expect(listBackups(directory)).to.deep.equal([second, first]);
    expect(existsSync(join(directory, "flanco-20200101T000000Z.db"))).to.equal(true);
  });

  it("makes room for the next one, and removes the oldest down to the newest three", async () => {
    const made: ProvenBackup[] = [];
    for (let day = 0; day < 5; day += 1) {
      ledger.nowMs += DAY_MS;
      made.unshift(await ledger.backUp());
    }
    expect(listBackups(directory)).to.deep.equal(made);
    /** A disk that four backups fill up to one more. */
    const small = () => (listBackups(directory).length > 4 ? 0 : 1e9);
    ledger.nowMs += DAY_MS;
    made.unshift(await ledger.backUp({}, small));
    expect(listBackups(directory)).to.deep.equal(made.slice(0, 4));
    expect(await codeOf(() => makeBackup(ledger.backupRequest(), () => 0))).to.equal("unavailable");
    expect(listBackups(directory)).to.deep.equal(made.slice(0, 3));
  });

  it("makes room by what was set aside of a version that did not work, before any backup goes", async () => {
    const first = await ledger.backUp();
    const aside = ["tail-9-0", "flanco-20261120T000000Z.db", "flanco-20261120T000000Z.db.json"].map(
      (name) => `${name}.later`,
    );
    for (const name of aside) writeFileSync(join(directory, name), "set aside");
    ledger.nowMs += DAY_MS;
    const second = await ledger.backUp();
    expect(files()).to.include.members(aside);
    ledger.nowMs += DAY_MS;
    const third = await ledger.backUp({}, () => (files().some((name) => aside.includes(name)) ? 0 : 1e9));
    expect(files()).not.to.include.members(aside);
    expect(listBackups(directory)).to.deep.equal([third, second, first]);
  });

  it("is made by one run at a time", async () => {
    const codes = await Promise.all([1, 2].map(() => codeOf(() => makeBackup(ledger.backupRequest()))));
    expect(codes.toSorted()).to.deep.equal(["conflict", "done"]);
  });

  it("keeps no loop waiting: it is made in a process of its own", async () => {
    for (let part = 0; part < 4; part += 1) await sell(4_000);
    const besideMs = await longestHold(() => beginJob("backup", ledger.backupRequest()).done);
    // The control: a backup on this thread.
    const hereMs = await longestHold(() => makeBackup(ledger.backupRequest()));
    expect(besideMs).to.be.below(hereMs / 2);
  });

  describe("that is restored", () => {
    it("takes the ledger's place, which is kept, and tells what is missing", async () => {
      const backup = await ledger.backUp();
      await sell(3);
      for (const recordId of [backup.position, backup.position + 1])
        await ledger.writer.voidRecord(recordId, "relay tested");
      await ledger.close();
      const restored = ledger.restore(backup);
      expect(restored).to.include({ records: SALES, totalMicros: backup.totalMicros });
      expect(restored.missing).to.deep.equal({
        records: 3,
        firstMs: newRecord().createdTimeMs,
        lastMs: newRecord().createdTimeMs,
        // The other void is of a record that is missing too.
        voids: 1,
        revenue: 2,
      });
      expect(verifyLedger(restored.keptAs ?? "", () => {}).records).to.equal(SALES + 3);
      await ledger.open();
      await sell(1);
      const { records, findings } = ledger.verify();
      const costs = [{ account: null, sales: 3, revenue: 2 }];
      expect(findings.map((found) => [found.kind, found.costs])).to.deep.equal([["restored", costs]]);
      expect(records).to.equal(SALES + 1);
    });

    it("stays something to be acknowledged for what it took away, over restarts", async () => {
      const backup = await ledger.backUp();
      await sell(3);
      await ledger.close();
      ledger.restore(backup);
      await ledger.open();
      await ledger.close();
      await ledger.open();
      const [told] = readToldChanges(ledger.file);
      expect(told?.details).to.deep.include({ backup: backup.file, sales: 3, voids: 0, revenue: 3 });
      await acknowledgeAll();
      expect(readToldChanges(ledger.file)).to.deep.equal([]);
      expect(openFindings(ledger.verify())).to.deep.equal([]);
    });

    it("tells of itself alone where an earlier one was acknowledged, though the entries get other numbers", async () => {
      const older = await ledger.backUp({ rotate: false });
      await sell(2);
      ledger.nowMs += DAY_MS;
      const newer = await ledger.backUp({ rotate: false });
      await sell(3);
      await ledger.close();
      ledger.restore(newer);
      await ledger.open();
      await acknowledgeAll();
      await ledger.close();
      ledger.restore(older);
      await ledger.open();
      const lacking = readToldChanges(ledger.file).map(({ details }) => details["backup"]);
      expect(lacking).to.deep.equal([older.file]);
      expect(openFindings(ledger.verify())).to.have.length(1);
    });

    async function acknowledgeAll(): Promise<void> {
      const details = { name: "Ana", reason: "", findings: joinedKeys(ledger.verify().findings) };
      const note = { kind: "findings_acknowledged", userId: null, details, actor: SERVICE_ACTOR } as const;
      await ledger.writer.noteAudit([note]);
    }

    it("watches no line since its own last sign of life, whatever it takes over of later boots", async () => {
      await ledger.writer.addDevice(userId, newDevice({ dId: "1" }));
      await ledger.writer.setWiring([{ userId, wiring: newWiring({ dId: "1" }) }]);
      await ledger.writer.noteBoot("boot 1", ledger.nowMs, 5_000, null);
      const backup = await ledger.backUp();
      await ledger.writer.noteBoot("boot 2", ledger.nowMs, 9_000, null);
      await ledger.writer.removeWiring(userId, "GPIO17");
      await ledger.close();
      ledger.restore(backup);
      await ledger.open();
      expect([...ledger.reader.unwatched()]).to.deep.equal([
        ["GPIO17", { bootId: "boot 1", monotonicMs: 5_000 }],
      ]);
    });

    it("accepts no old session, and gives no watch an old number", async () => {
      const times = { createdTimeMs: ledger.nowMs, expiresTimeMs: ledger.nowMs + 1_000_000 };
      await ledger.writer.addSession({ memberId: userId, ...times, inPlaceOf: null }, "hash");
      const backup = await ledger.backUp();
      await ledger.close();
      ledger.restore(backup);
      await ledger.open();
      expect(ledger.reader.sessions()).to.deep.equal([]);
      // Those that were given since are not known: the distance makes them others.
      expect(ledger.reader.lastRequest()).to.be.at.least(1_000_000);
    });

    for (const [what, spoil, code] of [
      [
        "altered",
        (file: string) => alter(file, "UPDATE record SET valor_micros = 9 WHERE record_id = 3"),
        "damaged",
      ],
      ["cut", (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 20_000)), "damaged"],
      ["newer", (file: string) => alter(file, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`), "too_new"],
      ["missing", (file: string) => rmSync(file), "not_found"],
    ] as const) {
      it(`is refused when it is ${what}, with or without its proof, and the ledger stays`, async () => {
        const backup = await ledger.backUp();
        await sell(1);
        await ledger.close();
        const file = join(directory, backup.file);
        spoil(file);
        const withProof = await codeOf(() => ledger.restore(backup));
        expect(withProof).to.be.oneOf([code, "damaged"]);
        rmSync(`${file}.json`);
        expect(await codeOf(() => ledger.restore(backup))).to.equal(code);
        expect(ledger.verify().records).to.equal(SALES + 1);
        expect(readdirSync(ledger.directory).filter((name) => /restore|replaced/.test(name))).to.deep.equal(
          [],
        );
      });
    }

    it("replaces at one moment: cut off before it, the old ledger is whole, and after it, the new one", async () => {
      const backup = await ledger.backUp();
      await sell(2);
      const log = readFileSync(`${ledger.file}-wal`);
      await ledger.close();
      // A log that was left behind by a crash, of a ledger that is replaced before it was read again.
      writeFileSync(`${ledger.file}-wal`, log);
      writeFileSync(replacementDraft(ledger.file), readFileSync(join(directory, backup.file)));
      finishReplacing(ledger.file);
      expect(ledger.verify().records, "nothing was decided").to.equal(SALES + 2);
      expect(existsSync(replacementDraft(ledger.file)), "the card has room for it again").to.equal(false);
      writeFileSync(`${ledger.file}-wal`, log);
      copyFileSync(join(directory, backup.file), `${ledger.file}.restored`);
      finishReplacing(ledger.file);
      expect(faultsOf(ledger.verify())).to.deep.equal([]);
      expect(ledger.verify().records).to.equal(SALES);
    });

    for (const [when, goOn] of [
      ["it was decided", () => {}],
      ["the old ledger has its other name", (old, kept) => linkSync(old, kept)],
      [
        "the old log has its other name too",
        (old, kept) => {
          linkSync(old, kept);
          renameSync(`${old}-wal`, `${kept}-wal`);
        },
      ],
    ] as readonly (readonly [string, (old: string, kept: string) => void])[]) {
      it(`is in its place, and the old ledger kept, after a power cut once ${when}`, async () => {
        const backup = await ledger.backUp();
        await sell(2);
        const kept = `${ledger.file}.replaced-20261121T120000Z`;
        const crashed = [readFileSync(ledger.file), readFileSync(`${ledger.file}-wal`)] as const;
        await ledger.close();
        writeFileSync(ledger.file, crashed[0]);
        writeFileSync(`${ledger.file}-wal`, crashed[1]);
        copyFileSync(join(directory, backup.file), `${ledger.file}.restored-replaced-20261121T120000Z`);
        goOn(ledger.file, kept);
        expect(isReplacing(ledger.file)).to.equal(true);
        finishReplacing(ledger.file);
        expect(isReplacing(ledger.file)).to.equal(false);
        expect([readFileSync(kept), readFileSync(`${kept}-wal`)]).to.deep.equal(crashed);
        expect(verifyLedger(kept, () => {}).records).to.equal(SALES + 2);
        expect(ledger.verify()).to.deep.include({ records: SALES, findings: [] });
        expect(statSync(kept).ino).not.to.equal(statSync(ledger.file).ino);
      });
    }
  });

  it("of another ledger restores into an empty directory", async () => {
    const backup = await ledger.backUp();
    const elsewhere = new TemporaryDirectory();
    const file = elsewhere.file("flanco.db");
    const restored = ledger.restore(backup, { ledger: file });
    expect(restored).to.include({ records: SALES, keptAs: null, missing: null });
    expect(readdirSync(elsewhere.path).filter((name) => !/-(wal|shm)$/.test(name))).to.deep.equal([
      "flanco.db",
      "flanco.db.id",
    ]);
    elsewhere.remove();
  });
});
