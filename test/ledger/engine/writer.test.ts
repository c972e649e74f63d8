import { once } from "node:events";
import { truncateSync } from "node:fs";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { MICROS_PER_UNIT } from "../../../src/domain/amount.ts";
import { readCommits, readHead } from "../../../src/ledger/engine/chain.ts";
import { storeWriter } from "../../../src/ledger/engine/writer.ts";
import { RollupWriter } from "../../../src/ledger/nouns/rollup.ts";
import { readToldChanges } from "../../../src/ledger/safety/loss.ts";
import { startThread } from "../../../src/platform/thread.ts";
import { codeOf } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { writerHere } from "../../rig/writer.ts";
import { recordsOf } from "../records-of.ts";
import { newRecord, TestLedger } from "../test-ledger.ts";

const MAX_WAITING = 4_096;

describe("the writer", () => {
  const ledger = forEachTest(() => new TestLedger(storeWriter).open());

  it("answers every one of many writes at once, in order, and counts each", async () => {
    const { id } = await ledger.addUser();
    const answers = await Promise.all(
      Array.from({ length: 2_000 }, () => ledger.writer.addRecord(id, newRecord(), null)),
    );
    const ids = answers.map((answer) => answer.recordId);
    expect(ids).to.deep.equal([...ids].sort((a, b) => a - b));
    const summary = ledger.reader.summary(id, "semanal", ledger.nowMs);
    expect(summary?.count).to.equal(2_000);
    expect(summary?.totalMicros).to.equal(2_000_000_000n);
  });

  it("refuses what does not fit its bounded queue, and stores exactly what it took", async () => {
    const { id } = await ledger.addUser();
    const results = await Promise.allSettled(
      Array.from({ length: MAX_WAITING + 100 }, () => ledger.writer.addRecord(id, newRecord(), null)),
    );
    const taken = results.filter((result) => result.status === "fulfilled").length;
    expect(taken).to.equal(MAX_WAITING);
    expect(ledger.reader.summary(id, "semanal", ledger.nowMs)?.count).to.equal(taken);
  });

  it("takes levels of lines though its queue is full of posts", async () => {
    const { id } = await ledger.addUser();
    const posts = Array.from({ length: MAX_WAITING }, () => ledger.writer.addRecord(id, newRecord(), null));
    const [refused, taken] = await Promise.allSettled([
      ledger.writer.addRecord(id, newRecord(), null),
      ledger.writer.takeIn([]),
    ]);
    await Promise.all(posts);
    expect([refused.status, taken.status]).to.deep.equal(["rejected", "fulfilled"]);
  });

  it("leaves no trace of a write that fails halfway, its sums included", async () => {
    const { id } = await ledger.addUser();
    const wrong = { ...newRecord(), room: null } as unknown as ReturnType<typeof newRecord>;
    expect(await codeOf(() => ledger.writer.addRecord(id, wrong, null))).to.equal("internal");
    await ledger.writer.addRecord(id, newRecord(), null);
    const { records, findings } = ledger.verify();
    expect(records).to.equal(1);
    expect(findings).to.deep.equal([]);
  });

  it("refuses the one write of a batch whose sum would leave 64 bits, and commits the others", async () => {
    const { id } = await ledger.addUser();
    await ledger.writer.addRecord(id, newRecord(), null);
    const db = new DatabaseConstructor(ledger.file);
    new RollupWriter(db).rollUp({ ...readHead(db), commits: readCommits(db) });
    db.exec("UPDATE rollup_day SET total_micros = 9000000000000000000 - 3000000");
    db.close();
    const post = (deviceId: string, units: number) =>
      codeOf(() =>
        ledger.writer.addRecord(id, newRecord({ deviceId, valorMicros: units * MICROS_PER_UNIT }), null),
      );
    const codes = await Promise.all([post("other", 1), post("d", 2), post("d", 2), post("d", 1)]);
    expect(codes).to.deep.equal(["done", "done", "conflict", "done"]);
    expect(recordsOf(ledger.reader, id)).to.have.lengthOf(4);
    const { findings, ...held } = ledger.verify();
    expect(held).to.deep.include({ records: 4, entries: 5 });
    // Of the sum that was made so large.
    expect(findings.map(({ kind }) => kind)).to.deep.equal(["sum"]);
  });

  it("commits what waits before it closes, and refuses what comes after", async () => {
    const { id } = await ledger.addUser();
    const { writer } = ledger;
    const waiting = Array.from({ length: 500 }, () => writer.addRecord(id, newRecord(), null));
    const closed = ledger.close();
    expect(await codeOf(() => writer.addRecord(id, newRecord(), null))).to.equal("unavailable");
    await Promise.all(waiting);
    await closed;
    await ledger.open();
    expect(ledger.reader.summary(id, "semanal", ledger.nowMs)?.count).to.equal(500);
  });

  it("keeps records when their device, location or user goes", async () => {
    const { user } = await ledger.wire();
    const locationId = await ledger.writer.addLocation(user.id, { name: "L", description: "" });
    await ledger.writer.addRecord(user.id, newRecord(), null);
    await ledger.writer.removeLocation(user.id, locationId);
    expect(await codeOf(() => ledger.writer.removeUser(user.id, false))).to.equal("conflict");
    await ledger.writer.removeDevice(user.id, "7234");
    expect(ledger.reader.wirings()).to.deep.equal([]);
    await ledger.writer.removeUser(user.id, false);
    expect(recordsOf(ledger.reader, user.id)).to.have.length(1);
  });
});

describe("a writer that cannot open its file", () => {
  it("rejects the open alone: no thread that had worked died", async () => {
    const ledger = await new TestLedger(storeWriter).open();
    await ledger.close();
    truncateSync(ledger.file, 50);
    const deaths: Error[] = [];
    const clock = { nowMs: () => ledger.nowMs, monotonicNs: () => 0n };
    const thread = startThread("writer", {});
    const ended = once(thread, "exit");
    const listener = { onChanges: () => {}, onDeath: (error: Error) => void deaths.push(error) };
    const writer = storeWriter({ file: ledger.file, timeZone: "UTC" }, clock, listener, (start) => {
      thread.postMessage(start);
      return thread;
    });
    expect(await codeOf(() => writer.open())).to.equal("damaged");
    await ended;
    expect(deaths).to.deep.equal([]);
    await ledger.remove();
  });
});

describe("two writers of one ledger, whose lock was removed", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  const deaths: Error[] = [];
  const first = forEachTest(async () => {
    deaths.length = 0;
    const clock = { nowMs: () => ledger.nowMs, monotonicNs: () => 0n };
    const onDeath = (error: Error) => void deaths.push(error);
    const writer = writerHere({ file: ledger.file, timeZone: "UTC" }, clock, { onDeath });
    await writer.open();
    return writer;
  });

  for (const [what, addEntry] of [
    ["a sale", (userId: string) => ledger.writer.addRecord(userId, newRecord(), null)],
    ["an entry of another table", (userId: string) => ledger.writer.setPassword(userId, "new")],
  ] as const) {
    it(`never go on side by side: the one that is overtaken by ${what} ends, and the next one reads the head`, async () => {
      const member = { name: "Ana", email: "ana@example.org", passwordHash: "hash" };
      const { id } = await first.addUser(member);
      await ledger.close();
      await ledger.open();
      await addEntry(id);
      expect(await codeOf(() => first.addRecord(id, newRecord(), null))).to.equal("unavailable");
      expect(await codeOf(() => first.addRecord(id, newRecord(), null))).to.equal("unavailable");
      await first.close();
      expect(deaths.map(({ message }) => message)).to.deep.equal([
        "Another process has written to the ledger.",
      ]);
      await ledger.close();
      await ledger.open();
      await ledger.writer.addRecord(id, newRecord(), null);
      expect(ledger.verify().findings).to.deep.equal([]);
    });
  }
});

describe("rollups and their time zone", () => {
  const ledger = forEachTest(() => new TestLedger().open("UTC"));
  let userId: string;

  beforeEach(async () => {
    userId = (await ledger.addUser()).id;
    const createdTimeMs = Date.UTC(2026, 10, 20, 23, 30);
    await Promise.all(
      Array.from({ length: 50 }, () => ledger.writer.addRecord(userId, newRecord({ createdTimeMs }), null)),
    );
  });

  const newestAudit = () => ledger.reader.audit({ before: null, sinceMs: null, limit: 1 })[0];

  it("are made anew for another zone, with progress, and agree with the records", async () => {
    const friday = ledger.reader.summary(userId, "semanal", ledger.nowMs)?.chart[5];
    await ledger.close();
    await ledger.open("Europe/Madrid");
    const saturday = ledger.reader.summary(userId, "semanal", ledger.nowMs)?.chart[6];
    expect(friday).to.deep.equal({ name: "vie", totalMicros: 50_000_000n });
    expect(saturday).to.deep.equal({ name: "sáb", totalMicros: 50_000_000n });
    const entries = ledger.reader.newestEntry() - 1;
    expect(ledger.progress).to.deep.equal([
      [0, entries],
      [entries, entries],
    ]);
    const { findings } = ledger.verify();
    expect(findings.map(({ kind }) => kind)).to.deep.equal(["zone"]);
    expect(findings[0]?.what).to.equal(
      "Another time zone, Europe/Madrid for UTC, moved 50 sales to other days.",
    );
    const details = { from: "UTC", to: "Europe/Madrid", sales: 50 };
    const kind = "time_zone_changed";
    expect(newestAudit()).to.deep.include({ kind, details, way: "service", timeMs: ledger.nowMs });
    expect(readToldChanges(ledger.file)).to.have.length(1);
  });

  it("are an entry and nothing to be acknowledged where another zone moves no sale", async () => {
    await ledger.close();
    await ledger.open("Etc/UTC");
    const details = { from: "UTC", to: "Etc/UTC", sales: 0 };
    expect(newestAudit()).to.deep.include({ kind: "time_zone_changed", details });
    expect(ledger.verify().findings).to.deep.equal([]);
  });

  for (const [what, rules, rebuilds] of [
    ["stay under new time-zone tables that leave the zone as it was", undefined, 0],
    ["are made anew under new time-zone tables with other rules for the zone", "other", 2],
  ] as const) {
    it(what, async () => {
      await ledger.close();
      const db = new DatabaseConstructor(ledger.file);
      const value = db.prepare<[], string>("SELECT value FROM setting WHERE name = 'rollup_zone'").pluck();
      const [zone, , stored] = value.get()?.split(" ") ?? [];
      const write = db.prepare("UPDATE setting SET value = ? WHERE name = 'rollup_zone'");
      write.run(`${zone} 1999a ${rules ?? stored}`);
      await ledger.open("UTC");
      expect(ledger.progress).to.have.length(rebuilds);
      expect(value.get()).to.equal(`UTC ${process.versions["tz"]} ${stored}`);
      db.close();
    });
  }
});
