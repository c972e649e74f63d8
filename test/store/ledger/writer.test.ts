import { EventEmitter } from "node:events";
import { truncateSync } from "node:fs";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { MICROS_PER_UNIT } from "../../../src/domain/amount.ts";
import { VirtualTime } from "../../../src/domain/clock.ts";
import { systemClock } from "../../../src/service/machine.ts";
import { readCommits, readHead } from "../../../src/store/ledger/chain.ts";
import { openForReading } from "../../../src/store/ledger/open.ts";
import { RollupWriter } from "../../../src/store/ledger/rollup.ts";
import { storeWriter } from "../../../src/store/ledger/writer.ts";
import type { WriterRequest } from "../../../src/store/ledger/writer-message.ts";
import { codeOf } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { newRecord, TestLedger } from "../ledger.ts";
import { recordsOf } from "../records-of.ts";

const MAX_WAITING = 4_096;

describe("the writer", () => {
  const ledger = forEachTest(() => new TestLedger(storeWriter).open());

  it("has committed a record when it answers", async () => {
    const { id } = await ledger.addUser();
    const { recordId } = await ledger.writer.addRecord(id, newRecord(), null);
    expect(recordsOf(ledger.reader, id)).to.deep.equal([
      { recordId, ...newRecord(), endedTimeMs: null, origin: "posted", provisional: false, voided: null },
    ]);
  });

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

  it("lets one write of a batch fail without touching the others", async () => {
    const { id } = await ledger.addUser();
    const device = {
      dId: "1",
      name: "A",
      locationId: "l",
      locationName: "L",
      actuators: [{ id: "1", value: true }],
    };
    const codes = await Promise.all([
      codeOf(() => ledger.writer.addRecord(id, newRecord(), null)),
      codeOf(() => ledger.writer.addDevice(id, device)),
      codeOf(() => ledger.writer.addDevice(id, device)),
      codeOf(() => ledger.writer.addRecord(id, newRecord(), null)),
    ]);
    expect(codes).to.deep.equal(["done", "done", "conflict", "done"]);
    expect(ledger.reader.summary(id, "semanal", ledger.nowMs)?.count).to.equal(2);
    expect(ledger.reader.devices(id)).to.have.length(1);
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

  it("tells what 99 of the newest 100 syncs took at most, once there were as many", async () => {
    const thread = new EventEmitter();
    const times = [...Array(98).fill(10), 400, 300.4, ...Array(99).fill(20)] as number[];
    const postMessage = () => {
      const [syncMs = 0] = times.splice(0, 1);
      queueMicrotask(() => thread.emit("message", { kind: "batch", results: [{ output: null }], syncMs }));
    };
    const listener = { onChanges: () => {}, onDeath: () => {} };
    const settings = { file: "none", timeZone: "UTC" };
    const writer = storeWriter(settings, systemClock, listener, () => Object.assign(thread, { postMessage }));
    const opened = writer.open();
    thread.emit("message", { kind: "ready" });
    await opened;
    const write = async (count: number) => {
      for (let done = 0; done < count; done += 1) await writer.ping();
    };
    await write(99);
    expect(writer.syncMs).to.equal(null);
    await write(1);
    expect(writer.syncMs).to.equal(300);
    await write(99);
    expect(writer.syncMs).to.equal(20);
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

  it("keeps one record for the same key and body, and refuses the key for another body", async () => {
    const { id } = await ledger.addUser();
    const other = await ledger.addUser("eva");
    const key = { key: "k", bodyHash: "a" };
    const first = await ledger.writer.addRecord(id, newRecord(), key);
    const again = await Promise.all([
      ledger.writer.addRecord(id, newRecord(), key),
      ledger.writer.addRecord(id, newRecord(), key),
    ]);
    expect(again).to.deep.equal([
      { ...first, repeated: true },
      { ...first, repeated: true },
    ]);
    expect(
      await codeOf(() => ledger.writer.addRecord(id, newRecord(), { key: "k", bodyHash: "b" })),
    ).to.equal("unprocessable");
    expect((await ledger.writer.addRecord(other.id, newRecord(), key)).repeated).to.equal(false);
  });

  it("runs with the full sync that a power cut asks for, in WAL", () => {
    const db = openForReading(ledger.file);
    expect(db.pragma("journal_mode", { simple: true })).to.equal("wal");
    db.close();
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
    const writer = storeWriter({ file: ledger.file, timeZone: "UTC" }, clock, {
      onChanges: () => {},
      onDeath: (error) => void deaths.push(error),
    });
    expect(await codeOf(() => writer.open())).to.equal("damaged");
    // It is answered once the thread has ended.
    expect(await codeOf(() => writer.ping())).to.equal("unavailable");
    expect(deaths).to.deep.equal([]);
    await ledger.remove();
  });
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

  it("are made anew for another zone, with progress, and agree with the records", async () => {
    const friday = ledger.reader.summary(userId, "semanal", ledger.nowMs)?.chart[5];
    await ledger.close();
    await ledger.open("Europe/Madrid");
    const saturday = ledger.reader.summary(userId, "semanal", ledger.nowMs)?.chart[6];
    expect(friday).to.deep.equal({ name: "vie", totalMicros: 50_000_000n });
    expect(saturday).to.deep.equal({ name: "sáb", totalMicros: 50_000_000n });
    const entries = ledger.reader.newestEntry();
    expect(ledger.progress).to.deep.equal([
      [0, entries],
      [entries, entries],
    ]);
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

/** A writer whose thread the test plays, and how many writes each batch had that it was sent. */
async function playedThread() {
  const sizes: number[] = [];
  const thread = new EventEmitter();
  const postMessage = (request: WriterRequest) => {
    if (request.kind === "batch") sizes.push(request.batch.commands.length);
  };
  const listener = { onChanges: () => {}, onProgress: () => {}, onDeath: () => {} };
  const time = new VirtualTime();
  const timers = { after: time.after.bind(time), busyMs: () => 0 };
  const port = Object.assign(thread, { postMessage });
  const writer = storeWriter({ file: "", timeZone: "UTC" }, time, listener, () => port, timers);
  const opened = writer.open();
  thread.emit("message", { kind: "ready" });
  await opened;
  return {
    writer,
    time,
    sizes,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    /** Posts so many times; resolves when all are answered. */
    post: (count: number) =>
      Promise.all(Array.from({ length: count }, (_, id) => writer.removeLocation("u", String(id)))),
    answer: (count: number, syncMs: number, output: unknown = true) => {
      const results = Array.from({ length: count }, () => ({ output }));
      thread.emit("message", { kind: "batch", results, syncMs });
    },
  };
}

describe("the writer, after a slow sync", () => {
  it("waits for those that it has just answered, up to a bound, and lets an edge take all that waits along at once", async () => {
    const { writer, time, sizes, turn, post, answer } = await playedThread();
    const first = post(3);
    await turn();
    answer(3, 1_000);
    await first;
    const late: Promise<unknown>[] = [post(1)];
    await turn();
    expect(sizes, "one of three is back").to.deep.equal([3]);
    late.push(writer.ping());
    await turn();
    expect(sizes, "and an edge").to.deep.equal([3, 2]);
    answer(2, 1_000);
    await Promise.all(late);

    const alone = post(1);
    await turn();
    time.advance(24);
    expect(sizes, "just before the end of the wait").to.deep.equal([3, 2]);
    time.advance(1);
    expect(sizes, "no other came").to.deep.equal([3, 2, 1]);
    answer(1, 0);
    await alone;
  });

  it("sends one batch at a time", async () => {
    const { sizes, time, turn, post, answer } = await playedThread();
    const first = post(8);
    await turn();
    answer(8, 1_000);
    await first;
    const [second, third] = [post(8), post(8)];
    await turn();
    const fourth = post(100);
    await turn();
    expect(sizes).to.deep.equal([8, 16]);
    answer(16, 1_000);
    await Promise.all([second, third]);
    expect(sizes, "those that were answered may come back").to.deep.equal([8, 16]);
    time.advance(25);
    expect(sizes).to.deep.equal([8, 16, 100]);
    answer(100, 1_000);
    await fourth;
  });

  it("makes one commit of the posts of one turn: some of them would wait for the sync of the others", async () => {
    const { writer, sizes, turn, post, answer } = await playedThread();
    const first = post(1);
    await turn();
    answer(1, 20);
    await first;
    const sales = Array.from({ length: 5 }, () => writer.addRecord("u", newRecord(), null));
    await turn();
    expect(sizes).to.deep.equal([1, 5]);
    answer(5, 20, { recordId: 1, repeated: false });
    await Promise.all(sales);
  });
});

describe("the writer, after a quick sync", () => {
  it("takes half of all for a group, those that are on their way among them", async () => {
    const { sizes, turn, post, answer } = await playedThread();
    const first = post(20);
    await turn();
    const second = post(20);
    await turn();
    answer(20, 0.1);
    await first;
    const third = post(12);
    await turn();
    expect(sizes, "twelve of forty wait").to.deep.equal([20, 20]);
    answer(20, 0.1);
    await second;
    expect(sizes).to.deep.equal([20, 20, 12]);
    answer(12, 0.1);
    await third;
  });

  it("sends a second batch after the one on its way once eight writes wait, never a third, and answers each its own", async () => {
    const { sizes, turn, post, answer } = await playedThread();
    const first = post(1);
    await turn();
    answer(1, 0.1);
    await first;
    const [second, third] = [post(2), post(7)];
    await turn();
    expect(sizes).to.deep.equal([1, 9]);
    const fourth = post(7);
    await turn();
    expect(sizes, "seven wait").to.deep.equal([1, 9]);
    const fifth = post(1);
    await turn();
    expect(sizes, "eight wait").to.deep.equal([1, 9, 8]);
    const sixth = post(50);
    await turn();
    expect(sizes, "two are on their way").to.deep.equal([1, 9, 8]);
    answer(9, 0.1);
    await Promise.all([second, third]);
    expect(sizes).to.deep.equal([1, 9, 8, 50]);
    answer(8, 0.1);
    await Promise.all([fourth, fifth]);
    answer(50, 0.1);
    await sixth;
  });

  it("sends a group of posts before the main thread's turn ends, and never parts what else is written in one go", async () => {
    const { writer, sizes, turn, post, answer } = await playedThread();
    const sales = Array.from({ length: 10 }, () => writer.addRecord("u", newRecord(), null));
    expect(sizes, "eight are a group").to.deep.equal([8]);
    const notes = post(20);
    expect(sizes, "in the turn").to.deep.equal([8]);
    await turn();
    expect(sizes, "at its end").to.deep.equal([8, 22]);
    answer(8, 0.1, { recordId: 1, repeated: false });
    answer(22, 0.1, { recordId: 1, repeated: false });
    await Promise.all([...sales, notes]);
  });
});
