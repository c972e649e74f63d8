import { expect } from "chai";
import { networkActor } from "../../../src/domain/audit.ts";
import { MINUTE_MS } from "../../../src/domain/clock.ts";
import type { Sighting } from "../../../src/domain/sale.ts";
import { faultsOf } from "../../../src/ledger/safety/verify.ts";
import { aSighting } from "../../domain/sighting.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { recordsOf } from "../records-of.ts";
import { newDevice, newWiring, TestLedger } from "../test-ledger.ts";

const LINE = "GPIO17";
const BEGUN_MS = 10 * MINUTE_MS;
const LIFE_MS = 30 * MINUTE_MS;

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
    await ledger.writer.beginTest(userId, [LINE], LIFE_MS);
  });

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
        { period: "week", at: null, filter: { location: null, deviceId: null } },
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
    await ledger.writer.endTest(userId, null);
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
    await ledger.writer.endTest(userId, [LINE]);
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
    await ledger.writer.endTest(userId, null);
    const [newest] = ledger.reader.audit({ userId, before: null, sinceMs: null, limit: 1 });
    expect(newest?.kind, "nothing was left to end").to.equal("test_begun");
    await ledger.writer.beginTest(userId, [LINE], LIFE_MS);
    expect(await pulse(5_000, "later")).to.equal("tested");
  });

  it("is in the chain: by whom, which rooms, until when, and how often it was switched on", async () => {
    await pulse(BEGUN_MS + 5_000);
    await ledger.writer.endTest(userId, null, networkActor("10.0.0.7", userId));
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
    await ledger.writer.beginTest(userId, [LINE], LIFE_MS);
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
      const refused = await rejection(ledger.writer.beginTest(owner, [line], LIFE_MS));
      expect(refused.code).to.equal("not_found");
    }
    await ledger.writer.endTest(other.id, null);
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
