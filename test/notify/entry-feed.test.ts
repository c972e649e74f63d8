import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { HOUR_MS, MINUTE_MS, SECOND_MS, VirtualTime } from "../../src/domain/clock.ts";
import type { EntryBatch } from "../../src/domain/sink.ts";
import { EntryFeed, type ForwardedChain } from "../../src/notify/entry-feed.ts";
import { Forwarder } from "../../src/notify/forwarder.ts";
import { KeptLog, SetClock } from "../http/fakes.ts";
import { newRecord, TestLedger } from "../ledger/test-ledger.ts";
import { thrown } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

describe("the chain as a sink gets it", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  const clock = forEachTest(() => new SetClock(ledger.nowMs));
  let asked: number[];

  beforeEach(() => {
    asked = [];
  });

  /** A process that begins. */
  function opened(beginsNow = false): EntryFeed {
    const settled = async () => {
      asked.push(ledger.reader.newestEntry());
      await ledger.writer.ping();
    };
    const file = `${ledger.directory}/forward/central.json`;
    const feed = new EntryFeed({ chain: ledger.reader, settled, file, clock, beginsNow });
    feed.load();
    return feed;
  }

  async function sell(count: number): Promise<void> {
    const [user = await ledger.addUser()] = ledger.reader.members();
    const one = () => ledger.writer.addRecord(user.userId, newRecord(), null);
    await Promise.all(Array.from({ length: count }, one));
  }

  async function next(feed: EntryFeed): Promise<EntryBatch> {
    const batch = await feed.next();
    if (batch === undefined) throw new Error("nothing waits");
    return batch;
  }

  /** Takes all that waits; gives the numbers of the entries. */
  async function drain(feed: EntryFeed): Promise<number[]> {
    const positions: number[] = [];
    for (let batch = await feed.next(); batch !== undefined; batch = await feed.next()) {
      positions.push(...batch.entries.map(({ position }) => position));
      feed.taken(batch, null);
    }
    return positions;
  }

  const from = (first: number) =>
    Array.from({ length: ledger.reader.newestEntry() - first + 1 }, (_, index) => first + index);

  it("is every entry once, in batches of bounded size, and then what is new", async () => {
    await sell(450);
    const feed = opened();
    const first = await next(feed);
    expect(first.entries).to.have.length(200);
    expect(first.waiting).to.equal(ledger.reader.newestEntry() - 200);
    expect(await drain(feed)).to.deep.equal(from(1));
    await sell(2);
    expect(await drain(feed)).to.deep.equal(from(ledger.reader.newestEntry() - 1));
  });

  it("begins with what is new for a sink that asks for that, once: what then waits is kept over restarts", async () => {
    await sell(3);
    opened(true);
    await sell(2);
    const after = opened(true);
    expect(await drain(after)).to.deep.equal(from(ledger.reader.newestEntry() - 1));
  });

  it("begins with the first sale for such a sink on a gateway that has sold nothing", async () => {
    const feed = opened(true);
    await sell(2);
    expect(await drain(feed)).to.deep.equal(from(1));
  });

  it("comes in smaller batches over a way so slow that a full one is not there in time", async () => {
    await sell(450);
    const time = new VirtualTime();
    const forwarder = new Forwarder({ clock: time, timers: time, log: new KeptLog(), random: () => 1 });
    const sizes: number[] = [];
    const feed = opened();
    forwarder.add(feed, {
      name: "mqtt",
      deliver: ({ entries }) => {
        sizes.push(entries.length);
        return new Promise((resolve) => time.after(entries.length * SECOND_MS, () => resolve(null)));
      },
      test: async () => "",
      close: async () => {},
    });
    forwarder.open();
    for (let seconds = 0; feed.progress().waiting > 0 && seconds < HOUR_MS / SECOND_MS; seconds += 1) {
      await ledger.writer.ping();
      await new Promise((resolve) => setImmediate(resolve));
      time.advance(SECOND_MS);
    }
    expect(feed.progress().waiting).to.equal(0);
    expect(sizes.slice(0, 4)).to.deep.equal([200, 100, 50, 25]);
    await forwarder.close();
  });

  it("waits until what it saw is durable", async () => {
    await sell(1);
    const newest = ledger.reader.newestEntry();
    const feed = opened();
    const reading = feed.next();
    await sell(1);
    expect((await reading)?.entries.at(-1)?.position).to.equal(newest);
    expect(asked).to.deep.equal([newest]);
  });

  it("is sent again where the other side's answer is not known", async () => {
    await sell(2);
    const feed = opened();
    const batch = await next(feed);
    expect(await next(feed)).to.deep.equal(batch);
  });

  it("goes on after the last saved entry when the process ends, and after a crash repeats a few", async () => {
    await sell(3);
    const feed = opened();
    await drain(feed);
    feed.close();
    await sell(2);
    const after = opened();
    expect(await drain(after)).to.have.length(2);
    await sell(2);
    await drain(after);
    expect(await drain(opened()), "not saved before the crash").to.have.length(2);
    clock.pass(MINUTE_MS);
    await drain(after);
    expect(await drain(opened())).to.deep.equal([]);
  });

  it("goes back with an other side that has lost entries, and forward with one that has more", async () => {
    await sell(20);
    const feed = opened();
    await drain(feed);
    await sell(1);
    const place = (position: number) => ({ position, hash: ledger.reader.entryHash(position) ?? "" });
    feed.taken(await next(feed), place(5));
    expect((await next(feed)).entries[0]?.position).to.equal(6);
    feed.taken(await next(feed), place(ledger.reader.newestEntry()));
    expect(await feed.next()).to.equal(undefined);
  });

  it("fails, and stays where it is, with an other side that takes nothing or holds another chain", async () => {
    await sell(3);
    const feed = opened();
    const batch = await next(feed);
    const nothing = { position: 0, hash: ledger.reader.entryHash(0) ?? "" };
    expect(thrown(() => feed.taken(batch, nothing)).message).to.contain("took no entry after 0");
    const other = { position: 2, hash: "f".repeat(64) };
    expect(thrown(() => feed.taken(batch, other)).code).to.equal("conflict");
    expect(feed.progress().waiting).to.equal(ledger.reader.newestEntry());
    expect(await next(feed)).to.deep.equal(batch);
  });
});

const LEDGER = "0a".repeat(16);

/** The hash of an entry of a branch of the chain. */
function hashOf(position: number, branch = "0"): string {
  return `${branch}${position.toString(16)}`.padStart(64, "0");
}

/** A chain with entries of one branch up to a place, and of another after it. */
function chain(newest: number, { branchedAt = newest, ledger = LEDGER } = {}): ForwardedChain {
  return {
    ledgerIds: () => [ledger],
    newestEntry: () => newest,
    entriesAfter: () => [],
    entryHash: (position) =>
      position > newest ? undefined : hashOf(position, position > branchedAt ? "f" : "0"),
  };
}

describe("a sink's cursor", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  const file = () => directory.file("forward", "central.json");

  /** A process that begins, and its time. */
  function opened(over: ForwardedChain, nowMs = 0): EntryFeed {
    const clock = new SetClock(nowMs);
    const feed = new EntryFeed({ chain: over, settled: async () => {}, file: file(), clock });
    feed.load();
    return feed;
  }

  /** The entry up to which the sink has that chain. */
  const placeIn = (over: ForwardedChain) => over.newestEntry() - opened(over).progress().waiting;

  function move(feed: EntryFeed, position: number): void {
    const batch = { ledger: LEDGER, entries: [], waiting: 0 };
    feed.taken(batch, { position, hash: hashOf(position) });
  }

  function moved(upTo: number): void {
    const feed = opened(chain(upTo), 100);
    for (let position = 1; position <= upTo; position += 1) move(feed, position);
    feed.close();
  }

  it("begins before the first entry, and continues where it was saved", () => {
    expect(placeIn(chain(7))).to.equal(0);
    moved(100);
    expect(placeIn(chain(200))).to.equal(100);
    expect(opened(chain(200)).progress().deliveredMs).to.equal(100);
  });

  it("goes back to the last entry in common with a restored ledger, or a few before it", () => {
    moved(5_000);
    for (const branchedAt of [4_999, 4_900, 4_000, 1_000]) {
      const position = placeIn(chain(6_000, { branchedAt }));
      expect(position, `branched at ${branchedAt}`).to.be.at.most(branchedAt);
      expect(5_000 - position, `branched at ${branchedAt}`).to.be.at.most(4 * (5_000 - branchedAt) + 1);
    }
  });

  it("stays in a file of bounded size", () => {
    moved(5_000);
    expect(readFileSync(file()).length).to.be.below(5_000);
  });

  it("begins anew for a ledger of another identity, though its entries are the same", () => {
    moved(100);
    expect(placeIn(chain(200, { ledger: "0b".repeat(16) }))).to.equal(0);
  });

  it("begins anew where its file cannot be read", () => {
    moved(100);
    writeFileSync(file(), '{"marks":');
    expect(placeIn(chain(200))).to.equal(0);
  });

  it("moves back with the other side", () => {
    moved(100);
    const feed = opened(chain(200));
    move(feed, 40);
    feed.close();
    expect(placeIn(chain(200))).to.equal(40);
    expect(placeIn(chain(200, { branchedAt: 10 }))).to.be.within(0, 10);
  });
});
