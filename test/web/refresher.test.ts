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

  it("runs no more once closed", () => {
    const hand = new HandLoad();
    const refresher = new Refresher(hand.load, 0);
    refresher.close();
    refresher.ask();
    expect(hand.runs).to.equal(0);
  });
});
