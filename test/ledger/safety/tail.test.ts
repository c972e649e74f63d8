import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import type { ProvenBackup } from "../../../src/domain/backup.ts";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { FlancoError } from "../../../src/domain/error.ts";
import { readHead } from "../../../src/ledger/engine/chain.ts";
import { Committer } from "../../../src/ledger/engine/committer.ts";
import { SCHEMA_VERSION } from "../../../src/ledger/engine/schema.ts";
import { LocalCalendar } from "../../../src/ledger/nouns/calendar.ts";
import { checkCopies, listBackups } from "../../../src/ledger/safety/backup-directory.ts";
import { readLosses } from "../../../src/ledger/safety/loss.ts";
import { framesOf, readFrames, segmentsIn } from "../../../src/ledger/safety/tail.ts";
import { faultsOf } from "../../../src/ledger/safety/verify.ts";
import { change, query } from "../../rig/ledger-file.ts";
import { forEachTest } from "../../rig/standing.ts";
import { until } from "../../rig/until.ts";
import { LINE, level, live, sell } from "../eventful-life.ts";
import { recordsOf } from "../records-of.ts";
import { newRecord, type TestLedger } from "../test-ledger.ts";
import { TailedLedger } from "./tailed-ledger.ts";

/** Less than a header: nothing can be read of such a file. */
const STUMP_BYTES = 90;
/** Of the empty frame that a closed writer leaves at the end. */
const MARK_BYTES = 16;
/** Of a frame, before the byte that is spoilt. */
const SOME_BYTES = 40;
const MEGABYTE = 1024 * 1024;

describe("The tail of a ledger", () => {
  const ledger = forEachTest(() => new TailedLedger());
  let userId: string;
  let deviceId: string;

  beforeEach(async () => {
    await ledger.open();
    const wired = await ledger.wire(LINE);
    userId = wired.user.id;
    deviceId = wired.deviceId;
  });

  /** Every row but what a rebuild adds, which ends the chain with an entry of its own. */
  function rows(): Record<string, unknown[]> {
    const all = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    const only: Record<string, string> = {
      audit: "WHERE kind <> 'ledger_rebuilt'",
      setting: "WHERE name NOT IN ('last_request', 'rollup_zone')",
    };
    const names = query<{ name: string }>(ledger.file, all).map(({ name }) => name);
    return Object.fromEntries(
      names
        .filter((name) => name !== "session" && name !== "rolled_up")
        .map((name) => [name, query(ledger.file, `SELECT * FROM ${name} ${only[name] ?? ""}`)]),
    );
  }

  /** The records, and the kinds of what the full check finds. */
  function held(): { readonly records: number; readonly kinds: readonly string[] } {
    const { records, findings } = ledger.verify();
    return { records, kinds: findings.map(({ kind }) => kind) };
  }

  /** As a process that is killed leaves the directory: the tail has everything, without the mark of one that was closed. */
  async function crash(): Promise<void> {
    const copy = `${ledger.directory}-crashed`;
    cpSync(ledger.directory, copy, { recursive: true });
    await ledger.close();
    const tail = segmentsIn(ledger.folder).at(-1)?.file;
    if (tail !== undefined) {
      truncateSync(tail, statSync(tail).size - MARK_BYTES);
      cpSync(tail, tail.replace(ledger.directory, copy));
    }
    rmSync(ledger.directory, { recursive: true });
    cpSync(copy, ledger.directory, { recursive: true });
    rmSync(copy, { recursive: true });
  }

  /** Closes the ledger, spoils its file so that nothing of it can be read, and has it made again. */
  async function recovered(): Promise<ReturnType<TestLedger["recover"]>> {
    await ledger.close();
    truncateSync(ledger.file, STUMP_BYTES);
    return ledger.recover();
  }

  for (const [when, prepare] of [
    ["before the first backup", () => {}],
    ["after a backup", () => ledger.backUpProved()],
    [
      "after a backup and a restart",
      async () => {
        await ledger.backUpProved();
        await ledger.close();
        await ledger.open();
      },
    ],
  ] as const) {
    it(`makes the ledger again ${when}, every row of it`, async () => {
      await sell(ledger, userId, 2);
      await prepare();
      await live(ledger, userId, deviceId);
      await ledger.close();
      const before = rows();
      expect(before["record"]).to.have.length(11);
      truncateSync(ledger.file, STUMP_BYTES);
      expect(ledger.recover().lost).to.deep.equal([]);
      expect(rows()).to.deep.equal(before);
      await ledger.open();
      await live(ledger, userId, deviceId).catch(() => {});
      expect(faultsOf(ledger.verify())).to.deep.equal([]);
    });
  }

  it("is tested with every command of the ledger", async () => {
    const clinic = new TailedLedger();
    await clinic.open();
    const first = { name: "Ana", email: "first@example.org", passwordHash: "hash" };
    await clinic.writer.addFirstUser(first);
    await clinic.close();
    await live(ledger, userId, deviceId);
    await ledger.close();
    const repeated = [clinic, ledger]
      .flatMap(({ folder }) => segmentsIn(folder))
      .flatMap((segment) => [...readFrames(segment)])
      .flatMap(({ frame }) => frame.commands.map(({ name }) => name));
    await clinic.remove();
    const committer = new Committer(
      new DatabaseConstructor(ledger.file),
      new LocalCalendar("UTC"),
      undefined,
    );
    const { commandKinds } = committer;
    committer.close();
    // It writes nothing.
    expect(new Set([...repeated, "ping"])).to.deep.equal(new Set(Object.keys(commandKinds)));
  });

  it("shows that commits are gone with a part of SQLite's log, before the log is touched", async () => {
    await sell(ledger, userId, 20);
    await crash();
    const log = readFileSync(`${ledger.file}-wal`);
    const damaged = Buffer.from(log);
    const at = Math.floor(damaged.length / 2);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
    writeFileSync(`${ledger.file}-wal`, damaged);
    const refusal = await ledger.open().catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(FlancoError).with.property("code", "damaged");
    expect(String(refusal)).to.match(/its newest commits are missing/);
    expect(readFileSync(`${ledger.file}-wal`).equals(damaged)).to.equal(true);
    const { keptAs, lost } = ledger.recover();
    expect(readFileSync(`${keptAs}-wal`).equals(damaged)).to.equal(true);
    expect(lost, "up to a second before the end is not known").to.deep.equal([{ from: 23, to: 23 }]);
    expect(held()).to.deep.equal({ records: 20, kinds: ["lost"] });
  });

  it("shows that the newest entries were taken out of the file", async () => {
    await sell(ledger, userId, 5);
    await crash();
    change(ledger.file, "DELETE FROM record WHERE record_id > (SELECT max(record_id) - 2 FROM record)");
    const refusal = await ledger.open().catch((error: unknown) => error);
    expect(String(refusal)).to.match(/its newest commits are missing/);
    expect(ledger.recover()).to.deep.include({ lost: [{ from: 8, to: 8 }] });
    expect(held().records).to.equal(5);
  });

  it("of a later version is set aside once the version before it is back, which never had its commits", async () => {
    await sell(ledger, userId, 2);
    await ledger.close();
    const [segment] = segmentsIn(ledger.folder);
    const later = segment?.file.replace(`tail-${SCHEMA_VERSION}-`, `tail-${SCHEMA_VERSION + 1}-`) ?? "";
    cpSync(segment?.file ?? "", later);
    await ledger.open();
    expect(segmentsIn(ledger.folder)).to.have.length(1);
    expect(existsSync(later)).to.equal(false);
    expect(existsSync(`${later}.later`)).to.equal(true);
  });

  it("is read up to a torn end, and what the damaged file had more is told", async () => {
    await sell(ledger, userId, 5);
    await crash();
    const tail = segmentsIn(ledger.folder)[0]?.file ?? "";
    truncateSync(tail, statSync(tail).size - 10);
    expect(ledger.recover().lost).to.deep.equal([{ from: 7, to: 7 }]);
    expect(held()).to.deep.equal({ records: 4, kinds: ["lost"] });
  });

  it("tells as lost all that may have followed the newest sums, where the newest records cannot be read", async () => {
    await ledger.close();
    ledger.tail = false;
    await ledger.open();
    await ledger.backUp({ rotate: false });
    await ledger.writer.noteBoot("boot", null);
    await sell(ledger, userId, 30);
    await crash();
    const db = new DatabaseConstructor(ledger.file);
    const { position } = readHead(db);
    db.pragma("wal_checkpoint(TRUNCATE)");
    const newest = db.prepare(
      "SELECT pgoffset FROM dbstat WHERE name = 'record' AND pagetype = 'leaf' ORDER BY path DESC LIMIT 1",
    );
    const offset = Number(newest.pluck().get());
    db.close();
    const file = openSync(ledger.file, "r+");
    writeSync(file, Buffer.alloc(STUMP_BYTES, 0xff), 0, STUMP_BYTES, offset);
    closeSync(file);
    expect(ledger.recover().lost.at(-1)?.to).to.be.at.least(position);
    await ledger.open();
    const { recordId } = await ledger.writer.addRecord(userId, newRecord(), null);
    expect(recordId).to.be.above(position);
  });

  it("makes a sale again in the time zone of its commit, whose days decide on a planned price", async () => {
    const at = (active: boolean, sequence: number, hour: number) => {
      const timeMs = Date.UTC(2026, 10, 21, hour);
      return { ...level(deviceId, active, sequence), provisional: false, timeMs };
    };
    await ledger.writer.noteBoot("boot", Date.UTC(2026, 10, 21, 10));
    await ledger.writer.takeIn([at(false, 0, 10)]);
    await ledger.writer.planPrices(userId, [LINE], 6e6, 20_261_122);
    await ledger.backUpProved();
    await ledger.close();
    await ledger.open("Pacific/Auckland");
    await ledger.writer.takeIn([at(true, 1, 20)]);
    await sell(ledger, userId, 1);
    const before = rows();
    expect((await recovered()).lost).to.deep.equal([]);
    expect(rows()).to.deep.equal(before);
    await ledger.open("Pacific/Auckland");
    expect(recordsOf(ledger.reader, userId).map(({ valorMicros }) => valorMicros)).to.include(6e6);
  });

  it("passes over a commit that leads elsewhere, and goes on after it", async () => {
    await sell(ledger, userId, 2);
    await ledger.backUpProved();
    await sell(ledger, userId, 2);
    await ledger.close();
    const newest = "record_id = (SELECT max(record_id) FROM record)";
    change(ledger.file, `UPDATE record SET hash = zeroblob(32) WHERE ${newest}`);
    await ledger.open();
    await sell(ledger, userId, 2);
    expect((await recovered()).lost).to.deep.equal([{ from: 7, to: 7 }]);
    expect(held()).to.deep.equal({ records: 5, kinds: ["lost"] });
  });

  describe("with a damaged byte", () => {
    /** Flips a bit in the frame of this commit of the tail's last file. */
    function spoil(nth: number): void {
      const segment = segmentsIn(ledger.folder).at(-1) ?? expect.fail();
      const at = Number([...framesOf(segment.content, segment.from)][nth]?.at) + SOME_BYTES;
      segment.content.writeUInt8(segment.content.readUInt8(at) ^ 1, at);
      writeFileSync(segment.file, segment.content);
    }

    it("is read on after it: one sale is lost, and said to be", async () => {
      await ledger.backUpProved();
      await sell(ledger, userId, 20);
      await ledger.close();
      spoil(5);
      const before = ledger.commitsNow();
      const { lost, unmade, tailDamage, commits } = await recovered();
      expect({ commits, lost, unmade }).to.deep.equal({
        commits: 19,
        lost: [{ from: 8, to: 8 }],
        unmade: [],
      });
      expect(tailDamage.join()).to.match(/^The bytes \d+ to \d+ of the tail's file .* are damaged\.$/);
      expect(held()).to.deep.equal({ records: 19, kinds: ["lost"] });
      expect(readLosses(ledger.file).map(({ reason }) => reason)).to.have.length(1);
      await ledger.open();
      const { recordId } = await ledger.writer.addRecord(userId, newRecord(), null);
      expect(recordId).to.be.above(before);
      expect(held()).to.deep.equal({ records: 20, kinds: ["lost"] });
    });

    it("leaves every entry but the lost ones as it was, where damage comes twice and at the end", async () => {
      await ledger.backUpProved();
      await sell(ledger, userId, 20);
      await ledger.close();
      const rowsOf = () => query(ledger.file, "SELECT record_id, hex(hash), valor_micros FROM record");
      const before = rowsOf();
      for (const nth of [19, 12, 5]) spoil(nth);
      const { lost } = await recovered();
      const gone = [8, 15, 22];
      expect(lost).to.deep.equal(gone.map((at) => ({ from: at, to: at })));
      expect(rowsOf()).to.deep.equal(before.filter((_, index) => !gone.includes(index + 3)));
      expect(held()).to.deep.equal({ records: 17, kinds: ["lost", "lost", "lost"] });
    });

    for (const [what, spoilt, records, entries, told] of [
      ["an end, and nothing is lost", [3], 5, 0, []],
      ["a sale and its end, and tells of the one that follows", [3, 2], 3, 1, [5]],
    ] as const) {
      it(`makes the switchings of a line again after ${what}`, async () => {
        const see = (active: boolean, sequence: number) =>
          ledger.writer.takeIn([level(deviceId, active, sequence)]);
        await ledger.writer.noteBoot("boot", null);
        await see(false, 0);
        await ledger.backUpProved();
        for (let sequence = 1; sequence <= 10; sequence += 1) await see(sequence % 2 === 1, sequence);
        await ledger.close();
        for (const nth of spoilt) spoil(nth);
        const { lost, unmade } = await recovered();
        expect(held()).to.deep.equal({ records, kinds: Array(entries).fill("lost") });
        expect(lost).to.have.length(entries);
        expect(unmade).to.deep.equal(
          told.map((second) => `room 101 (${LINE}) at 2026-11-21T10:00:0${second}.000Z`),
        );
      });
    }

    it("says so in a restore on another gateway, whose next sale takes no number that was given", async () => {
      const backup = await ledger.backUpProved();
      await sell(ledger, userId, 20);
      const newest = readHead(new DatabaseConstructor(ledger.file, { readonly: true })).position;
      await ledger.close();
      spoil(19);
      spoil(5);
      const tail = segmentsIn(ledger.folder);
      rmSync(ledger.file);
      const { lost, later, tailDamage } = ledger.restore(backup, { tail, mayBeOther: true });
      expect({ later, lost }).to.deep.equal({
        later: 18,
        lost: [
          { from: 8, to: 8 },
          { from: newest, to: newest },
        ],
      });
      expect(tailDamage).to.have.length(2);
      expect(held()).to.deep.equal({ records: 18, kinds: ["lost", "lost"] });
      ledger.tail = false;
      await ledger.open();
      const { recordId } = await ledger.writer.addRecord(userId, newRecord(), null);
      expect(recordId).to.be.above(newest);
    });

    for (const [what, ruin] of [
      ["before the mark of a closed writer", () => [19, 18, 17].forEach(spoil)],
      [
        "up to the end",
        () => {
          const { file, content, from } = segmentsIn(ledger.folder).at(-1) ?? expect.fail();
          writeFileSync(file, content.fill(0xff, [...framesOf(content, from)][17]?.at));
        },
      ],
    ] as const) {
      it(`gives none of the numbers again that the newest commits had, where they are ruined ${what}`, async () => {
        const backup = await ledger.backUpProved();
        await sell(ledger, userId, 20);
        const newest = readHead(new DatabaseConstructor(ledger.file, { readonly: true })).position;
        await ledger.close();
        ruin();
        const tail = segmentsIn(ledger.folder);
        const { lost, tailDamage } = await recovered();
        expect(tailDamage).not.to.deep.equal([]);
        expect(lost.at(-1)).to.include({ from: newest - 2 });
        expect(lost.at(-1)?.to).to.be.at.least(newest);
        rmSync(ledger.file);
        const restored = ledger.restore(backup, { tail, mayBeOther: true });
        expect(restored.lost).to.deep.equal(lost);
      });
    }

    it("is found by the check of the copies, as is a backup that has rotted, which is none from then on", async () => {
      const [older, newest] = [await ledger.backUpProved(), await ledger.backUpProved()];
      await sell(ledger, userId, 5);
      await ledger.close();
      expect(checkCopies(ledger.file, [ledger.backups])).to.deep.equal([]);
      spoil(2);
      const path = join(ledger.folder, newest.file);
      const file = openSync(path, "r+");
      writeSync(file, "rotten", 40_000);
      closeSync(file);
      const [tail, backup, ...others] = checkCopies(ledger.file, [ledger.backups]);
      expect(tail).to.match(/The bytes \d+ to \d+ of the tail's file .* are damaged/);
      expect(backup).to.contain(`The backup ${path} is not the file that was proved`);
      expect(others).to.deep.equal([]);
      expect(listBackups(ledger.folder)).to.deep.equal([older]);
      expect(existsSync(`${path}.damaged`)).to.equal(true);
    });

    it("is not gone on with: a new file begins, which no backup leads to", async () => {
      await sell(ledger, userId, 5);
      await ledger.close();
      spoil(2);
      await ledger.open();
      await until("the tail is open", () => ledger.writer.tail !== null);
      expect(ledger.writer.tail).to.deep.equal({ from: ledger.commitsNow(), failure: null });
    });
  });

  it("goes on after a torn end, and begins anew where a commit is missing in it", async () => {
    await sell(ledger, userId, 2);
    await crash();
    const [first] = segmentsIn(ledger.folder);
    appendFileSync(first?.file ?? "", "torn");
    await ledger.open();
    await until("the tail is open", () => ledger.writer.tail !== null);
    expect(ledger.writer.tail).to.deep.equal({ from: 0, failure: null });
    await sell(ledger, userId, 1);
    await ledger.close();
    ledger.tail = false;
    await ledger.open();
    await sell(ledger, userId, 1);
    await ledger.close();
    ledger.tail = true;
    await ledger.open();
    await until("the tail is open", () => ledger.writer.tail !== null);
    expect(ledger.writer.tail).to.deep.equal({ from: ledger.commitsNow(), failure: null });
    await ledger.backUpProved();
    expect((await recovered()).lost).to.deep.equal([]);
    expect(ledger.verify().records).to.equal(4);
  });

  it("reaches back to the last but one proved backup, so that the newest may have rotted", async () => {
    const backups: ProvenBackup[] = [];
    for (let made = 0; made < 3; made += 1) {
      await sell(ledger, userId, 2);
      ledger.nowMs += DAY_MS;
      backups.push(await ledger.backUpProved());
    }
    await sell(ledger, userId, 1);
    await ledger.close();
    const segments = segmentsIn(ledger.folder);
    const [, older, newest] = backups;
    expect(segments.map(({ from }) => from)).to.deep.equal([older?.commits, newest?.commits]);
    const file = openSync(join(ledger.folder, newest?.file ?? ""), "r+");
    writeSync(file, Buffer.alloc(64, 0xff), 0, 64, 40_000);
    closeSync(file);
    truncateSync(ledger.file, STUMP_BYTES);
    expect(ledger.recover()).to.deep.include({ backup: older, commits: 3, lost: [] });
    expect(ledger.verify()).to.deep.include({ records: 7, findings: [] });
  });

  it("is not held against a ledger that was restored, nor repeated on it", async () => {
    await sell(ledger, userId, 2);
    const backup = await ledger.backUpProved();
    await sell(ledger, userId, 3);
    await ledger.close();
    ledger.restore(backup);
    await ledger.open();
    await sell(ledger, userId, 1);
    await ledger.backUpProved();
    await sell(ledger, userId, 1);
    expect(await recovered()).to.deep.include({ commits: 1, lost: [] });
    expect(held()).to.deep.equal({ records: 4, kinds: ["restored"] });
  });

  it("is not held against a ledger that was restored twice from one backup, or after a rebuild", async () => {
    await sell(ledger, userId, 2);
    const backup = await ledger.backUpProved();
    await sell(ledger, userId, 1);
    await recovered();
    await ledger.open();
    await sell(ledger, userId, 3);
    for (const readable of [true, false]) {
      await ledger.close();
      if (!readable) truncateSync(ledger.file, STUMP_BYTES);
      ledger.restore(backup, { directories: [ledger.backups] });
      await ledger.open();
      expect(held()).to.deep.equal({ records: 2, kinds: ["restored"] });
      await sell(ledger, userId, 3);
    }
  });

  it("follows the backup that was restored last, also before the next backup and where newer ones are of what was left", async () => {
    await sell(ledger, userId, 2);
    const backup = await ledger.backUpProved();
    for (let restored = 0; restored < 2; restored += 1) {
      await sell(ledger, userId, 3);
      await ledger.backUpProved();
      await ledger.close();
      ledger.restore(backup, { directories: [ledger.backups] });
      await ledger.open();
    }
    await sell(ledger, userId, 1);
    const made = await recovered();
    expect(made.backup?.file).to.equal(backup.file);
    // The sale, and before it what says of the restore.
    expect(made).to.deep.include({ commits: 2, lost: [] });
    expect(held()).to.deep.equal({ records: 3, kinds: ["restored", "restored"] });
  });

  it("has every commit, also those that come while earlier ones are being written", async () => {
    const record = newRecord({ deviceName: "x".repeat(MEGABYTE / 8) });
    for (let sold = 0; sold < 30; sold += 1) await ledger.writer.addRecord(userId, record, null);
    expect(await recovered()).to.deep.include({ lost: [] });
    expect(ledger.verify()).to.deep.include({ records: 30, findings: [] });
  });
});
