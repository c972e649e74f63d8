import { expect } from "chai";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
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
