import { expect } from "chai";
import { DAY_MS } from "../../src/domain/clock.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { recordsOf } from "../store/records-of.ts";
import { aRecord } from "./bodies.ts";

/** A moment of the appliance's zone, in winter. */
function madrid(local: string): number {
  return Date.parse(`${local}+01:00`);
}

describe("The overview of a period", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  async function post(createdTime: number, otherwise: object = {}, by = user): Promise<void> {
    const body = aRecord({ createdTime, ...otherwise });
    await by.post("/api/data").send(body).expect(201);
  }

  async function overview(query: Readonly<Record<string, string>>, by = user) {
    const response = await by.get("/api/overview").query(query).expect(200);
    return response.body.data;
  }

  it("has the week beside the seven days before, all of today, a chart and what may be filtered", async () => {
    await post(madrid("2026-03-11T23:59:59.999"), { valor: 2.5, deviceId: "2", locationName: "Norte" });
    await post(madrid("2026-03-12T00:00"), { valor: 100, deviceId: "tomorrow", locationName: "Tomorrow" });
    await post(madrid("2026-03-05T00:00"), { valor: 10, deviceId: "1", locationName: "Norte" });
    await post(madrid("2026-03-04T23:59"), { valor: 7, deviceId: "3", locationName: "Sur" });
    await post(madrid("2026-02-25T23:59"), { valor: 100, deviceId: "gone", locationName: "Gone" });
    expect(await overview({ period: "week" })).to.deep.equal({
      period: "week",
      from: "2026-03-05",
      to: "2026-03-11",
      revenue: 12.5,
      sales: 2,
      locations: 1,
      devices: 2,
      before: { from: "2026-02-26", to: "2026-03-04", revenue: 7, sales: 1, locations: 1, devices: 1 },
      today: { revenue: 2.5, sales: 1 },
      chart: [
        { start: "2026-03-05", revenue: 10, sales: 1 },
        { start: "2026-03-06", revenue: 0, sales: 0 },
        { start: "2026-03-07", revenue: 0, sales: 0 },
        { start: "2026-03-08", revenue: 0, sales: 0 },
        { start: "2026-03-09", revenue: 0, sales: 0 },
        { start: "2026-03-10", revenue: 0, sales: 0 },
        { start: "2026-03-11", revenue: 2.5, sales: 1 },
      ],
      choices: {
        locations: ["Norte", "Sur"],
        devices: [
          { deviceId: "1", locationName: "Norte" },
          { deviceId: "2", locationName: "Norte" },
          { deviceId: "3", locationName: "Sur" },
        ],
      },
    });
  });

  it("has the year beside the same days of last year", async () => {
    await post(madrid("2026-01-01T00:00"), { valor: 1 });
    await post(madrid("2026-03-11T09:00"), { valor: 2 });
    await post(madrid("2025-03-11T23:59"), { valor: 4 });
    await post(madrid("2025-03-12T00:00"), { valor: 100 });
    const data = await overview({ period: "year" });
    expect(data).to.deep.include({ from: "2026-01-01", to: "2026-03-11", revenue: 3, sales: 2 });
    expect(data.before).to.deep.include({ from: "2025-01-01", to: "2025-03-11", revenue: 4, sales: 1 });
    expect(data.today).to.deep.equal({ revenue: 2, sales: 1 });
    expect(data.chart.map(({ start }: { start: string }) => start)).to.deep.equal(
      Array.from({ length: 12 }, (_, month) => `2026-${String(month + 1).padStart(2, "0")}-01`),
    );
    expect(data.chart.map(({ revenue }: { revenue: number }) => revenue).slice(0, 4)).to.deep.equal([
      1, 0, 2, 0,
    ]);
  });

  it("agrees to the letter with the contract's summary", async () => {
    for (const [createdTime, valor] of [
      [NOON_MS, 0.1],
      [NOON_MS, 0.2],
      [NOON_MS - DAY_MS, -3],
      [madrid("2026-01-31T23:59"), 1e7],
      [madrid("2026-12-31T23:59"), 5],
    ] as const) {
      await post(createdTime, { valor, deviceId: String(valor) });
    }
    for (const [period, contract] of [
      ["week", "semanal"],
      ["year", "anual"],
    ] as const) {
      const response = await user.get(`/api/data?period=${contract}`).expect(200);
      const { totalRevenue, totalSales, totalLocations, totalDevices, dataForChart } = response.body.data;
      const data = await overview({ period });
      expect(data).to.include({
        revenue: totalRevenue,
        sales: totalSales,
        locations: totalLocations,
        devices: totalDevices,
      });
      expect(data.chart.map(({ revenue }: { revenue: number }) => revenue)).to.deep.equal(
        dataForChart.map(({ total }: { total: number }) => total),
      );
    }
  });

  it("is of one location, of one device, or of what both name", async () => {
    await post(NOON_MS, { valor: 1, locationName: "Norte", deviceId: "1" });
    await post(NOON_MS, { valor: 2, locationName: "Norte", deviceId: "2" });
    await post(NOON_MS, { valor: 4, locationName: "Sur", deviceId: "1" });
    for (const [query, revenue] of [
      [{ location: "Norte" }, 3],
      [{ device: "1" }, 5],
      [{ location: "Norte", device: "1" }, 1],
      [{ location: "norte" }, 0],
    ] as const) {
      const data = await overview({ period: "week", ...query });
      expect(data, JSON.stringify(query)).to.include({ revenue });
      expect(data.today).to.include({ revenue });
      expect(data.choices.devices).to.have.lengthOf(3);
    }
  });

  it("is zeros, never 404, for who has sold nothing or asks for another user's", async () => {
    const other = await appliance.addUser();
    await post(NOON_MS, { locationName: "Norte", deviceId: "1" });
    for (const query of [{}, { location: "Norte" }, { device: "1" }]) {
      const data = await overview({ period: "year", ...query }, other);
      expect(data).to.include({ revenue: 0, sales: 0, locations: 0, devices: 0 });
      expect(data.choices).to.deep.equal({ locations: [], devices: [] });
    }
  });

  it("counts no voided record", async () => {
    await post(NOON_MS, { valor: 5 });
    const [record] = recordsOf(appliance.reader, user.id);
    await appliance.writer.voidRecord(record?.recordId ?? 0, "Cobro de prueba");
    const data = await overview({ period: "week" });
    expect(data).to.include({ revenue: 0, sales: 0, locations: 0, devices: 0 });
    expect(data.choices.locations).to.deep.equal([]);
  });

  for (const query of [
    "",
    "period=semanal",
    "period=week&period=year",
    "period=week&location=",
    "period=week&device=%20",
  ]) {
    it(`refuses "${query}", naming the field`, async () => {
      const response = await user.get(`/api/overview?${query}`).expect(400);
      expect(Object.keys(response.body.errors)).to.have.lengthOf(1);
    });
  }
});
