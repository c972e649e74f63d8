import { expect } from "chai";
import { HOUR_MS } from "../../src/domain/clock.ts";
import { Freshness } from "../../src/web/live/freshness.ts";
import { Refresher } from "../../src/web/live/loading.ts";

/** A load that is finished by hand, one call at a time. */
class HandLoad {
  runs = 0;
  #finish: (() => void) | undefined;
  #started = Promise.withResolvers<void>();

  readonly load = (): Promise<void> => {
    this.runs += 1;
    this.#started.resolve();
    return new Promise((resolve) => {
      this.#finish = resolve;
    });
  };

  /** Finishes the load that runs. */
  async finish(): Promise<void> {
    this.#finish?.();
    // What follows a finished load follows in the same turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Finishes the load that runs, and waits for the next one to start. */
  async finishAndAwaitNext(): Promise<void> {
    this.#started = Promise.withResolvers<void>();
    this.#finish?.();
    await this.#started.promise;
  }
}

describe("A refresher", () => {
  it("runs one load at a time, and once more for all that was asked meanwhile", async () => {
    const hand = new HandLoad();
    const refresher = new Refresher(hand.load, 0);
    refresher.ask();
    refresher.ask();
    refresher.ask();
    expect(hand.runs).to.equal(1);
    await hand.finishAndAwaitNext();
    expect(hand.runs).to.equal(2);
    refresher.ask();
    await hand.finishAndAwaitNext();
    expect(hand.runs).to.equal(3);
    refresher.close();
  });

  it("rests between two loads, but not for a person who waits", async () => {
    const hand = new HandLoad();
    const refresher = new Refresher(hand.load, HOUR_MS);
    refresher.ask();
    await hand.finish();
    refresher.ask();
    expect(hand.runs).to.equal(1);
    refresher.hurry();
    expect(hand.runs).to.equal(2);
    refresher.hurry();
    expect(hand.runs).to.equal(2);
    refresher.close();
  });

  it("runs no more once closed, also when that happens during a load", async () => {
    const hand = new HandLoad();
    const refresher = new Refresher(hand.load, 0);
    refresher.ask();
    refresher.ask();
    refresher.close();
    await hand.finish();
    refresher.ask();
    refresher.hurry();
    expect(hand.runs).to.equal(1);
  });
});

describe("What was read before the stream of changes begins", () => {
  it("lacks nothing when all of it was read where the stream begins, or when it was nothing", () => {
    expect(begun(["a:5", "a:5"], "a:5")).to.equal(false);
    expect(begun([], "a:5")).to.equal(false);
  });

  it("may lack a change when one of it is older, is of another run, does not say, or did not come", () => {
    expect(begun(["a:5", "a:4"], "a:5")).to.equal(true);
    expect(begun(["a:4", "a:5"], "a:5")).to.equal(true);
    expect(begun(["b:5"], "a:5")).to.equal(true);
    expect(begun(["a:5", null], "a:5")).to.equal(true);
    expect(begun([null, "a:5"], "a:5")).to.equal(true);
    expect(begun(["nonsense"], "a:5")).to.equal(true);
  });

  it("may lack one when it comes after the stream has begun, and was read before", () => {
    const freshness = new Freshness();
    freshness.onStream("a:5");
    expect(freshness.onRead("a:4")).to.equal(true);
    expect(freshness.onRead("a:5")).to.equal(false);
    expect(freshness.onRead("a:9")).to.equal(false);
    expect(freshness.onRead("b:1")).to.equal(false);
    expect(freshness.onRead(null)).to.equal(false);
  });

  it("may always lack one when the stream begins again: what was asked for anew may never have come", () => {
    const freshness = new Freshness();
    freshness.onRead("a:5");
    expect(freshness.onStream("a:5")).to.equal(false);
    expect(freshness.onStream("a:5")).to.equal(true);
    expect(freshness.onStream("b:1")).to.equal(true);
  });
});

function begun(reads: readonly (string | null)[], at: string): boolean {
  const freshness = new Freshness();
  for (const read of reads) expect(freshness.onRead(read)).to.equal(false);
  return freshness.onStream(at);
}
