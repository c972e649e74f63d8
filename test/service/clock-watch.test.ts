import { expect } from "chai";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../src/domain/clock.ts";
import type { Id } from "../../src/domain/id.ts";
import type { ClockCorrected } from "../../src/domain/ledger.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import { verifyLedger } from "../../src/ledger/safety/verify.ts";
import { aSighting } from "../domain/sighting.ts";
import { Gateway, type GatewayOptions } from "../rig/gateway.ts";

/** Saturday 21 November 2026, 12:00 UTC. */
const NOON_MS = Date.UTC(2026, 10, 21, 12);
const YEAR_MS = 365 * DAY_MS;
const BELIEFS = [
  ["1970", 0],
  ["2038, past the 32 bits of a second", 2 ** 31 * 1000],
] as const;

describe("A clock that is wrong", () => {
  let gateway: Gateway;

  afterEach(() => gateway.remove());

  async function booted(wallMs: number, options: GatewayOptions = {}): Promise<void> {
    gateway = await Gateway.booted(NOON_MS, wallMs, options);
  }

  /** Throws unless every sale is in the ledger once, within a second of the truth, and the books agree with it. */
  function expectTruth(): void {
    const records = gateway.records();
    expect(records).to.have.lengthOf(gateway.truth.length);
    for (const [index, { atMs, endedMs }] of gateway.truth.entries()) {
      expect(records[index]?.createdTimeMs, `sale ${index}`).to.be.closeTo(atMs, SECOND_MS);
      if (endedMs !== null) expect(records[index]?.endedTimeMs).to.be.closeTo(endedMs, SECOND_MS);
      expect(records[index]?.provisional, `sale ${index} is provisional`).to.equal(false);
    }
    const year = gateway.reader.summary(gateway.user.id, "anual", gateway.machine.nowMs());
    expect(year?.count).to.equal(records.length);
    expectSound();
  }

  function expectSound(): void {
    const { findings, damage } = verifyLedger(gateway.file, () => {});
    expect({ findings, damage }).to.deep.equal({ findings: [], damage: [] });
  }

  /** Records without a trusted time, 1,000 at most. */
  function provisional() {
    const { bootId } = gateway.machine;
    return gateway.reader.ledgerStatus(bootId, gateway.machine.nowMs(), gateway.user.id).provisional;
  }

  /** The sales of which the status says that they have a wrong time. */
  function misplaced() {
    const { bootId } = gateway.machine;
    return gateway.reader.ledgerStatus(bootId, gateway.machine.nowMs()).troubles.misplaced;
  }

  /** Time entries of the chain, told after their commits. */
  function moves(): number {
    return gateway.changes.filter(({ kind }) => kind === "time").length;
  }

  async function correct(by: "zeroMs" | "setZeroMs" = "setZeroMs"): Promise<number> {
    let moved = 0;
    for (const boot of gateway.reader.reclocked()) {
      for (let after: number | null = 0; after !== null; ) {
        const step: ClockCorrected = await gateway.writer.correctClock(boot.bootId, boot[by], after);
        moved += step.moved;
        after = step.after;
      }
      gateway.corrected(boot.bootId, boot[by]);
    }
    return moved;
  }

  for (const [name, wallMs] of BELIEFS) {
    it(`of a boot in ${name} moves what was recorded once, when the network sets it`, async () => {
      await booted(wallMs);
      await gateway.sell();
      await gateway.sell();
      await gateway.switchOn();
      const [first] = gateway.records();
      expect(first?.provisional).to.equal(true);
      expect(first?.createdTimeMs).to.be.closeTo(wallMs, 60 * SECOND_MS);
      expect(gateway.reader.summary(gateway.user.id, "semanal", gateway.machine.nowMs())?.count).to.equal(3);
      expect(provisional()).to.deep.equal({ waiting: 3, unplaced: 0 });

      gateway.machine.pass(HOUR_MS);
      await gateway.setByNetwork();
      await gateway.switchOff();
      await gateway.sell();
      expectTruth();
      expect(moves()).to.equal(3);
      expect(provisional()).to.deep.equal({ waiting: 0, unplaced: 0 });

      await gateway.checkClock();
      await gateway.restart();
      await gateway.checkClock();
      expectTruth();
      expect(moves()).to.equal(3);
    });
  }

  for (const [name, jumpMs] of [
    ["a year on", YEAR_MS],
    ["a year back", -YEAR_MS],
  ] as const) {
    it(`that jumps ${name} before and after it is trusted loses nothing and moves nothing wrongly`, async () => {
      await booted(NOON_MS - 2 * YEAR_MS);
      await gateway.sell();
      gateway.machine.jump(jumpMs);
      await gateway.checkClock();
      await gateway.sell();
      await gateway.setByNetwork();
      await gateway.sell();
      expectTruth();

      gateway.machine.jump(jumpMs);
      await gateway.checkClock();
      await gateway.restart();
      await gateway.checkClock();
      gateway.machine.synchronize();
      await gateway.checkClock();
      expectTruth();
      expect(moves()).to.equal(2);
    });
  }

  describe("when it is first trusted", () => {
    const OFF_MS = 3 * HOUR_MS;

    /** Three sales by a clock that is three hours slow, and one after the network has set it. */
    beforeEach(async () => {
      await booted(NOON_MS - OFF_MS);
      await gateway.sell();
      gateway.machine.synchronized = true;
      await gateway.checkClock();
      await gateway.sell();
      await gateway.sell();
      gateway.machine.synchronize();
      await gateway.checkClock();
      await gateway.sell();
    });

    it("is known, over a restart and over another boot, with the sales that were recorded before", async () => {
      const three = { records: 3, seconds: OFF_MS / SECOND_MS };
      expect(misplaced()).to.deep.equal(three);
      await gateway.restart();
      await gateway.checkClock();
      expect(misplaced()).to.deep.equal(three);
      gateway.machine.boot(gateway.machine.trueMs);
      await gateway.restart();
      await gateway.setByNetwork();
      expect(misplaced()).to.deep.equal(three);
    });

    it("is corrected once, by entries of the ledger, and leaves what came later where it is", async () => {
      expect(moves(), "the first sale, which was provisional").to.equal(1);
      expect(await correct()).to.equal(3);
      expectTruth();
      expect(moves()).to.equal(4);
      expect(misplaced()).to.equal(null);
      await gateway.checkClock();
      await gateway.sell();
      await gateway.restart();
      await gateway.checkClock();
      expect([await correct(), moves(), misplaced()]).to.deep.equal([0, 4, null]);
      expectTruth();
    });

    it("is told to each account with the number of its own sales alone", async () => {
      await correct();
      const toldTo = (userId: Id) =>
        gateway.reader
          .audit({ userId, before: null, sinceMs: null, limit: 10 })
          .flatMap(({ kind, details }) => (kind === "clock_corrected" ? details["records"] : []));
      expect(toldTo(gateway.user.id)).to.deep.equal([3]);
      expect(toldTo("f".repeat(24))).to.deep.equal([]);
    });

    it("can be found right, and then what came later is moved, once", async () => {
      const [first, second, third] = gateway.records();
      gateway.machine.boot(NOON_MS);
      await gateway.restart();
      expect(
        gateway.reader.reclocked().map(({ before, since }) => [before.records, since.records]),
      ).to.deep.equal([[3, 1]]);
      expect(await correct("zeroMs")).to.equal(1);
      expect(misplaced()).to.equal(null);
      expect(gateway.records().slice(0, 3)).to.deep.equal([first, second, third]);
      expect(gateway.records()[3]?.createdTimeMs).to.be.closeTo(third?.createdTimeMs ?? 0, HOUR_MS / 2);
      expectSound();
    });

    it("is right again where the clock is set back, but for the sale in between", async () => {
      gateway.machine.jump(-OFF_MS);
      await gateway.checkClock();
      expect(misplaced()).to.deep.equal({ records: 1, seconds: OFF_MS / SECOND_MS });
    });
  });

  describe("when it is set wrong for a while after it is trusted", () => {
    beforeEach(async () => {
      await booted(0);
      await gateway.setByNetwork();
      await gateway.sell();
      gateway.machine.jump(-DAY_MS);
      await gateway.checkClock();
    });

    async function setBack(): Promise<void> {
      gateway.machine.jump(DAY_MS);
      await gateway.checkClock();
    }

    it("is no fault once it is set back, if nothing was sold in between", async () => {
      await setBack();
      expect([misplaced(), gateway.reader.reclocked()]).to.deep.equal([null, []]);
      await gateway.sell();
      expectTruth();
    });

    for (const by of ["zeroMs", "setZeroMs"] as const) {
      it(`stays known with the sales in between, over restarts, until they are moved by its ${by}`, async () => {
        await gateway.sell();
        await gateway.sell();
        await setBack();
        await gateway.sell();
        const two = { records: 2, seconds: DAY_MS / SECOND_MS };
        expect(misplaced()).to.deep.equal(two);
        await gateway.restart();
        await gateway.checkClock();
        expect(misplaced()).to.deep.equal(two);
        const spans = gateway.reader.reclocked().map(({ before, since }) => [before.byMs, since.byMs]);
        expect(spans[0]?.[0]).to.be.closeTo(DAY_MS, SECOND_MS);
        expect(spans[0]?.[1]).to.be.closeTo(DAY_MS, SECOND_MS);

        expect(await correct(by)).to.equal(2);
        expect(moves()).to.equal(2);
        expectTruth();
        await gateway.restart();
        await gateway.checkClock();
        expect([misplaced(), await correct(by)]).to.deep.equal([null, 0]);
      });
    }
  });

  it("is said to be set by the network where that is so, and nowhere else", async () => {
    await booted(NOON_MS);
    expect(gateway.trustedSinceMs()).to.equal(null);
    await gateway.setByNetwork();
    expect(gateway.trustedSinceMs()).to.be.closeTo(gateway.machine.nowMs(), SECOND_MS);
    await gateway.remove();
    await booted(NOON_MS, { keepsTime: true });
    expect(gateway.trustedSinceMs()).to.equal(null);
  });

  for (const [name, emptyMs] of [
    ["1970", 0],
    ["2000", Date.UTC(2000, 0, 1)],
  ] as const) {
    it(`is not trusted in ${name}, where its battery is empty, although the machine keeps its own time`, async () => {
      await booted(NOON_MS, { keepsTime: true });
      await gateway.sell();
      await gateway.reboot(HOUR_MS, emptyMs);
      await gateway.sell();
      await gateway.switchOn();
      expect(provisional()).to.deep.equal({ waiting: 2, unplaced: 0 });
      gateway.machine.synchronize();
      await gateway.checkClock();
      await gateway.switchOff();
      await gateway.sell();
      expectTruth();
      expect(moves()).to.equal(2);
      gateway.machine.jump(emptyMs - gateway.machine.nowMs());
      await gateway.checkClock();
      await gateway.sell();
      await gateway.restart();
      await gateway.sell();
      gateway.machine.synchronize();
      await gateway.checkClock();
      expectTruth();
      expect(moves()).to.equal(2);
    });
  }

  it("is trusted from the start by a process after, and what was left is moved then", async () => {
    await booted(0, { settling: false });
    await gateway.sell();
    await gateway.setByNetwork();
    await gateway.stop();
    const { machine, truth } = gateway;
    // Set wrongly meanwhile: what counts is the time at which it was trusted.
    machine.jump(YEAR_MS);
    machine.synchronized = false;
    gateway.settling = true;
    await gateway.start();
    await gateway.checkClock();
    machine.jump(-YEAR_MS);
    expect(truth).to.have.lengthOf(1);
    expectTruth();
    expect(moves()).to.equal(1);
  });

  it("moves each once when the process ends among them, over and over", async () => {
    await booted(0);
    await gateway.writer.takeIn(manySightings(1_200));
    const beganMs = gateway.machine.trueMs;
    gateway.machine.synchronize();
    const left: number[] = [];
    for (let waiting = 1_200; waiting > 0; left.push(waiting)) {
      gateway.glance();
      await gateway.restart();
      waiting = provisional().waiting;
    }
    expect(left.some((waiting) => waiting > 0 && waiting < 1_000)).to.equal(true, `left: ${left}`);
    expect(moves()).to.equal(1_200);
    for (const [index, { createdTimeMs }] of gateway.records().entries()) {
      expect(createdTimeMs).to.be.closeTo(beganMs + index, SECOND_MS);
    }
    expectSound();
  });

  it("places what was seen before it was trusted and comes to the ledger after", async () => {
    await booted(0);
    const [sighting] = manySightings(1);
    gateway.machine.pass(HOUR_MS);
    await gateway.setByNetwork();
    if (sighting !== undefined) await gateway.writer.takeIn([sighting]);
    const [record] = gateway.records();
    expect(record?.provisional).to.equal(false);
    expect(record?.createdTimeMs).to.be.closeTo(gateway.machine.trueMs - HOUR_MS, 20 * SECOND_MS);
    expect(moves()).to.equal(0);
    expectSound();
  });

  it("leaves the records of a boot that ended before it was set where they are, and says so", async () => {
    await booted(0);
    await gateway.sell();
    await gateway.reboot(DAY_MS, 0);
    await gateway.sell();
    await gateway.setByNetwork();
    const [lost, placed] = gateway.records();
    expect(lost).to.include({ provisional: true });
    expect(lost?.createdTimeMs).to.be.lessThan(HOUR_MS);
    expect(placed?.provisional).to.equal(false);
    expect(provisional()).to.deep.equal({ waiting: 0, unplaced: 1 });
    expectSound();
  });

  /** Pulses of the wired line, a millisecond apart, as a process before saw them with a clock that was not trusted. */
  function manySightings(count: number): Sighting[] {
    const [wiring] = gateway.reader.wirings();
    const nowMs = gateway.machine.nowMs();
    return Array.from({ length: count * 2 }, (_, index) =>
      aSighting(index % 2 === 0, index + 1, {
        line: wiring?.line ?? "",
        deviceId: wiring?.deviceId ?? "",
        timeMs: nowMs,
        monotonicNs: gateway.machine.monotonicNs() + BigInt(index) * 500_000n,
        source: { bootId: gateway.machine.bootId, request: 1_000, sequence: index + 1 },
        provisional: true,
      }),
    );
  }
});
