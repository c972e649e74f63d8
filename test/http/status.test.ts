import { expect } from "chai";
import { HOUR_MS } from "../../src/domain/clock.ts";
import { UNKNOWN_MACHINE } from "../../src/domain/status.ts";
import { Appliance, BOOT_ID, NOON_MS, TIME_ZONE } from "../rig/appliance.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { aDevice, aRecord, aWiring } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

/** Rows that are read to count them. */
const MAX_COUNTED = 1_000;
const MANY = 3 * MAX_COUNTED;

describe("GET /status", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  const other = forEachTest(() => appliance.addUser());

  beforeEach(async () => {
    for (const { id } of [user, other]) await appliance.writer.addDevice(id, aDevice().newDevice);
  });

  async function status(by = user): Promise<Record<string, unknown>> {
    const response = await by.get("/api/status").expect(200);
    expect(response.body).to.have.all.keys("status", "data");
    return response.body.data;
  }

  async function codes(by = user): Promise<string[]> {
    return ((await status(by))["faults"] as { code: string }[]).map(({ code }) => code);
  }

  async function wire(line: string, actuatorId: string, by = user): Promise<void> {
    const body = aWiring({ line, actuatorId });
    await by.put("/api/wiring", body).expect(200);
  }

  it("says of a gateway that has just begun that nothing is wired, nothing sold, and nothing wrong", async () => {
    // That there is nothing else, the OpenAPI description holds every answer to.
    appliance.clock.pass(2_500);
    expect(await status()).to.deep.equal({
      version: "0.0.0-test",
      driver: "simulated",
      simulated: true,
      timeZone: TIME_ZONE,
      currency: { code: "EUR", decimals: 2 },
      startedMs: NOON_MS,
      uptimeMs: 2_500,
      clock: { nowMs: NOON_MS + 2_500, trusted: true, trustedSinceMs: NOON_MS, bootId: BOOT_ID },
      today: { day: "2026-03-11", sales: 0, revenue: 0 },
      linesWired: 0,
      linesWatched: 0,
      lineFailures: [],
      tests: [],
      lastEdges: [],
      gaps: { all: 0, last30Days: 0, swallowedLastDay: 0 },
      provisional: { waiting: 0, unplaced: 0 },
      queues: {
        writes: { waiting: 0, limit: 4_096 },
        edges: { waiting: 0, limit: 10_000, refused: false },
      },
      lastBackup: null,
      // In steps of a megabyte: the ledger is of all accounts.
      disk: { ...appliance.disk, ledgerBytes: 1_000_000 },
      machine: UNKNOWN_MACHINE,
      newerPackage: null,
      updates: null,
      sinks: [],
      gateway: { name: "clinica", hue: 160 },
      otherGateways: [],
      faults: [],
    });
  });

  it("tells of the machine, its free memory in steps: it is of all accounts", async () => {
    const memory = { availableBytes: 123_456_789, totalBytes: 512_000_000 };
    appliance.machine = { ...UNKNOWN_MACHINE, temperature: 48, memory, syncMs: 12, announcedName: "a.local" };
    appliance.clock.pass(60_000);
    await status();
    await until("the machine was looked at", async () => (await machine())["temperature"] === 48);
    const rounded = { ...memory, availableBytes: 120_000_000 };
    expect(await machine()).to.deep.equal({ ...appliance.machine, memory: rounded });
  });

  const machine = async () => (await status())["machine"] as Record<string, unknown>;

  it("adds up what its user sold on the whole local day, without void records", async () => {
    const post = (valor: number, createdTime: number, by = user) =>
      by.post("/api/data", aRecord({ valor, createdTime })).expect(201);
    const midnightMs = NOON_MS - 12 * HOUR_MS;
    await post(64, midnightMs - 1);
    await post(0.1, midnightMs);
    await post(0.2, NOON_MS);
    await post(32, midnightMs + 24 * HOUR_MS - 1);
    await post(128, midnightMs + 24 * HOUR_MS);
    await post(16, NOON_MS - 1);
    await post(8, NOON_MS, other);
    await appliance.voidNewest(user.id);
    expect((await status())["today"]).to.deep.equal({ day: "2026-03-11", sales: 3, revenue: 32.3 });
    expect((await status(other))["today"]).to.deep.include({ sales: 1, revenue: 8 });
    const all = (await appliance.status.status()).today;
    expect(all).to.deep.equal({ day: "2026-03-11", sales: 4, revenue: 40.3 });
  });

  it("tells the level that each wired line came to last, and when: a user's own alone", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM0");
    await wire("SIM1", "102");
    await wire("SIM2", "101", other);
    await line.go(true);
    const place = {
      deviceId: appliance.reader.devices(user.id)[0]?.id,
      dId: "7234",
      deviceName: "Pasillo A",
    };
    expect((await status())["lastEdges"]).to.deep.equal([
      { line: "SIM0", ...place, room: "101", active: true, timeMs: line.timeMs, provisional: false },
      { line: "SIM1", ...place, room: "102", active: null, timeMs: null, provisional: false },
    ]);
  });

  it("tells how far the queues are filled, in steps: what waits is of all accounts", async () => {
    const [writes, edges] = [
      { waiting: 205, limit: 4_096 },
      { waiting: 1_001, limit: 10_000, refused: false },
    ];
    appliance.queues = { writes, edges };
    expect((await status())["queues"]).to.deep.equal({
      writes: { ...writes, waiting: 200 },
      edges: { ...edges, waiting: 1_000 },
    });
  });

  it("tells of the last proven backup how old it is, and nothing of how much all accounts have sold", async () => {
    const proof = { records: 3, position: 4, head: "ab", clockTrusted: true };
    appliance.lastBackup = { madeMs: 1_000, provedMs: 2_000, ageMs: HOUR_MS, ...proof };
    expect((await status())["lastBackup"]).to.deep.equal({
      madeMs: 1_000,
      provedMs: 2_000,
      ageMs: HOUR_MS,
      clockTrusted: true,
    });
  });

  it("reports records that can never be placed, until they are voided", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM0");
    await line.go(true, 0, { provisional: true });
    expect((await status())["provisional"]).to.deep.equal({ waiting: 0, unplaced: 1 });
    expect(await codes()).to.deep.equal(["records_unplaced"]);
    expect(await codes(other)).to.deep.equal([]);
    await appliance.voidNewest(user.id);
    expect(await codes()).to.deep.equal([]);
  });

  it("counts lines that are wired and watched, and says what keeps one from it: a user's own alone", async () => {
    await wire("SIM0", "101");
    await wire("SIM1", "102");
    await wire("SIM2", "101", other);
    const failure = { line: "SIM1", message: 'The line SIM1 is held by "gpio-leds".' };
    const theirs = { line: "SIM2", message: "The line SIM2 is gone." };
    appliance.lines.state = { ...appliance.lines.state, watched: ["SIM0"], failures: [failure, theirs] };
    expect(await status()).to.include({ linesWired: 2, linesWatched: 1 });
    expect((await status())["lineFailures"]).to.deep.equal([failure]);
    const [fault, ...others] = (await status())["faults"] as object[];
    expect(others).to.deep.equal([]);
    const details = { line: "SIM1", reason: failure.message };
    expect(fault).to.deep.include({ code: "line_failed", sinceMs: NOON_MS, details });
    expect(await status(other)).to.include({ linesWired: 1, linesWatched: 0 });
    expect((await status(other))["lineFailures"]).to.deep.equal([theirs]);
  });

  it("counts the stretches in which edges were lost, a user's own alone, and tells of the last day's", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM0");
    await line.go(false, 2);
    await line.go(false, 4);
    const now = await status();
    expect(now["gaps"]).to.include({ all: 2, last30Days: 2 });
    const [lost] = now["faults"] as { code: string; details: object }[];
    expect(lost).to.deep.include({
      code: "edges_lost",
      details: { gaps: 2, edges: 6, sales: 3, lines: "SIM0" },
    });
    expect((await status(other))["gaps"]).to.include({ all: 0, last30Days: 0 });
    expect(await codes(other)).to.deep.equal([]);
    appliance.clock.pass(25 * HOUR_MS);
    // There is still no backup either, after a day.
    expect((await appliance.status.status(user.id)).faults.map(({ code }) => code)).to.deep.equal([
      "backup_missing",
    ]);
    appliance.clock.pass(30 * 24 * HOUR_MS);
    expect((await appliance.status.status(user.id)).gaps).to.include({ all: 2, last30Days: 0 });
    // They were stamped by a clock that was years ahead.
    appliance.clock.setWall(appliance.clock.nowMs() - 365 * 24 * HOUR_MS);
    expect((await appliance.status.status(user.id)).gaps).to.include({ all: 2, last30Days: 0 });
  });

  it("tells of a user's gaps and records without a time however many another one has", async () => {
    const own = await WiredLine.wire(appliance, user, "SIM0");
    await own.go(true, 2, { provisional: true });
    const theirs = await WiredLine.wire(appliance, other, "SIM1");
    await theirs.goOften(MAX_COUNTED, { missed: 1, provisional: true });
    expect((await status())["gaps"]).to.include({ all: 1, last30Days: 1 });
    expect((await status())["provisional"]).to.deep.equal({ waiting: 0, unplaced: 1 });
    expect(await codes()).to.include.members(["edges_lost", "records_unplaced"]);
  });

  it("reads at most a thousand rows of each list, so that it is cheap with long ones", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM0");
    await line.goOften(MANY, { missed: 1, provisional: true });
    const { gaps, provisional } = await appliance.status.status(user.id);
    expect(gaps.all).to.equal(MAX_COUNTED);
    expect(provisional.waiting + provisional.unplaced).to.equal(MAX_COUNTED);
  });
});
