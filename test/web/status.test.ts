import { expect } from "chai";
import { statusOf } from "../../src/web/api/status.ts";
import { summaryOf } from "../../src/web/api/summary.ts";

const STATUS = {
  version: "0.1.0",
  driver: "chardev",
  simulated: false,
  timeZone: "Europe/Madrid",
  currency: { code: "EUR", decimals: 2 },
  startedTime: 1,
  uptimeMs: 2,
  clock: { time: 3, trusted: true, trustedSince: null, bootId: "b" },
  recordsToday: { day: "2026-11-21", sales: 12, revenue: 48 },
  linesWired: 8,
  linesWatched: 7,
  lineFailures: [],
  lastEdges: [
    {
      line: "GPIO17",
      deviceId: "d1",
      dId: "7234",
      deviceName: "Pasillo A",
      room: "101",
      level: null,
      time: null,
      provisional: false,
    },
  ],
  gaps: 2,
  gapsLast30Days: 1,
  newestGaps: [],
  provisional: { waiting: 0, unplaced: 0 },
  queues: { writes: { waiting: 0, limit: 4096 }, edges: { waiting: 0, limit: 10000 } },
  lastBackup: null,
  disk: null,
  faults: [
    {
      code: "disk_low",
      sinceTime: 5,
      message: "m",
      hint: "h",
      details: { freeBytes: 7, path: "/x", deep: { no: 1 } },
    },
  ],
};

describe("The gateway's status, as the page reads it", () => {
  it("comes with what may be unknown left open", () => {
    const status = statusOf(STATUS);
    expect(status).to.include({ timeZone: "Europe/Madrid", lastBackup: null, disk: null, gaps: 2 });
    expect(status.today).to.deep.equal({ day: "2026-11-21", sales: 12, revenue: 48 });
    expect(status.lastEdges[0]).to.include({ room: "101", level: null, timeMs: null });
  });

  it("takes of a fault's details what can be said: texts and numbers", () => {
    expect(statusOf(STATUS).faults[0]?.details).to.deep.equal({ freeBytes: 7, path: "/x" });
  });

  it("is refused when a field is missing or of another type", () => {
    expect(() => statusOf({ ...STATUS, timeZone: 1 })).to.throw(TypeError, "timeZone");
    expect(() => statusOf({ ...STATUS, currency: undefined })).to.throw(TypeError, "currency");
  });
});

describe("A summary, as the page reads it", () => {
  const totals = { revenue: 48, sales: 12, locations: 1, devices: 2 };
  const data = {
    ...totals,
    period: "week",
    from: "2026-11-15",
    to: "2026-11-21",
    before: { from: "2026-11-08", to: "2026-11-14", ...totals, sales: 3 },
    today: { revenue: 4, sales: 1 },
    chart: [{ start: "2026-11-21", revenue: 4, sales: 1 }],
    choices: { locations: ["Clínica"], devices: [{ deviceId: "d1", locationName: "Clínica" }] },
  };

  it("comes with both periods and what sold in them", () => {
    const summary = summaryOf(data);
    expect(summary.totals).to.deep.equal(totals);
    expect(summary.before.sales).to.equal(3);
    expect(summary.soldDevices).to.deep.equal([{ id: "d1", locationName: "Clínica" }]);
  });

  it("is refused for a period that the page does not know", () => {
    expect(() => summaryOf({ ...data, period: "decade" })).to.throw(TypeError, "period");
  });
});
