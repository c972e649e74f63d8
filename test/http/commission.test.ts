import { expect } from "chai";
import type { Commission, CommissionedRoom } from "../../src/contract/commission.ts";
import { monotonicMs } from "../../src/domain/clock.ts";
import type { LedgerWriter } from "../../src/domain/ledger.ts";
import { SILENT_MS } from "../../src/domain/verdict.ts";
import { systemTimers } from "../../src/platform/machine.ts";
import { Commissioning } from "../../src/service/commissioning.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { EventStream } from "../rig/event-stream.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { Turns } from "../rig/turns.ts";
import { until } from "../rig/until.ts";
import { aDevice, aWiring } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

const SIGNATURES = { technician: "Luis Pérez", clinic: "Ana Gil" };

describe("Commissioning", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  beforeEach(async () => {
    await user.post("/api/device", aDevice()).expect(200);
    for (const [line, actuatorId] of [
      ["SIM0", "101"],
      ["SIM1", "102"],
    ]) {
      await user
        .put("/api/wiring", aWiring({ line, actuatorId, valor: actuatorId === "101" ? 4.5 : 9 }))
        .expect(200);
    }
    appliance.lines.state = { ...appliance.lines.state, watched: ["SIM0", "SIM1"] };
    for (const line of ["SIM0", "SIM1"]) first(line);
  });
  afterEach(async () => {
    await user.delete("/api/commission").expect(200);
    for (const { line } of appliance.reader.wirings(user.id)) {
      await user.delete("/api/wiring", { line }).expect(200);
    }
  });

  it("lets other requests have their turn after the rooms of each device: an account may have 4,096", async () => {
    for (const dId of ["7235", "7236"]) await user.post("/api/device", aDevice({ dId })).expect(200);
    const turns = new Turns();
    const readAt: number[] = [];
    appliance.breaker.instead.set("commissionRooms", (deviceId: string) => {
      readAt.push(turns.count);
      return appliance.reader.commissionRooms(deviceId);
    });
    const { rooms } = await state();
    turns.end();
    appliance.breaker.instead.clear();
    expect(rooms.map(({ dId }) => dId)).to.deep.equal(["7234", "7234", "7235", "7235", "7236", "7236"]);
    expect(new Set(readAt).size).to.equal(3);
  });

  it("writes its report in parts, between which other requests have their turn", async () => {
    await begin().expect(200);
    const room = { active: false, withoutLine: false, wired: null, tick: null };
    const rooms = Array.from({ length: 1_600 }, (_, index) => ({ ...room, room: String(index) }));
    const turns = new Turns();
    let begunAt = 0;
    appliance.breaker.instead.set("commissionRooms", () => rooms);
    appliance.breaker.instead.set("chainHead", () => {
      begunAt = turns.count;
      return appliance.reader.chainHead();
    });
    let parts = 0;
    appliance.breaker.instead.set("endCommission", (...input: Parameters<LedgerWriter["endCommission"]>) => {
      parts = turns.count - begunAt;
      return appliance.writer.endCommission(...input);
    });
    await finish().expect(200);
    turns.end();
    appliance.breaker.instead.clear();
    expect(parts).to.be.at.least(4);
    expect((await user.data("/api/commission/report")).rooms).to.have.length(rooms.length);
  });

  const begin = (commission: object = {}) => user.put("/api/commission", { commission });
  const ask = (room: string) => user.put("/api/commission/room", { room: { dId: "7234", room } });
  const tick = (room: string) => user.put("/api/commission/tick", { tick: { dId: "7234", room } });
  /** Mends a room while its line gets another price, which the ledger's reads do not show yet. */
  async function mendWhilePriced(room: string): Promise<void> {
    const before = appliance.reader.wirings(user.id);
    await appliance.writer.setPrices(user.id, ["SIM0"], { valorMicros: 5_000_000, paidMinutes: null });
    appliance.breaker.instead.set("wirings", () => before);
    await mend(room).expect(200);
    appliance.breaker.instead.clear();
  }
  const mend = (room: string) => user.post("/api/commission/mend", { room: { dId: "7234", room } });
  const finish = () => user.post("/api/commission/report", { report: SIGNATURES });
  const state = async () => (await user.data("/api/commission")) as Commission;
  const shown = async (name: string) => {
    const found = (await state()).rooms.find(({ room }) => room === name);
    if (found === undefined) throw new Error(`There is no room ${name}.`);
    return found satisfies CommissionedRoom;
  };

  function first(line: string, active = false): void {
    appliance.lines.move({ line, active, atMs: nowMs(), missed: 0, isFirst: true });
  }

  function nowMs(): number {
    return monotonicMs(appliance.clock);
  }

  function aliveAt() {
    return { bootId: appliance.reader.lastAlive()?.bootId ?? "", monotonicMs: nowMs() };
  }

  /** The relay is switched on, or off; its contact comes to its level after so many edges, a millisecond apart. */
  function go(line: string, active: boolean, edges = 1, apartMs = 1): void {
    for (let left = edges; left > 0; left -= 1) {
      const level = left % 2 === 1 ? active : !active;
      appliance.lines.move({ line, active: level, atMs: nowMs(), missed: 0, isFirst: false });
      appliance.clock.pass(apartMs);
    }
    appliance.clock.pass(1_000);
  }

  function cycle(line: string, edges = 1, apartMs = 1): void {
    go(line, true, edges, apartMs);
    go(line, false);
  }

  async function begun(commission: object = {}): Promise<void> {
    await begin(commission).expect(200);
    for (const line of ["SIM0", "SIM1"]) first(line);
  }

  it("puts all wired lines under test, and says until when", async () => {
    const nothingWired = await appliance.addUser();
    await nothingWired.put("/api/commission", { commission: {} }).expect(409);
    expect(await state()).to.deep.include({ begunTime: null, untilTime: null, moved: [] });
    await begun({ minutes: 15 });
    const { begunTime, untilTime, rooms } = await state();
    expect(begunTime).to.equal(appliance.clock.nowMs());
    expect((untilTime ?? 0) - appliance.clock.nowMs()).to.be.within(15 * 60_000, 15 * 60_000 + 2);
    expect(rooms.map(({ room, isUnderTest }) => [room, isUnderTest])).to.deep.equal([
      ["101", true],
      ["102", true],
    ]);
    expect((await user.data("/api/status")).tests).to.have.length(2);
  });

  it("lasts two hours where nothing else is said, and at most eight", async () => {
    await begin().expect(200);
    const { untilTime } = await state();
    expect((untilTime ?? 0) - appliance.clock.nowMs()).to.be.within(120 * 60_000, 120 * 60_000 + 2);
    for (const minutes of [0, 481, 1.5]) await begin({ minutes }).expect(400);
  });

  it("keeps what its lines do in a list of its own, which is no record, and the status says so", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM0");
    await begin({ lines: ["SIM0", "SIM0"] }).expect(200);
    const { tests } = await user.data("/api/status");
    const [device] = appliance.reader.devices(user.id);
    const deviceId = device?.id;
    expect(tests).to.have.length(1);
    expect(tests[0]).to.deep.include({ line: "SIM0", deviceId, deviceName: "Pasillo A", room: "101" });
    await line.go(true);
    expect(await user.data("/api/commission/edge")).to.deep.equal([
      { line: "SIM0", deviceId, room: "101", time: line.timeMs, provisional: true },
    ]);
    expect(appliance.recordsOf(user.id)).to.deep.equal([]);
    await user.delete("/api/commission").expect(200);
    await line.go(false);
    await line.go(true);
    expect(appliance.recordsOf(user.id)).to.have.length(1);
  });

  it("knows by a line's first edge how it was before: a room that was on when it began is not inverted", async () => {
    await begin().expect(200);
    go("SIM0", false);
    cycle("SIM0");
    expect((await shown("101")).judgement).to.deep.include({ verdict: null });
    await ask("101").expect(200);
    cycle("SIM0");
    expect((await shown("101")).judgement.verdict).to.equal("good");
  });

  it("learns nothing more of a line that floats, until its room is asked for", async () => {
    await begun();
    await ask("101").expect(200);
    for (let edge = 0; edge <= 1_001; edge += 1) go("SIM0", edge % 2 === 0);
    const floating = (await shown("101")).judgement;
    expect(floating).to.include({ verdict: "floating" });
    cycle("SIM0");
    expect((await shown("101")).judgement).to.deep.equal(floating);
    await ask("101").expect(200);
    cycle("SIM0");
    expect((await shown("101")).judgement.verdict).to.equal("good");
  });

  it("says which line moved, proposes its room, and ticks it off with what was measured", async () => {
    await begun();
    await tick("101").expect(409);
    cycle("SIM0", 3, 4);
    const { moved, rooms } = await state();
    expect(moved[0]).to.deep.include({ line: "SIM0", level: false, time: appliance.clock.nowMs() - 1_001 });
    expect(moved[0]?.room).to.deep.equal({ dId: "7234", deviceName: "Pasillo A", room: "101" });
    const measured = { switchings: 2, edges: 4, mostEdges: 3, longestMs: 8, restHigh: false };
    const judgement = { verdict: "good", cause: null, mend: null, measured };
    expect(rooms[0]?.judgement).to.deep.equal(judgement);
    await tick("101").expect(200);
    expect((await shown("101")).tick).to.deep.equal({
      ...judgement,
      note: "",
      time: appliance.clock.nowMs(),
      provisional: false,
    });
  });

  it("proposes a debounce where the contact bounces longer, and the mended room waits to be switched again", async () => {
    await begun();
    cycle("SIM0", 5, 20);
    await tick("101").expect(200);
    const { judgement } = await shown("101");
    expect(judgement).to.deep.include({ verdict: "chattering", cause: "bounce" });
    expect(judgement.mend).to.deep.include({ setting: "debounce", line: "SIM0", debounceMs: 160 });
    await mendWhilePriced("101");
    const [wiring] = appliance.reader.wirings(user.id);
    expect(wiring).to.include({ debounceMs: 160, valorMicros: 5_000_000, bias: "pull-down" });
    expect((await shown("101")).tick).to.equal(null);
  });

  it("names a silent line once its room was asked for and nothing moved", async () => {
    await begun();
    await ask("101").expect(200);
    expect((await shown("101")).judgement.verdict).to.equal(null);
    appliance.clock.pass(SILENT_MS);
    expect(await shown("101")).to.deep.include({ isAsked: true });
    expect((await shown("101")).judgement).to.deep.include({
      verdict: "silent",
      cause: "no_signal",
      mend: null,
    });
    await mend("101").expect(409);
  });

  it("names two swapped lines and exchanges them: each room keeps its price", async () => {
    await begun();
    await ask("101").expect(200);
    cycle("SIM1");
    const { judgement } = await shown("101");
    expect(judgement).to.deep.include({ verdict: "swapped", cause: "other_line" });
    expect(judgement.mend).to.deep.include({ setting: "line", line: "SIM1" });
    await mendWhilePriced("101");
    const wirings = appliance.reader.wirings(user.id, NOON_MS);
    expect(wirings.map(({ line, actuatorId, valorMicros }) => [line, actuatorId, valorMicros])).to.deep.equal(
      [
        ["SIM0", "102", 9_000_000],
        ["SIM1", "101", 5_000_000],
      ],
    );
    expect((await user.data("/api/status")).tests).to.have.length(2);
    for (const line of ["SIM0", "SIM1"]) first(line);
    await ask("101").expect(200);
    cycle("SIM1");
    expect((await shown("101")).judgement.verdict).to.equal("good");
  });

  it("proposes a free line that moves when a room without a line is asked for, and wires it under test", async () => {
    await user.delete("/api/wiring", { line: "SIM1" }).expect(200);
    appliance.lines.level = false;
    await begun({ freeLines: ["SIM9"] });
    await ask("102").expect(200);
    // It is looked at now and then: each look shows the level of that moment.
    const proposed = async () => {
      appliance.lines.level = !appliance.lines.level;
      return (await shown("102")).judgement.mend !== null;
    };
    await until("the free line was seen to move", proposed);
    const { judgement } = await shown("102");
    expect(judgement).to.deep.include({ verdict: "unwired", cause: "no_line" });
    expect(judgement.mend).to.deep.include({ setting: "line", line: "SIM9" });
    await mend("102").expect(200);
    expect((await shown("102")).wired).to.deep.include({ line: "SIM9", debounceMs: 50 });
    const { tests } = await user.data("/api/status");
    expect(tests.map(({ line }: { line: string }) => line)).to.deep.equal(["SIM0", "SIM9"]);
  });

  it("takes a line that is wired meanwhile under test too", async () => {
    await user.delete("/api/wiring", { line: "SIM1" }).expect(200);
    await begun();
    await user.put("/api/wiring", aWiring({ line: "SIM4", actuatorId: "102" })).expect(200);
    await until("it is under test", async () => (await shown("102")).isUnderTest);
    go("SIM4", true);
    expect((await state()).moved[0]).to.include({ line: "SIM4", level: true });
  });

  it("stays ended where a line is wired in the moment of its end", async () => {
    await user.delete("/api/wiring", { line: "SIM1" }).expect(200);
    await begun();
    const [open, tests] = [appliance.reader.commissions(), appliance.reader.lineTests(aliveAt(), user.id)];
    // The end is asked for, and not seen yet.
    appliance.breaker.instead.set("commissions", () => open);
    appliance.breaker.instead.set("lineTests", () => tests);
    await user.delete("/api/commission").expect(200);
    await user.put("/api/wiring", aWiring({ line: "SIM4", actuatorId: "102" })).expect(200);
    await state();
    appliance.breaker.instead.clear();
    expect(appliance.reader.commissions()).to.deep.equal([]);
    expect(appliance.reader.lineTests(aliveAt(), user.id)).to.deep.equal([]);
  });

  it("begins no further test where a line's ends a moment after the others'", async () => {
    await begun({ minutes: 1 });
    const scope = { lines: null, freeLines: [] };
    await appliance.writer.beginCommission(user.id, scope, ["SIM1"], 60_500);
    appliance.clock.pass(60_100);
    await until("only the later one is under test", async () => {
      const { rooms } = await state();
      return rooms.filter(({ isUnderTest }) => isUnderTest).length < 2;
    });
    await appliance.writer.pauseCommission(user.id);
    const audit = await user.get("/api/audit").expect(200);
    const kinds = audit.body.data.slice(0, 3).map(({ kind }: { kind: string }) => kind);
    expect(kinds).to.deep.equal(["test_ended", "test_begun", "test_begun"]);
  });

  it("ends with a report, which the ledger keeps as an entry of its chain and which holds no money", async () => {
    await begun();
    const head = () => appliance.reader.chainHead();
    cycle("SIM0");
    await tick("101").expect(200);
    const before = head();
    const { number } = (await finish().expect(200)).body.data;
    const data = await user.data("/api/commission/report", { number });
    const report = data;
    expect(report).to.deep.include({ ...SIGNATURES, number, head: before, hash: head(), who: user.email });
    expect(report.counts).to.deep.equal({ rooms: 2, good: 1, attention: 0, untested: 1 });
    expect(report.rooms[0]).to.deep.include({ dId: "7234", room: "101" });
    expect(report.rooms[0].tick.verdict).to.equal("good");
    expect(report.rooms[1].tick).to.equal(null);
    expect(report.versions).to.include({ flanco: "0.0.0-test", node: process.versions.node });
    expect(JSON.stringify(report)).not.to.match(/valor|price|4\.5/);
    const reports = await user.get("/api/commission/reports").expect(200);
    expect(reports.body.data).to.deep.equal([
      { ...SIGNATURES, number, time: report.time, provisional: true, ...report.counts },
    ]);
    expect(await state()).to.deep.include({ begunTime: null, untilTime: null });
    expect((await user.data("/api/status")).tests).to.deep.equal([]);
    const audit = await user.get("/api/audit").expect(200);
    expect(audit.body.data[0]).to.deep.include({ kind: "commissioned" });
    expect(audit.body.data[0].details).not.to.have.property("report");
    await finish().expect(409);
  });

  it("tells open pages when something changes", async () => {
    const stream = await EventStream.open(user);
    await stream.next();
    await begin().expect(200);
    const kinds = [await stream.next(), await stream.next()].map((event) => event?.event);
    expect(kinds).to.have.members(["tests", "commission"]);
    first("SIM0");
    go("SIM0", true);
    expect(await stream.next()).to.include({ event: "commission" });
    stream.close();
  });

  it("goes on after its time when it is begun again: what was ticked off stays", async () => {
    await begun({ minutes: 1 });
    cycle("SIM0");
    await tick("101").expect(200);
    appliance.clock.pass(61_000);
    await ask("102").expect(409);
    expect(await state()).to.deep.include({ untilTime: null });
    await begun();
    expect((await shown("101")).tick?.verdict).to.equal("good");
    await ask("102").expect(200);
  });

  it("is paused: its lines sell again and live pages hear of it, and what was ticked off stays", async () => {
    await begun();
    cycle("SIM0");
    await tick("101").expect(200);
    const stream = await EventStream.open(user);
    await stream.next();
    await user.delete("/api/commission?pause=true").expect(200);
    let told = await stream.next();
    // The tick may be told of after the stream has begun.
    while (told?.event === "commission") told = await stream.next();
    expect(told).to.include({ event: "tests" });
    stream.close();
    expect((await user.data("/api/status")).tests).to.deep.equal([]);
    expect(await state()).to.deep.include({ untilTime: null });
    expect((await shown("101")).tick?.verdict).to.equal("good");
  });

  it("ends its test with the boot, and goes on when it is begun again: what was ticked off stays", async () => {
    await begun();
    cycle("SIM0");
    await tick("101").expect(200);
    const bootId = "after a power cut";
    const { clock, lines, log, reader, writer } = appliance;
    const trust = { trusted: () => true, trustedSinceMs: () => NOON_MS };
    const later = new Commissioning({
      ...{ clock, lines, log, reader, writer, trust, bootId },
      timers: systemTimers,
      tell: () => {},
    });
    await later.open();
    const { begunMs, untilMs, rooms } = await later.state(user.id);
    later.close();
    expect([begunMs === null, untilMs]).to.deep.equal([false, null]);
    expect(rooms.map(({ tick }) => tick?.verdict)).to.deep.equal(["good", undefined]);
    expect(reader.lineTests({ bootId, monotonicMs: 0 })).to.deep.equal([]);
  });
});
