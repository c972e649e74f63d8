import { expect } from "chai";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { EventStream } from "../rig/event-stream.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aDevice, aRecord } from "./bodies.ts";

const DAY_MS = 86_400_000;

describe("Sales by hand and refunds over the API", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(async () => {
    appliance.clock.setWall(NOON_MS);
    const owner = await appliance.addUser();
    await owner.post("/api/device", aDevice()).expect(200);
    return owner;
  });

  const add = (otherwise: object = {}) =>
    user.post("/api/record/sale", {
      sale: {
        dId: "7234",
        room: "101",
        time: NOON_MS - 1_000,
        valor: 4,
        reason: "Corte de luz",
        ...otherwise,
      },
    });
  const refund = (number: number, valor: number) =>
    user.post("/api/record/refund", { refund: { number, valor, reason: "Se fue antes" } });
  const list = async (): Promise<Record<string, unknown>[]> =>
    (await user.get("/api/record").expect(200)).body.data;

  it("are records like others: listed, exported, told to pages, and netted in the contract's summary", async () => {
    const stream = await EventStream.open(user);
    const { body } = await add().expect(200);
    expect(body.data).to.deep.equal({ number: 1, valor: 4 });
    const given = await refund(1, 1.5).expect(200);
    expect(given.body.data).to.deep.equal({ number: 2, valor: -1.5 });
    const [refunded, sale] = await list();
    expect(sale).to.include({ origin: "by_hand", reason: "Corte de luz", refunded: 1.5, refundOf: null });
    expect(refunded).to.include({ origin: "refund", reason: "Se fue antes", refundOf: 1, valor: -1.5 });
    expect(refunded).to.include({ habitacion: "101", deviceName: "Pasillo A", createdTime: NOON_MS });
    const told = [await stream.next(), await stream.next(), await stream.next()];
    expect(told.map((event) => event?.event)).to.deep.equal(["hello", "record", "record"]);
    expect(told.at(-1)?.data).to.include({ refundOf: 1, valor: -1.5, reason: "Se fue antes" });
    stream.close();
    const summary = await user.data("/api/data", { period: "semanal" });
    expect(summary).to.include({ totalRevenue: 2.5, totalSales: 1, recentCount: 1 });
    expect(await user.data("/api/record/sum", { room: "101" })).to.deep.equal({ sales: 1, revenue: 2.5 });
    const { text } = await user.get("/api/export", { lang: "es" }).expect(200);
    expect(text).to.include(";a mano;").and.to.include(";devolución;");
  });

  it("make a period's revenue less than nothing where it has a refund alone, which is no sale, and 404 where it has neither", async () => {
    await user.get("/api/data", { period: "semanal" }).expect(404);
    await user.post("/api/data", aRecord({ valor: 5, createdTime: NOON_MS - 20 * DAY_MS })).expect(201);
    await user.get("/api/data", { period: "semanal" }).expect(404);
    await refund(1, 2).expect(200);
    const summary = await user.data("/api/data", { period: "semanal" });
    expect(summary).to.include({ totalRevenue: -2, totalSales: 0, recentCount: 0, totalLocations: 0 });
    expect(summary.dataForChart.at(-1)).to.include({ total: -2 });
    const year = await user.data("/api/data", { period: "anual" });
    expect(year).to.include({ totalRevenue: 3, totalSales: 1, totalDevices: 1 });
  });

  it("stand in the report as what was sold, given back, voided and added, and what remains", async () => {
    for (const valor of [5, 7]) await user.post("/api/data", aRecord({ valor })).expect(201);
    await appliance.voidNewest(user.id);
    await add();
    await refund(1, 1).expect(200);
    const { totals, rooms } = await user.data("/api/report", { month: "2026-03" });
    const sums = { gross: 9, refunds: 1, refunded: 1, voided: 1, voidedTotal: 7, byHand: 1, byHandTotal: 4 };
    expect(totals).to.deep.equal({ sales: 2, revenue: 8, ...sums, provisional: 0 });
    const revenues = rooms.map(({ revenue }: { revenue: number }) => revenue);
    expect(revenues).to.have.members([4, 4]);
  });

  it("are entered once for each Idempotency-Key", async () => {
    const once = () => add().set("Idempotency-Key", "k").expect(200);
    expect((await once()).body).to.deep.equal((await once()).body);
    await add({ valor: 3 }).set("Idempotency-Key", "k").expect(422);
    const back = () => refund(1, 1).set("Idempotency-Key", "r").expect(200);
    expect((await back()).body).to.deep.equal((await back()).body);
    expect(await list()).to.have.length(2);
  });

  it("say of one record who entered it, its refunds, and who gave those", async () => {
    await add();
    await refund(1, 1).expect(200);
    const { record, who, refunds } = await user.data("/api/record/one", { number: 1 });
    expect(record).to.include({ number: 1, refunded: 1 });
    expect(who).to.equal(user.email);
    expect(refunds).to.have.length(1);
    expect(refunds[0].record).to.include({ number: 2, valor: -1 });
    expect(refunds[0].who).to.equal(user.email);
    await user.get("/api/record/one", { number: 3 }).expect(404);
    expect(await user.data("/api/record/price", { dId: "7234", room: "101", time: NOON_MS })).to.deep.equal({
      valor: null,
    });
  });

  it("refuse, by the field's name, what cannot be a sale or a refund", async () => {
    for (const [otherwise, field] of [
      [{ time: NOON_MS + 1 }, "time"],
      [{ time: NOON_MS / 1_000 }, "time"],
      [{ valor: undefined }, "valor"],
      [{ reason: "" }, "reason"],
    ] as const) {
      const { body } = await add(otherwise).expect(400);
      expect(body.errors, field).to.have.all.keys(field);
    }
    await add({ room: "999" }).expect(404);
    await add({ gap: 1 }).expect(404);
    await add().expect(200);
    await refund(1, 0).expect(400);
    const { body } = await refund(1, 4.01).expect(409);
    expect(body.error).to.include("4 is left to refund");
    await refund(9, 1).expect(404);
    expect(await list()).to.have.length(1);
  });
});
