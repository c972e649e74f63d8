import { expect } from "chai";
import { HOUR_MS } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { aDevice, aWiring } from "../http/bodies.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { change } from "../rig/ledger-file.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";

describe("The appliance's status", () => {
  const appliance = forEachTest(() => Appliance.open());

  const logNewFaults = () => appliance.status.logNewFaults();
  const status = () => appliance.status.status();

  beforeEach(async () => {
    const user = await appliance.addUser();
    await user.post("/api/device", aDevice()).expect(200);
    await user.put("/api/wiring", aWiring()).expect(200);
  });

  function fail(message?: string): void {
    const failures = message === undefined ? [] : [{ line: "SIM0", message }];
    appliance.lines.state = { ...appliance.lines.state, failures };
  }

  it("logs a fault once when it begins, and again when it returns", async () => {
    await logNewFaults();
    expect(appliance.log.warnings).to.deep.equal([]);
    fail("Held.");
    await logNewFaults();
    await logNewFaults();
    expect(appliance.log.warnings).to.have.length(1);
    expect(appliance.log.warnings[0]).to.contain("The line SIM0 is not watched");
    fail();
    await logNewFaults();
    fail("Held.");
    await logNewFaults();
    expect(appliance.log.warnings).to.have.length(2);
  });

  it("reports the beginning of a fault, and a new beginning when it returns", async () => {
    const sinceMs = async () => (await status()).faults[0]?.sinceMs;
    fail("Held.");
    expect(await sinceMs()).to.equal(NOON_MS);
    appliance.clock.pass(HOUR_MS);
    expect(await sinceMs()).to.equal(NOON_MS);
    fail();
    expect(await sinceMs()).to.equal(undefined);
    fail("Held.");
    expect(await sinceMs()).to.equal(NOON_MS + HOUR_MS);
  });

  it("reports the beginning of a fault by the right time, once the clock is set", async () => {
    appliance.clock.setWall(0);
    fail("Held.");
    await status();
    appliance.clock.pass(HOUR_MS);
    appliance.clock.setWall(NOON_MS);
    expect((await status()).faults[0]?.sinceMs).to.equal(NOON_MS - HOUR_MS);
  });

  it("adds today's sums up exactly, however large accounts make them", async () => {
    const most = 8_999_999_999_999_999_999n;
    for (const device of ["1", "2"]) {
      const row = `(SELECT user_id FROM account), 20260311, 'A', '${device}', 900000, ${most}`;
      change(appliance.ledgerFile, `INSERT INTO rollup_day SELECT ${row}`);
    }
    expect((await status()).today).to.include({ sales: 1_800_000, revenue: 18_000_000_000_000 });
  });

  it("reports every other fault where the ledger cannot be read", async () => {
    fail("Held.");
    appliance.breaker.failure = new FlancoError("unavailable", "SQLite cannot read it.");
    const { faults, today, lineFailures } = await status();
    expect(faults.map(({ code }) => code)).to.deep.equal(["line_failed", "ledger_unread"]);
    expect(faults[1]?.message).to.match(/cannot be read from the ledger: SQLite cannot read it/);
    expect({ today, lines: lineFailures.length }).to.deep.equal({ today: null, lines: 1 });
    await logNewFaults();
    expect(appliance.log.warnings).to.have.length(2);
  });

  it("asks a hanging disk once, and shows its last known state with everything else", async () => {
    let asked = 0;
    appliance.readDisk = () => {
      asked += 1;
      return new Promise(() => {});
    };
    void logNewFaults();
    await logNewFaults();
    await logNewFaults();
    expect(asked).to.equal(1);
    expect(await status()).to.deep.include({ disk: appliance.disk, linesWired: 1 });
  });

  it("reads the disk again after a while, and shows the new reading at the next question", async () => {
    const full = { ...appliance.disk, freeBytes: 1 };
    appliance.readDisk = async () => full;
    appliance.clock.pass(1_999);
    expect((await status()).disk).to.deep.equal(appliance.disk);
    await Promise.resolve();
    expect((await status()).disk, "not asked again so soon").to.deep.equal(appliance.disk);
    appliance.clock.pass(1);
    await status();
    await until("the new reading is told", async () => (await status()).disk?.freeBytes === 1);
    expect((await status()).faults.map(({ code }) => code)).to.deep.equal(["disk_low"]);
  });

  it("shows no disk once the disk cannot be read", async () => {
    appliance.readDisk = () => Promise.reject(new Error("EIO"));
    await logNewFaults();
    expect((await status()).disk).to.equal(null);
    expect(appliance.log.errors).to.have.length(1);
  });
});
