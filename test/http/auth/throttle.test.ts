import { expect } from "chai";
import { Throttle } from "../../../src/http/auth/sign-in-gate.ts";
import { NOON_MS } from "../../rig/appliance.ts";
import { forEachTest } from "../../rig/standing.ts";
import { SetClock } from "../fakes.ts";

const KEY = "192.168.1.20";

describe("A throttle's failures", () => {
  const clock = forEachTest(() => new SetClock(NOON_MS));
  const throttle = forEachTest(() => new Throttle(clock, 5));

  /** Failures without time between them. */
  function fail(count: number, isFree = true): void {
    for (let done = 0; done < count; done += 1) throttle.fail(KEY, isFree);
  }

  it("cause a delay of a second with the fifth, then twice as long with each, up to a minute", () => {
    fail(5);
    const waits: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      waits.push(throttle.waitMs(KEY));
      clock.pass(throttle.waitMs(KEY));
      expect(throttle.waitMs(KEY)).to.equal(0);
      fail(1);
    }
    expect(waits).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    fail(2_000);
    expect(throttle.waitMs(KEY)).to.equal(60_000);
  });

  it("are forgotten after a minute without a delay", () => {
    fail(4);
    clock.pass(60_000);
    fail(4);
    expect(throttle.waitMs(KEY)).to.equal(0);
  });

  it("that caused a delay are forgotten after ten minutes, and not before", () => {
    fail(5);
    clock.pass(599_999);
    expect(throttle.hasFree(KEY)).to.equal(false);
    clock.pass(1);
    expect(throttle.hasFree(KEY)).to.equal(true);
  });

  it("cause a delay from the first where none is free", () => {
    fail(1, false);
    expect(throttle.waitMs(KEY)).to.equal(1_000);
  });

  it("use monotonic time: setting the wall clock by years neither ends nor prolongs a delay", () => {
    fail(5);
    for (const years of [-30, 30]) {
      clock.setWall(NOON_MS + years * 31_536_000_000);
      expect(throttle.waitMs(KEY)).to.equal(1_000);
    }
    clock.advanceMonotonic(1_000);
    expect(throttle.waitMs(KEY)).to.equal(0);
  });

  it("are kept for 4,096 keys: the key whose last failure is oldest is forgotten first", () => {
    fail(5);
    throttle.fail("the next", true);
    for (let count = 0; count < 4_095; count += 1) throttle.fail(`key ${count}`, true);
    expect(throttle.waitMs(KEY)).to.equal(0);
    expect(throttle.hasFree(KEY)).to.equal(true);
    expect(throttle.hasFree("the next")).to.equal(true);
  });
});
