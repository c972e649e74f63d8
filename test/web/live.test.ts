import { expect } from "chai";
import { HOUR_MS } from "../../src/domain/clock.ts";
import { Freshness, Refresher } from "../../src/web/live/loading.ts";

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

  it("runs no more once closed, also when that happens during a load, until it is opened again", async () => {
    const hand = new HandLoad();
    const refresher = new Refresher(hand.load, 0);
    refresher.ask();
    refresher.ask();
    refresher.close();
    await hand.finish();
    refresher.ask();
    refresher.hurry();
    expect(hand.runs).to.equal(1);
    refresher.open();
    refresher.ask();
    expect(hand.runs).to.equal(2);
    refresher.close();
  });
});

describe("What was read before the stream of changes begins", () => {
  for (const [what, reads, lacks] of [
    ["nothing where all of it was read where the stream begins", ["a:5", "a:5"], false],
    ["nothing where nothing was read", [], false],
    ["a change where the last is older", ["a:5", "a:4"], true],
    ["a change where the first is older", ["a:4", "a:5"], true],
    ["a change where it is of another run", ["b:5"], true],
    ["a change where one does not say", ["a:5", null], true],
    ["a change where one did not come", [null, "a:5"], true],
    ["a change where it says nonsense", ["nonsense"], true],
  ] as const) {
    it(`may lack ${what}`, () => expect(begun(reads, "a:5")).to.equal(lacks));
  }

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
