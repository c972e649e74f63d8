import { expect } from "chai";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aRecord } from "./bodies.ts";

const WRONG_PERIOD = { status: "error", message: "Periodo no válido. Debe ser semanal o anual" };
const NO_DATA = { status: "error", message: "No se encontraron datos para el periodo solicitado" };
/** The seven days that end on a Wednesday. */
const WEEK = ["jue", "vie", "sáb", "dom", "lun", "mar", "mié"];
const YEAR = ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];

/** A moment of the appliance's zone. Madrid is one hour ahead of UTC in winter, two in summer. */
function madrid(local: string, offset = "+01:00"): number {
  return Date.parse(`${local}${offset}`);
}

describe("The summary of a period", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => {
    appliance.clock.setWall(NOON_MS);
    return appliance.addUser();
  });

  async function post(createdTime: number, otherwise: object = {}): Promise<void> {
    const body = aRecord({ createdTime, ...otherwise });
    await user.post("/api/data", body).expect(201);
  }

  function get(query: string, by = user) {
    return by.get(`/api/data${query}`);
  }

  async function summary(period: "semanal" | "anual") {
    const response = await get(`?period=${period}`).expect(200);
    return response.body.data;
  }

  it("semanal has exactly the contract's fields, seven days to today, and 0 where nothing was sold", async () => {
    await post(madrid("2026-03-09T10:00"), { valor: 10, deviceId: "1", locationName: "Norte" });
    await post(madrid("2026-03-11T09:00"), { valor: 2.5, deviceId: "2", locationName: "Norte" });
    await post(madrid("2026-03-11T11:59"), { valor: -1, deviceId: "1", locationName: "Sur" });
    const response = await get("?period=semanal")
      .expect(200)
      .expect("Content-Type", /^application\/json/);
    expect(response.body).to.deep.equal({
      status: "success",
      data: {
        totalRevenue: 11.5,
        totalSales: 3,
        totalLocations: 2,
        totalDevices: 2,
        dataForChart: WEEK.map((name, index) => ({ name, total: [0, 0, 0, 0, 10, 0, 1.5][index] })),
        recentCount: 3,
      },
    });
  });

  it("anual has exactly the contract's fields, twelve months from January, and 0 where nothing was sold", async () => {
    await post(madrid("2026-01-01T00:00"), { valor: 1 });
    await post(madrid("2026-02-14T10:00"), { valor: 0.1 });
    await post(madrid("2026-02-15T10:00"), { valor: 0.2 });
    const response = await get("?period=anual").expect(200);
    expect(response.body).to.deep.equal({
      status: "success",
      data: {
        totalRevenue: 1.3,
        totalSales: 3,
        totalLocations: 1,
        totalDevices: 1,
        dataForChart: YEAR.map((name, index) => ({ name, total: [1, 0.3][index] ?? 0 })),
        recentCount: 3,
      },
    });
  });

  it("counts a sum of zero as data", async () => {
    await post(NOON_MS, { valor: 5 });
    await post(NOON_MS, { valor: -5 });
    expect(await summary("semanal")).to.include({ totalRevenue: 0, totalSales: 2 });
  });

  it("is 404 with the contract's text when the period holds no record", async () => {
    for (const period of ["semanal", "anual"]) {
      const response = await get(`?period=${period}`).expect(404);
      expect(response.body).to.deep.equal(NO_DATA);
    }
    await post(madrid("2025-06-01T12:00"));
    await get("?period=semanal").expect(404);
    await get("?period=anual").expect(404);
  });

  for (const query of [
    "",
    "?period=",
    "?period=mensual",
    "?period=SEMANAL",
    "?period=semanal%20",
    "?period=semanal&period=anual",
    "?period=semanal&period=semanal",
    "?period[]=semanal",
    "?period=__proto__",
    "?Period=semanal",
  ]) {
    it(`is 400 with the contract's text, and no more, for "${query}"`, async () => {
      await post(NOON_MS);
      const response = await get(query).expect(400);
      expect(response.body).to.deep.equal(WRONG_PERIOD);
    });
  }
});
