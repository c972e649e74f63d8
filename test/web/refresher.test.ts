import { expect } from "chai";
import { Refresher } from "../../src/web/live/refresher.ts";

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
    const refresher = new Refresher(hand.load, 3_600_000);
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
