import { expect } from "chai";
import { HOUR_MS } from "../../src/domain/clock.ts";
import type { LineFailure, LinesStatus } from "../../src/domain/line.ts";
import type { LedgerStatus } from "../../src/domain/status.ts";
import { type Disk, UNKNOWN_MACHINE } from "../../src/domain/status.ts";
import { StatusReport } from "../../src/service/status-report.ts";
import { KeptLog, SetClock } from "../http/fakes.ts";
import { until } from "../rig/until.ts";

const START_MS = Date.UTC(2026, 2, 11, 11);
const ROOMY: Disk = {
  freeBytes: 8_000_000_000,
  totalBytes: 16_000_000_000,
  ledgerBytes: 1,
  logBytes: 0,
  card: null,
};
const FAILURE: LineFailure = { line: "L", message: "Held." };
const EMPTY: Omit<LedgerStatus, "lastEdges"> = {
  today: { day: "2026-03-11", sales: 0, revenueMicros: "0" },
  gaps: { all: 0, last30Days: 0, lostToday: null, unwatchedToday: null },
  provisional: { waiting: 0, unplaced: 0 },
  misplaced: null,
};

class WarningLog extends KeptLog {
  readonly warnings: string[] = [];

  override warn(_fields?: object, message = ""): void {
    this.warnings.push(message);
  }
}

describe("The appliance's status", () => {
  let clock: SetClock;
  let log: WarningLog;
  let failures: readonly LineFailure[];
  let readDisk: () => Promise<Disk>;
  let report: StatusReport;

  beforeEach(async () => {
    clock = new SetClock(START_MS);
    log = new WarningLog();
    failures = [];
    readDisk = async () => ROOMY;
    const lines = (): LinesStatus => ({
      driver: "chardev",
      simulated: false,
      wired: ["L"],
      watched: [],
      failures,
    });
    const room = { deviceId: "d", dId: "1", deviceName: "Pasillo A", room: "101" };
    const edge = { line: "L", ...room, active: null, timeMs: null, provisional: false };
    report = new StatusReport({
      version: "1",
      timeZone: "UTC",
      bootId: "b",
      clock,
      log,
      currency: { code: "EUR", decimals: 2 },
      trust: { trusted: () => true, trustedSinceMs: () => START_MS },
      reader: { lineTests: () => [] },
      heavy: { ledgerStatus: async () => ({ ...EMPTY, lastEdges: [edge] }) },
      lines: { status: lines },
      parts: () => ({
        queues: { writes: { waiting: 0, limit: 1 }, edges: { waiting: 0, limit: 1, refused: false } },
        lastBackup: null,
        lasting: [],
        sinks: [],
        newerPackage: null,
        otherGateways: [],
        gateway: { name: "g", hue: 1 },
      }),
      readDisk: () => readDisk(),
      readMachine: () => Promise.resolve(UNKNOWN_MACHINE),
      syncMs: () => null,
    });
    await report.open();
  });
  afterEach(() => report.close());

  it("logs a fault once when it begins, and again when it returns", async () => {
    await report.look();
    expect(log.warnings).to.deep.equal([]);
    failures = [FAILURE];
    await report.look();
    await report.look();
    expect(log.warnings).to.have.length(1);
    expect(log.warnings[0]).to.contain("The line L is not watched");
    failures = [];
    await report.look();
    failures = [FAILURE];
    await report.look();
    expect(log.warnings).to.have.length(2);
  });

  it("reports the beginning of a fault, and a new beginning when it returns", async () => {
    const sinceMs = async () => (await report.status()).faults[0]?.sinceMs;
    failures = [FAILURE];
    expect(await sinceMs()).to.equal(START_MS);
    clock.pass(HOUR_MS);
    expect(await sinceMs()).to.equal(START_MS);
    failures = [];
    expect(await sinceMs()).to.equal(undefined);
    failures = [FAILURE];
    expect(await sinceMs()).to.equal(START_MS + HOUR_MS);
  });

  it("asks a hanging disk once, and shows its last known state with everything else", async () => {
    let asked = 0;
    readDisk = () => {
      asked += 1;
      return new Promise(() => {});
    };
    void report.look();
    await report.look();
    await report.look();
    expect(asked).to.equal(1);
    expect(await report.status()).to.deep.include({ disk: ROOMY, linesWired: 1 });
  });

  it("reads the disk again after a while, and shows the new reading at the next question", async () => {
    const full = { ...ROOMY, freeBytes: 1 };
    readDisk = async () => full;
    clock.pass(1_999);
    expect((await report.status()).disk).to.deep.equal(ROOMY);
    await Promise.resolve();
    expect((await report.status()).disk, "not asked again so soon").to.deep.equal(ROOMY);
    clock.pass(1);
    await report.status();
    await until("the new reading is told", async () => (await report.status()).disk?.freeBytes === 1);
    expect((await report.status()).faults.map(({ code }) => code)).to.deep.equal(["disk_low"]);
  });

  it("shows no disk once the disk cannot be read", async () => {
    readDisk = () => Promise.reject(new Error("EIO"));
    await report.look();
    expect((await report.status()).disk).to.equal(null);
    expect(log.errors).to.have.length(1);
  });
});
