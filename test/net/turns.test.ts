import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { Turns } from "../../src/net/turns.ts";
import { until } from "../rig/until.ts";

const ATTACKER = "192.0.2.66";
const TABLET = "192.0.2.20";

describe("Turns of addresses", () => {
  let nowMs: number;
  let turns: Turns;
  let done: string[];

  beforeEach(() => {
    nowMs = 0;
    turns = new Turns(() => nowMs);
    done = [];
  });

  /** Work of so many milliseconds, done in a promise as a request's is. */
  function begin(address: string, costMs: number): void {
    turns.begin(address, () => {
      void Promise.resolve().then(() => {
        nowMs += costMs;
        done.push(address);
      });
    });
  }

  it("are not waited for while there is little work", async () => {
    for (let count = 0; count < 4; count += 1) {
      begin(ATTACKER, 1);
      await Promise.resolve();
      expect(done).to.have.lengthOf(count + 1);
    }
  });

  it("come to an address with one request after one each of the others, however many those have", async () => {
    for (let count = 0; count < 100; count += 1) {
      for (let host = 0; host < 4; host += 1) begin(`10.0.0.${host}`, 4);
      await Promise.resolve();
    }
    const before = done.length;
    begin(TABLET, 1);
    await until("the tablet had its turn", () => done.includes(TABLET));
    expect(done.indexOf(TABLET) - before).to.be.at.most(2 * 4);
    await until("all is done", () => done.length === 401);
  });

  it("leave the event loop to others after some milliseconds", async () => {
    for (let count = 0; count < 40; count += 1) {
      begin(ATTACKER, 1);
      await Promise.resolve();
    }
    let most = 0;
    while (done.length < 40) {
      const before = done.length;
      await turn();
      most = Math.max(most, done.length - before);
    }
    expect(most).to.be.within(1, 5);
  });
});
