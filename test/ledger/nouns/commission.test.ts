import { expect } from "chai";
import { type Actor, networkActor, SERVICE_ACTOR } from "../../../src/domain/audit.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/clock.ts";
import { FlancoError } from "../../../src/domain/error.ts";
import type { Id } from "../../../src/domain/id.ts";
import type { Sighting } from "../../../src/domain/sale.ts";
import { LASTING_A_DAY, REPORTS_A_DAY } from "../../../src/ledger/nouns/audit.ts";
import { faultsOf, openFindings } from "../../../src/ledger/safety/verify.ts";
import { aSighting } from "../../domain/sighting.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { recordsOf } from "../records-of.ts";
import { newDevice, newWiring, TestLedger } from "../test-ledger.ts";

const LINE = "GPIO17";
const BEGUN_MS = 10 * MINUTE_MS;
const LIFE_MS = 30 * MINUTE_MS;
const REPORT = {
  technician: "Luis",
  clinic: "Ana",
  counts: { rooms: 1, good: 1, attention: 0, untested: 0 },
  locations: ["Clínica Norte"],
  text: JSON.stringify({ rooms: [{ room: "101", verdict: "good" }] }),
};

describe("A commissioning in the ledger", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let userId: Id;

  beforeEach(async () => {
    userId = (await ledger.wire(LINE)).user.id;
    await ledger.writer.noteBoot("boot", null);
  });

  async function report(): Promise<number> {
    await ledger.writer.beginCommission(userId, { lines: null, freeLines: [] }, [LINE], HOUR_MS);
    return (await ledger.writer.endCommission(userId, REPORT)) ?? 0;
  }

  it("keeps its report under the chain's hash: one that is altered is found by the full check", async () => {
    const number = await report();
    const stored = ledger.reader.acceptanceReport(userId, number);
    expect(stored).to.include({ text: REPORT.text, hash: ledger.reader.chainHead() });
    const findings = () => openFindings(ledger.verify());
    expect(findings()).to.deep.equal([]);
    await ledger.tamper((db) => {
      db.exec("UPDATE audit SET details = replace(details, 'good', 'bad_') WHERE kind = 'commissioned'");
    });
    expect(findings()).not.to.deep.equal([]);
  });

  it("ends with so many reports a day at most that they do not fill the disk, over the network", async () => {
    const by = networkActor("192.0.2.7", userId);
    const another = async (actor: Actor) => {
      await ledger.writer.beginCommission(userId, { lines: null, freeLines: ["GPIO9"] }, [], HOUR_MS, actor);
      return ledger.writer.endCommission(userId, REPORT, actor);
    };
    for (let made = 0; made < REPORTS_A_DAY; made += 1) await another(by);
    expect((await rejection(another(by))).code).to.equal("too_many");
    expect(await another(SERVICE_ACTOR)).to.be.a("number");
    ledger.monotonicMs += DAY_MS;
    expect(await another(by)).to.be.a("number");
  });

  it("ends the tests of its lines by one entry, which leaves the account its other changes of a day", async () => {
    const second = newWiring({ line: "GPIO27", actuatorId: "102" });
    await ledger.writer.setWiring([{ userId, wiring: second }]);
    const lines = [LINE, "GPIO27"];
    await ledger.writer.beginCommission(userId, { lines, freeLines: [] }, lines, HOUR_MS);
    await ledger.writer.endCommission(userId, null);
    const [ended, begun] = ledger.reader.audit({ userId, before: null, sinceMs: null, limit: 2 });
    expect([ended?.kind, begun?.kind]).to.deep.equal(["test_ended", "test_begun"]);
    expect(ended?.details).to.deep.equal({ lines: "GPIO17, GPIO27", rooms: "101, 102", edges: 0 });
  });

  it("is narrowed to other lines: those that it no longer is of sell again, by an entry of the chain", async () => {
    await ledger.writer.setWiring([{ userId, wiring: newWiring({ line: "GPIO27", actuatorId: "102" }) }]);
    await ledger.writer.beginCommission(userId, { lines: null, freeLines: [] }, [LINE, "GPIO27"], HOUR_MS);
    await ledger.writer.beginCommission(userId, { lines: ["GPIO27"], freeLines: [] }, ["GPIO27"], HOUR_MS);
    const now = { bootId: "boot", monotonicMs: ledger.monotonicMs };
    expect(ledger.reader.lineTests(now, userId).map(({ line }) => line)).to.deep.equal(["GPIO27"]);
    const [, ended] = ledger.reader.audit({ userId, before: null, sinceMs: null, limit: 2 });
    expect(ended).to.deep.include({ kind: "test_ended", details: { lines: LINE, rooms: "101", edges: 0 } });
  });

  it("takes a line under test that is wired meanwhile until the others' end, and none once they have ended", async () => {
    await ledger.writer.setWiring([{ userId, wiring: newWiring({ line: "GPIO27", actuatorId: "102" }) }]);
    await ledger.writer.beginCommission(userId, { lines: null, freeLines: [] }, [LINE], HOUR_MS);
    ledger.monotonicMs += 12_345;
    await ledger.writer.joinCommission(userId, ["GPIO27"]);
    const now = { bootId: "boot", monotonicMs: ledger.monotonicMs };
    const [first, second] = ledger.reader.lineTests(now, userId);
    expect(second?.remainingMs).to.equal(first?.remainingMs);
    await ledger.writer.endCommission(userId, null);
    await ledger.writer.joinCommission(userId, ["GPIO27"]);
    expect(ledger.reader.lineTests(now, userId)).to.deep.equal([]);
    expect(ledger.reader.commissions()).to.deep.equal([]);
  });

  for (const how of ["ended", "paused", "begun again for other lines", "begun again for all"] as const) {
    it(`is ${how}: a line that was unwired under test sells when it is wired again`, async () => {
      const second = newWiring({ line: "GPIO27", actuatorId: "102" });
      await ledger.writer.setWiring([{ userId, wiring: second }]);
      await ledger.writer.beginCommission(userId, { lines: null, freeLines: [] }, [LINE, "GPIO27"], HOUR_MS);
      await ledger.writer.removeWiring(userId, "GPIO27");
      if (how === "ended") await ledger.writer.endCommission(userId, null);
      else if (how === "paused") await ledger.writer.pauseCommission(userId);
      else {
        const lines = how === "begun again for all" ? null : [LINE];
        await ledger.writer.beginCommission(userId, { lines, freeLines: [] }, [LINE], MINUTE_MS);
      }
      await ledger.writer.setWiring([{ userId, wiring: second }]);
      const now = { bootId: "boot", monotonicMs: ledger.monotonicMs };
      const left = how === "ended" || how === "paused" ? [] : [LINE];
      expect(ledger.reader.lineTests(now, userId).map(({ line }) => line)).to.deep.equal(left);
    });
  }

  it("is begun for lines that are all the account's, or not at all", async () => {
    const scope = { lines: ["GPIO99"], freeLines: [] };
    const refused = await rejection(ledger.writer.beginCommission(userId, scope, ["GPIO99"], HOUR_MS));
    expect(refused).to.be.instanceOf(FlancoError);
    expect(ledger.reader.commissions()).to.deep.equal([]);
    expect(await ledger.writer.endCommission(userId, null)).to.equal(null);
  });

  it("is ended without a report where the account has made its changes of a day: its lines sell again", async () => {
    const by = networkActor("192.0.2.7", userId);
    await ledger.writer.beginCommission(userId, { lines: null, freeLines: [] }, [LINE], HOUR_MS, by);
    for (let turn = 1; turn < LASTING_A_DAY; turn += 1) {
      await ledger.writer.setWiring([{ userId, wiring: newWiring({ debounceMs: turn }) }], by);
    }
    expect((await rejection(ledger.writer.endCommission(userId, REPORT, by))).code).to.equal("too_many");
    await ledger.writer.endCommission(userId, null, by);
    const now = { bootId: "boot", monotonicMs: ledger.monotonicMs };
    expect(ledger.reader.lineTests(now, userId)).to.deep.equal([]);
  });
});

describe("a line under test", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let userId: string;
  let deviceId: string;
  let sequence: number;

  beforeEach(async () => {
    const wired = await ledger.wire(LINE);
    userId = wired.user.id;
    deviceId = wired.deviceId;
    sequence = 0;
    await ledger.writer.noteBoot("boot", null);
    await ledger.writer.takeIn([level(false, 0)]);
    ledger.monotonicMs = BEGUN_MS;
    await begin();
  });

  function begin(owner = userId, line = LINE): Promise<void> {
    return ledger.writer.beginCommission(owner, { lines: [line], freeLines: [] }, [line], LIFE_MS);
  }

  function level(active: boolean, monotonicMs: number, bootId = "boot"): Sighting {
    sequence += 1;
    return aSighting(active, sequence, {
      deviceId,
      timeMs: Math.round(ledger.nowMs + monotonicMs),
      monotonicNs: BigInt(Math.round(monotonicMs * 1e6)),
      source: { bootId, request: 1, sequence },
      provisional: true,
    });
  }

  /** The room is switched on and, a second later, off. */
  async function pulse(monotonicMs: number, bootId?: string) {
    const [taken] = await ledger.writer.takeIn([
      level(true, monotonicMs, bootId),
      level(false, monotonicMs + 1_000, bootId),
    ]);
    return taken?.meaning;
  }

  const sales = () => recordsOf(ledger.reader, userId).length;
  const underTest = (monotonicMs: number, bootId = "boot") =>
    ledger.reader.lineTests({ bootId, monotonicMs }, userId).map(({ line }) => line);

  it("sells nothing, and what it did is kept apart with its time", async () => {
    expect(await pulse(BEGUN_MS + 5_000)).to.equal("tested");
    expect(sales()).to.equal(0);
    expect(
      ledger.reader.overview(
        userId,
        { period: "week", at: null, filter: { location: null, deviceId: null, within: null } },
        ledger.nowMs,
      ).count,
    ).to.equal(0);
    const edges = ledger.reader.testedEdges(userId, 10);
    expect(edges).to.deep.equal([
      { line: LINE, deviceId, room: "101", timeMs: ledger.nowMs + BEGUN_MS + 5_000, provisional: true },
    ]);
    expect(faultsOf(ledger.verify())).to.deep.equal([]);
  });

  it("shows the room on and off all the same", async () => {
    await ledger.writer.takeIn([level(true, BEGUN_MS + 5_000)]);
    expect(ledger.reader.devices(userId)[0]?.actuators[0]?.value).to.equal(true);
  });

  const MOMENTS = [
    { when: "a moment before it began", atMs: BEGUN_MS - 0.5, meaning: "sale" },
    { when: "after it began", atMs: BEGUN_MS + 1, meaning: "tested" },
    { when: "just before its time is over", atMs: BEGUN_MS + LIFE_MS, meaning: "tested" },
    { when: "when its time is over", atMs: BEGUN_MS + LIFE_MS + 1, meaning: "sale" },
  ];
  for (const { when, atMs, meaning } of MOMENTS) {
    it(`is judged by the edge's own time: ${when}`, async () => {
      ledger.monotonicMs = BEGUN_MS + 2 * LIFE_MS;
      expect(await pulse(atMs)).to.equal(meaning);
    });
  }

  it("sells again when the test is ended, and an edge from before that is still no sale", async () => {
    ledger.monotonicMs = BEGUN_MS + MINUTE_MS;
    await ledger.writer.pauseCommission(userId);
    expect(await pulse(BEGUN_MS + 30_000)).to.equal("tested");
    expect(await pulse(BEGUN_MS + MINUTE_MS)).to.equal("sale");
    expect(underTest(BEGUN_MS + MINUTE_MS)).to.deep.equal([]);
  });

  it("counts a sale that began before the test, with its end", async () => {
    await ledger.writer.takeIn([level(true, BEGUN_MS - 1_000), level(false, BEGUN_MS + 1_000)]);
    expect(recordsOf(ledger.reader, userId)[0]?.endedTimeMs).to.equal(ledger.nowMs + BEGUN_MS + 1_000);
  });

  it("neither sells nor ends anything when what was switched on under test goes off after it", async () => {
    await ledger.writer.takeIn([level(true, BEGUN_MS + 1_000)]);
    ledger.monotonicMs = BEGUN_MS + MINUTE_MS;
    await ledger.writer.pauseCommission(userId);
    await ledger.writer.takeIn([level(false, BEGUN_MS + 2 * MINUTE_MS)]);
    expect(sales()).to.equal(0);
    expect(await pulse(BEGUN_MS + 3 * MINUTE_MS)).to.equal("sale");
  });

  it("stays under test over a restart of the process, and no longer than its time", async () => {
    await ledger.close();
    await ledger.open();
    await ledger.writer.noteBoot("boot", null);
    expect(underTest(BEGUN_MS + LIFE_MS)).to.deep.equal([LINE]);
    expect(await pulse(BEGUN_MS + LIFE_MS - MINUTE_MS)).to.equal("tested");
    expect(underTest(BEGUN_MS + LIFE_MS + 1)).to.deep.equal([]);
  });

  it("ends with its boot, whatever the clocks say: what is switched on after a power cut is a sale", async () => {
    await ledger.writer.takeIn([level(true, BEGUN_MS + 1_000)]);
    await ledger.writer.noteBoot("later", null);
    ledger.monotonicMs = 1_000;
    sequence = 0;
    expect(underTest(1_000, "later")).to.deep.equal([]);
    // It is still on, as the technician has left it, and then off and on again.
    const found = { ...level(true, 1_000, "later"), source: { bootId: "later", request: 1, sequence: 0 } };
    expect((await ledger.writer.takeIn([found]))[0]?.meaning).to.equal("nothing");
    await ledger.writer.takeIn([level(false, 1_500, "later")]);
    expect(await pulse(2_000, "later")).to.equal("sale");
    expect(sales()).to.equal(1);
    await ledger.writer.pauseCommission(userId);
    const [newest] = ledger.reader.audit({ userId, before: null, sinceMs: null, limit: 1 });
    expect(newest?.kind, "nothing was left to end").to.equal("test_begun");
    await begin();
    expect(await pulse(5_000, "later")).to.equal("tested");
  });

  it("is in the chain: by whom, which rooms, until when, and how often it was switched on", async () => {
    await pulse(BEGUN_MS + 5_000);
    await ledger.writer.pauseCommission(userId, networkActor("10.0.0.7", userId));
    const [ended, begun] = ledger.reader.audit({ userId, before: null, sinceMs: null, limit: 2 });
    expect(begun?.kind).to.equal("test_begun");
    expect(begun?.details).to.deep.equal({
      lines: LINE,
      rooms: "101",
      minutes: 30,
      untilMs: ledger.nowMs + LIFE_MS,
    });
    expect(ended).to.include({ kind: "test_ended", who: "ana@example.org", from: "10.0.0.7" });
    expect(ended?.details).to.deep.equal({ lines: LINE, rooms: "101", edges: 1 });
  });

  it("may be put under test again, for another time from then on", async () => {
    ledger.monotonicMs = BEGUN_MS + 20 * MINUTE_MS;
    await begin();
    expect(await pulse(BEGUN_MS + 15 * MINUTE_MS)).to.equal("tested");
    expect(await pulse(BEGUN_MS + 45 * MINUTE_MS)).to.equal("tested");
    expect(await pulse(BEGUN_MS + 51 * MINUTE_MS)).to.equal("sale");
  });

  it("is one that is wired to a room of the account", async () => {
    const other = await ledger.addUser("eva");
    for (const [owner, line] of [
      [userId, "GPIO4"],
      [other.id, LINE],
    ] as const) {
      const refused = await rejection(begin(owner, line));
      expect(refused.code).to.equal("not_found");
    }
    await ledger.writer.pauseCommission(other.id);
    expect(underTest(BEGUN_MS + MINUTE_MS)).to.deep.equal([LINE]);
  });

  it("is no test of the account that the line is wired to afterwards", async () => {
    await ledger.writer.removeWiring(userId, LINE);
    const other = await ledger.addUser("eva");
    deviceId = await ledger.writer.addDevice(other.id, newDevice({ dId: "1" }));
    await ledger.writer.setWiring([{ userId: other.id, wiring: newWiring({ dId: "1" }) }]);
    await ledger.writer.takeIn([
      { ...level(false, BEGUN_MS + 1_000), source: { bootId: "boot", request: 2, sequence: 0 } },
    ]);
    expect(await pulse(BEGUN_MS + 5_000)).to.equal("sale");
  });
});
