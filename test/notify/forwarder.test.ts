import { expect } from "chai";
import { HOUR_MS, MINUTE_MS, SECOND_MS, VirtualTime } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import type { Sink, SinkName } from "../../src/domain/sink.ts";
import { type Feed, type FeedProgress, Forwarder } from "../../src/notify/forwarder.ts";
import { KeptLog } from "../http/fakes.ts";
import { codeOf } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";

/** Numbers from 1 on, one a batch. */
class FakeFeed implements Feed<number> {
  newest = 0;
  taken_ = 0;
  closed = false;
  /** Set for a feed of which a batch may be given up. */
  giveUp?: (batch: number) => void;

  async next(): Promise<number | undefined> {
    return this.taken_ < this.newest ? this.taken_ + 1 : undefined;
  }

  taken(batch: number): void {
    this.taken_ = batch;
  }

  progress(): FeedProgress {
    return { waiting: this.newest - this.taken_, deliveredMs: null, givenUp: 0 };
  }

  close(): void {
    this.closed = true;
  }
}

class FakeSink implements Sink<number> {
  readonly name: SinkName;
  readonly got: number[] = [];
  failure: Error | undefined;
  /** It never answers, not even when it is told to end. */
  hangs = false;
  closed = false;

  constructor(name: SinkName) {
    this.name = name;
  }

  async deliver(batch: number): Promise<void> {
    if (this.hangs) await new Promise(() => {});
    this.got.push(batch);
    if (this.failure !== undefined) throw this.failure;
  }

  async test(): Promise<string> {
    await this.deliver(0);
    return "a test was sent";
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/** Lets everything that is ready run. */
async function turn(): Promise<void> {
  for (let loops = 0; loops < 3; loops += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("the forwarder", () => {
  const time = forEachTest(() => new VirtualTime());
  const log = forEachTest(() => new KeptLog());
  const feed = forEachTest(() => new FakeFeed());
  const sink = forEachTest(() => new FakeSink("central"));
  const forwarder = forEachTest(() => {
    const made = new Forwarder({ clock: time, timers: time, log, random: () => 1 });
    made.add(feed, sink);
    return made;
  });

  /** Time passes, a second at a time. */
  async function pass(ms: number): Promise<void> {
    await turn();
    for (let passed = 0; passed < ms; passed += SECOND_MS) {
      time.advance(Math.min(SECOND_MS, ms - passed));
      await turn();
    }
  }

  const status = () => forwarder.status()[0];

  it("delivers what waits, one batch after the other, with a pause between them", async () => {
    feed.newest = 3;
    forwarder.open();
    await turn();
    expect(sink.got).to.deep.equal([1]);
    for (let batch = 0; batch < 2; batch += 1) await pass(100);
    expect(sink.got).to.deep.equal([1, 2, 3]);
    expect(status()).to.include({ waiting: 0, behindMs: 0, delivered: 3, failed: 0, failure: null });
  });

  it("delivers within two seconds what it is woken for, and within a minute what it is not", async () => {
    forwarder.open();
    await pass(SECOND_MS);
    feed.newest = 1;
    forwarder.apply([]);
    await pass(2 * SECOND_MS);
    expect(sink.got).to.deep.equal([1]);
    feed.newest = 2;
    await pass(MINUTE_MS);
    expect(sink.got).to.deep.equal([1, 2]);
  });

  it("tries again after growing pauses, at most five minutes apart, until the other side has it", async () => {
    feed.newest = 1;
    sink.failure = new FlancoError("unavailable", "The server refuses the password.", { hint: "Mend it." });
    forwarder.open();
    await pass(10 * SECOND_MS);
    expect(sink.got).to.have.length(4);
    expect(status()?.failure).to.deep.equal({
      message: "The server refuses the password.",
      hint: "Mend it.",
      sinceMs: 1_000,
      tries: 4,
    });
    expect(status()).to.include({ waiting: 1, behindMs: 10 * SECOND_MS, failed: 4 });
    await pass(2 * HOUR_MS);
    expect(sink.got).to.have.length.within(24, 34);
    sink.failure = undefined;
    await pass(5 * MINUTE_MS);
    expect(feed.progress().waiting).to.equal(0);
    expect(status()).to.include({ failure: null, behindMs: 0 });
  });

  it("does not hammer a failing other side because there is something new", async () => {
    feed.newest = 1;
    sink.failure = new Error("not one of ours");
    forwarder.open();
    await pass(100 * SECOND_MS);
    const tries = sink.got.length;
    for (let sale = 0; sale < 20; sale += 1) {
      forwarder.apply([]);
      await pass(SECOND_MS);
    }
    expect(sink.got.length - tries).to.be.at.most(1);
    expect(status()?.failure?.message).to.not.contain("not one of ours");
  });

  it("gives up a delivery that has no answer after half a minute", async () => {
    feed.newest = 1;
    sink.hangs = true;
    forwarder.open();
    await pass(30 * SECOND_MS);
    expect(status()?.failure?.message).to.contain("no answer within 30 s");
    sink.hangs = false;
    await pass(2 * SECOND_MS);
    expect(sink.got).to.deep.equal([1]);
  });

  it("gives up a notice after 20 refusals for good, says so, and goes on with the next one", async () => {
    const given: number[] = [];
    feed.giveUp = (batch) => {
      given.push(batch);
      feed.taken(batch);
    };
    feed.newest = 2;
    sink.failure = new FlancoError("unprocessable", "The receiver answers 400.");
    forwarder.open();
    await pass(50 * MINUTE_MS);
    expect(given).to.deep.equal([]);
    await pass(10 * MINUTE_MS);
    expect(given).to.deep.equal([1]);
    expect(log.errors.join()).to.contain("it is given up");
    sink.failure = undefined;
    await pass(5 * MINUTE_MS);
    expect(sink.got.at(-1)).to.equal(2);
    expect(status()?.failure).to.equal(null);
  });

  it("never leaves out an entry, however often it is refused, nor a notice for a failure that can be mended", async () => {
    feed.newest = 1;
    sink.failure = new FlancoError("unprocessable", "The receiver answers 400.");
    forwarder.open();
    await pass(3 * HOUR_MS);
    expect(feed.progress().waiting).to.equal(1);
    feed.giveUp = () => expect.fail("it was given up");
    sink.failure = new FlancoError("unavailable", "The receiver answers 404.");
    await pass(3 * HOUR_MS);
    expect(feed.progress().waiting).to.equal(1);
  });

  it("delays no sink by another one that fails or hangs", async () => {
    const other = new FakeSink("mqtt");
    const otherFeed = new FakeFeed();
    forwarder.add(otherFeed, other);
    otherFeed.newest = feed.newest = 5;
    sink.hangs = true;
    forwarder.open();
    await pass(5 * SECOND_MS);
    expect(other.got).to.have.length(5);
    expect(sink.got).to.have.length(0);
  });

  it("ends one sink while the others go on, and begins another at once", async () => {
    forwarder.open();
    feed.newest = 1;
    sink.hangs = true;
    await pass(SECOND_MS);
    const removed = forwarder.remove("central");
    await pass(2 * SECOND_MS);
    await removed;
    expect([feed.closed, feed.taken_]).to.deep.equal([true, 0]);
    expect(forwarder.status()).to.deep.equal([]);
    const next = new FakeSink("central");
    forwarder.add(feed, next);
    await pass(2 * SECOND_MS);
    expect(next.got).to.deep.equal([1]);
  });

  it("sends a test at once, one of a sink at a time, and says what came of it", async () => {
    forwarder.open();
    sink.hangs = true;
    const first = codeOf(() => forwarder.test("central"));
    expect(await codeOf(() => forwarder.test("central"))).to.equal("conflict");
    await pass(30 * SECOND_MS);
    expect(await first).to.equal("unavailable");
    sink.hangs = false;
    expect(await forwarder.test("central")).to.equal("a test was sent");
    expect(await codeOf(() => forwarder.test("email"))).to.equal("not_found");
    sink.failure = new FlancoError("unavailable", "The server refuses the password.");
    expect(await codeOf(() => forwarder.test("central"))).to.equal("unavailable");
    expect(status()?.failure, "a test is no delivery").to.equal(null);
  });

  it("ends within its bound, though a delivery hangs, and saves how far it came", async () => {
    feed.newest = 1;
    sink.hangs = true;
    forwarder.open();
    await turn();
    const closed = forwarder.close();
    await pass(2 * SECOND_MS);
    await closed;
    expect(feed.closed).to.equal(true);
    expect(time.pendingTimers).to.equal(0);
  });
});
