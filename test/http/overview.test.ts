import { expect } from "chai";
import type { Overview } from "../../src/contract/overview.ts";
import { MAX_GONE } from "../../src/domain/overview.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aDevice, aRecord } from "./bodies.ts";

type Span = Overview["spans"][number];

/** A moment of the appliance's zone, in winter. */
function madrid(local: string): number {
  return Date.parse(`${local}+01:00`);
}

describe("The overview of a period", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  async function post(createdTime: number, otherwise: object = {}, by = user): Promise<void> {
    const body = aRecord({ createdTime, ...otherwise });
    await by.post("/api/data", body).expect(201);
  }

  async function postAll(sales: readonly (readonly [local: string, valor: number])[]): Promise<void> {
    for (const [local, valor] of sales) await post(madrid(local), { valor });
  }

  async function overview(query: Readonly<Record<string, string>>, by = user): Promise<Overview> {
    return by.data("/api/overview", query);
  }

  it("has the week beside the seven days before, all of today, its locations, and what may be filtered", async () => {
    await post(madrid("2026-03-11T23:59:59.999"), { valor: 2.5, deviceId: "2", locationName: "Norte" });
    await post(madrid("2026-03-12T00:00"), { valor: 100, deviceId: "tomorrow", locationName: "Tomorrow" });
    await post(madrid("2026-03-05T00:00"), { valor: 10, deviceId: "1", locationName: "Norte" });
    await post(madrid("2026-03-04T23:59"), { valor: 7, deviceId: "3", locationName: "Sur" });
    await post(madrid("2026-02-25T23:59"), { valor: 100, deviceId: "gone", locationName: "Gone" });
    const { spans: _spans, ...week } = await overview({ period: "week" });
    const bar = (start: string, revenue: number, sales: number, before: number) => ({
      start,
      revenue,
      sales,
      before,
    });
    expect(week).to.deep.equal({
      period: "week",
      from: "2026-03-05",
      to: "2026-03-11",
      revenue: 12.5,
      sales: 2,
      before: { from: "2026-02-26", to: "2026-03-04", revenue: 0, sales: 0 },
      chart: [
        bar("2026-03-05", 10, 1, 0),
        bar("2026-03-06", 0, 0, 0),
        bar("2026-03-07", 0, 0, 0),
        bar("2026-03-08", 0, 0, 0),
        bar("2026-03-09", 0, 0, 0),
        bar("2026-03-10", 0, 0, 0),
        bar("2026-03-11", 2.5, 1, 0),
      ],
      locations: [{ name: "Norte", revenue: 12.5, sales: 2, before: 0 }],
      otherLocations: null,
      choices: {
        locations: ["Norte", "Sur"],
        devices: [
          { deviceId: "1", locationName: "Norte" },
          { deviceId: "2", locationName: "Norte" },
          { deviceId: "3", locationName: "Sur" },
        ],
        gone: ["1", "2", "3"].map((deviceId) => ({ deviceId, name: "Pasillo A" })),
      },
    });
  });

  it("names the devices that it offers or is asked for and that are no longer there, as they were called last", async () => {
    await user.post("/api/device", aDevice()).expect(200);
    const [{ _id: deviceId }] = await user.data("/api/device");
    for (const [local, deviceName] of [
      ["2026-03-10T11:00", "Older"],
      ["2026-03-10T11:02", "Newest"],
      ["2026-03-10T11:01", "Old"],
    ] as const) {
      await post(madrid(local), { deviceId: "removed", deviceName });
    }
    await post(madrid("2026-03-10T11:00"), { deviceId });
    await post(madrid("2024-07-01T11:00"), { deviceId: "long ago", deviceName: "Pasillo C" });
    const goneOf = async (query: object) => (await overview({ period: "week", ...query })).choices.gone;
    const removed = { deviceId: "removed", name: "Newest" };
    expect(await goneOf({})).to.deep.equal([removed]);
    expect(await goneOf({ device: deviceId })).to.deep.equal([removed]);
    expect(await goneOf({ device: "unknown" })).to.deep.equal([removed]);
    expect(await goneOf({ device: "long ago" })).to.deep.equal([
      { deviceId: "long ago", name: "Pasillo C" },
      removed,
    ]);
  });

  it("names a device that is gone after the last moment that a record may have", async () => {
    for (const createdTime of [NOON_MS, 8.64e15])
      await post(createdTime, { deviceId: "last", deviceName: "Last" });
    const { gone } = (await overview({ period: "week" })).choices;
    expect(gone).to.deep.equal([{ deviceId: "last", name: "Last" }]);
  });

  it("names no device of another account, and the one that is asked for also where more are gone than are named", async () => {
    const other = await appliance.addUser();
    await other.post("/api/device", aDevice()).expect(200);
    const [{ _id: theirs }] = await other.data("/api/device");
    const sell = (deviceId: string, deviceName: string, by = user) =>
      post(madrid("2026-03-10T11:00"), { deviceId, deviceName }, by);
    await sell("shared", "Mine");
    await sell("shared", "Theirs", other);
    await sell(theirs, "By its number");
    expect((await overview({ period: "week" })).choices.gone).to.have.deep.members([
      { deviceId: "shared", name: "Mine" },
      { deviceId: theirs, name: "By its number" },
    ]);
    for (let index = 10; index < 35; index += 1) await sell(`gone ${index}`, `Pasillo ${index}`);
    const { gone } = (await overview({ period: "week", device: "gone 34" })).choices;
    expect(gone).to.have.length(MAX_GONE);
    expect(gone[0]).to.deep.equal({ deviceId: "gone 34", name: "Pasillo 34" });
  });

  it("compares each span so far with the same hours before, and says where those are not known in full", async () => {
    await postAll([
      ["2026-03-11T11:00", 1],
      ["2026-03-10T11:59", 2],
      ["2026-03-10T12:01", 4],
      ["2026-03-04T11:59", 8],
      ["2026-03-04T12:01", 16],
      ["2026-02-11T12:01", 32],
      ["2026-02-01T09:00", 64],
      ["2025-03-11T11:00", 128],
      ["2025-01-02T11:00", 256],
    ]);
    const { spans } = await overview({ period: "week" });
    const brief = ({ name, from, revenue, before, isComparable }: Span) => [
      ...[name, from, revenue, before.from, before.to, before.revenue, isComparable],
    ];
    expect(spans.map(brief)).to.deep.equal([
      ["day", "2026-03-11", 1, "2026-03-10", "2026-03-10", 2, true],
      ["week", "2026-03-05", 7, "2026-02-26", "2026-03-04", 8, true],
      ["month", "2026-03-01", 31, "2026-02-01", "2026-02-11", 64, true],
      ["year", "2026-01-01", 127, "2025-01-01", "2025-03-11", 384, false],
    ]);
  });

  it("is of an earlier week, month or year when asked, beside the whole one before", async () => {
    await postAll([
      ["2026-02-28T11:00", 1],
      ["2026-01-31T11:00", 2],
      ["2025-12-31T11:00", 4],
      ["2024-12-31T11:00", 8],
    ]);
    for (const [query, from, to, revenue, before, bars] of [
      [{ period: "week", at: "2026-02-28" }, "2026-02-22", "2026-02-28", 1, 0, 7],
      [{ period: "month", at: "2026-02-05" }, "2026-02-01", "2026-02-28", 1, 2, 28],
      [{ period: "month" }, "2026-03-01", "2026-03-11", 0, 0, 31],
      [{ period: "year", at: "2025-06-01" }, "2025-01-01", "2025-12-31", 4, 8, 12],
      [{ period: "week", at: "2030-01-01" }, "2026-03-05", "2026-03-11", 0, 1, 7],
    ] as const) {
      const data = await overview(query);
      expect(data, JSON.stringify(query)).to.include({ from, to, revenue });
      expect(data.before.revenue, JSON.stringify(query)).to.equal(before);
      expect(data.chart).to.have.lengthOf(bars);
    }
  });
});
