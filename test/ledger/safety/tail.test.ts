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
import { readFrames, segmentsIn } from "../../../src/ledger/safety/tail.ts";
import { faultsOf } from "../../../src/ledger/safety/verify.ts";
import { change, query } from "../../rig/ledger-file.ts";
import { forEachTest } from "../../rig/standing.ts";
import { until } from "../../rig/until.ts";
import { LINE, level, live, sell } from "../eventful-life.ts";
import { recordsOf } from "../records-of.ts";
import { newRecord } from "../test-ledger.ts";
import { STUMP_BYTES, TailedLedger } from "./tailed-ledger.ts";

/** Of the empty frame that a closed writer leaves at the end. */
const MARK_BYTES = 16;

describe("The tail of a ledger", () => {
  const ledger = forEachTest(() => new TailedLedger().open());
  const wired = forEachTest(() => ledger.wire(LINE));

  /** Every row but what a rebuild adds, which ends the chain with an entry of its own, and what stands at each write of the sums. */
  function rows(): Record<string, unknown[]> {
    const all = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    const only: Record<string, string> = {
      audit: "WHERE kind <> 'ledger_rebuilt'",
      setting: "WHERE name NOT IN ('last_request', 'rollup_zone')",
    };
    const names = query<{ name: string }>(ledger.file, all).map(({ name }) => name);
    return Object.fromEntries(
      names
        .filter((name) => !["session", "rolled_up", "number_mark"].includes(name))
        .map((name) => [name, query(ledger.file, `SELECT * FROM ${name} ${only[name] ?? ""}`)]),
    );
  }

  /** As a process that is killed leaves the directory: the tail has everything, without the mark of one that was closed. */
  async function crash(): Promise<void> {
    const copy = `${ledger.directory}-crashed`;
    cpSync(ledger.directory, copy, { recursive: true });
    await ledger.close();
    const tail = segmentsIn(ledger.folder).at(-1);
    if (tail !== undefined) {
      truncateSync(tail.file, tail.bytes - MARK_BYTES);
      cpSync(tail.file, tail.file.replace(ledger.directory, copy));
    }
    rmSync(ledger.directory, { recursive: true });
    cpSync(copy, ledger.directory, { recursive: true });
    rmSync(copy, { recursive: true });
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
      await sell(ledger, wired.user.id, 2);
      await prepare();
      await live(ledger, wired.user.id, wired.deviceId);
      await ledger.close();
      const before = rows();
      expect(before["record"]).to.have.length(17);
      truncateSync(ledger.file, STUMP_BYTES);
      expect(ledger.recover().lost).to.deep.equal([]);
      expect(rows()).to.deep.equal(before);
      await ledger.open();
      await live(ledger, wired.user.id, wired.deviceId).catch(() => {});
      expect(faultsOf(ledger.verify())).to.deep.equal([]);
    });
  }

  it("is tested with every command of the ledger", async () => {
    const clinic = new TailedLedger();
    await clinic.open();
    const first = { name: "Ana", email: "first@example.org", passwordHash: "hash" };
    await clinic.writer.addFirstUser(first);
    await clinic.close();
    await live(ledger, wired.user.id, wired.deviceId);
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
    await sell(ledger, wired.user.id, 20);
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
    expect(ledger.held()).to.deep.equal({ records: 20, kinds: ["lost"] });
  });

  it("shows that the newest entries were taken out of the file", async () => {
    await sell(ledger, wired.user.id, 5);
    await crash();
    change(ledger.file, "DELETE FROM record WHERE record_id > (SELECT max(record_id) - 2 FROM record)");
    const refusal = await ledger.open().catch((error: unknown) => error);
    expect(String(refusal)).to.match(/its newest commits are missing/);
    expect(ledger.recover()).to.deep.include({ lost: [{ from: 8, to: 8 }] });
    expect(ledger.held().records).to.equal(5);
  });

  it("of a later version is set aside once the version before it is back, which never had its commits", async () => {
    await sell(ledger, wired.user.id, 2);
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
    await sell(ledger, wired.user.id, 5);
    await crash();
    const tail = segmentsIn(ledger.folder)[0]?.file ?? "";
    truncateSync(tail, statSync(tail).size - 10);
    expect(ledger.recover().lost).to.deep.equal([{ from: 7, to: 7 }]);
    expect(ledger.held()).to.deep.equal({ records: 4, kinds: ["lost"] });
  });

  it("tells as lost all that may have followed the newest sums, where the newest records cannot be read", async () => {
    await ledger.close();
    ledger.tail = false;
    await ledger.open();
    await ledger.backUp({ rotate: false });
    await ledger.writer.noteBoot("boot", null);
    await sell(ledger, wired.user.id, 30);
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
    const { recordId } = await ledger.writer.addRecord(wired.user.id, newRecord(), null);
    expect(recordId).to.be.above(position);
  });

  it("makes a sale again in the time zone of its commit, whose days decide on a planned price", async () => {
    const at = (active: boolean, sequence: number, hour: number) => {
      const timeMs = Date.UTC(2026, 10, 21, hour);
      return { ...level(wired.deviceId, active, sequence), provisional: false, timeMs };
    };
    await ledger.writer.noteBoot("boot", Date.UTC(2026, 10, 21, 10));
    await ledger.writer.takeIn([at(false, 0, 10)]);
    await ledger.writer.planPrices(
      wired.user.id,
      [LINE],
      { valorMicros: 6e6, paidMinutes: null },
      20_261_122,
    );
    await ledger.backUpProved();
    await ledger.close();
    await ledger.open("Pacific/Auckland");
    await ledger.writer.takeIn([at(true, 1, 20)]);
    await sell(ledger, wired.user.id, 1);
    const before = rows();
    expect((await ledger.recovered()).lost).to.deep.equal([]);
    expect(rows()).to.deep.equal(before);
    await ledger.open("Pacific/Auckland");
    expect(recordsOf(ledger.reader, wired.user.id).map(({ valorMicros }) => valorMicros)).to.include(6e6);
  });

  it("passes over a commit that leads elsewhere, and goes on after it", async () => {
    await sell(ledger, wired.user.id, 2);
    await ledger.backUpProved();
    await sell(ledger, wired.user.id, 2);
    await ledger.close();
    const newest = "record_id = (SELECT max(record_id) FROM record)";
    change(ledger.file, `UPDATE record SET hash = zeroblob(32) WHERE ${newest}`);
    await ledger.open();
    await sell(ledger, wired.user.id, 2);
    expect((await ledger.recovered()).lost).to.deep.equal([{ from: 7, to: 7 }]);
    expect(ledger.held()).to.deep.equal({ records: 5, kinds: ["lost"] });
  });

  it("goes on after a torn end, and begins anew where a commit is missing in it", async () => {
    await sell(ledger, wired.user.id, 2);
    await crash();
    const [first] = segmentsIn(ledger.folder);
    appendFileSync(first?.file ?? "", "torn");
    await ledger.open();
    await until("the tail is open", () => ledger.writer.tail !== null);
    expect(ledger.writer.tail).to.deep.equal({ from: 0, failure: null });
    await sell(ledger, wired.user.id, 1);
    await ledger.close();
    ledger.tail = false;
    await ledger.open();
    await sell(ledger, wired.user.id, 1);
    await ledger.close();
    ledger.tail = true;
    await ledger.open();
    await until("the tail is open", () => ledger.writer.tail !== null);
    expect(ledger.writer.tail).to.deep.equal({ from: ledger.commitsNow(), failure: null });
    await ledger.backUpProved();
    expect((await ledger.recovered()).lost).to.deep.equal([]);
    expect(ledger.verify().records).to.equal(4);
  });

  it("reaches back to the last but one proved backup, so that the newest may have rotted", async () => {
    const backups: ProvenBackup[] = [];
    for (let made = 0; made < 3; made += 1) {
      await sell(ledger, wired.user.id, 2);
      ledger.nowMs += DAY_MS;
      backups.push(await ledger.backUpProved());
    }
    await sell(ledger, wired.user.id, 1);
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

  it("is not held against a ledger that was restored twice from one backup, or after a rebuild", async () => {
    await sell(ledger, wired.user.id, 2);
    const backup = await ledger.backUpProved();
    await sell(ledger, wired.user.id, 1);
    await ledger.recovered();
    await ledger.open();
    await sell(ledger, wired.user.id, 3);
    for (const readable of [true, false]) {
      await ledger.close();
      if (!readable) truncateSync(ledger.file, STUMP_BYTES);
      ledger.restore(backup, { directories: [ledger.backups] });
      await ledger.open();
      expect(ledger.held()).to.deep.equal({ records: 2, kinds: ["restored"] });
      await sell(ledger, wired.user.id, 3);
    }
  });

  it("follows the backup that was restored last, also before the next backup and where newer ones are of what was left", async () => {
    await sell(ledger, wired.user.id, 2);
    const backup = await ledger.backUpProved();
    for (let restored = 0; restored < 2; restored += 1) {
      await sell(ledger, wired.user.id, 3);
      await ledger.backUpProved();
      await ledger.close();
      ledger.restore(backup, { directories: [ledger.backups] });
      await ledger.open();
    }
    await sell(ledger, wired.user.id, 1);
    const made = await ledger.recovered();
    expect(made.backup?.file).to.equal(backup.file);
    // The sale, and before it what says of the restore.
    expect(made).to.deep.include({ commits: 2, lost: [] });
    expect(ledger.held()).to.deep.equal({ records: 3, kinds: ["restored", "restored"] });
  });
});
