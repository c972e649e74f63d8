import { expect } from "chai";
import { NOON_MS } from "../rig/appliance.ts";
import { recordsOf } from "../store/records-of.ts";
import { aDevice, aRecord } from "./bodies.ts";
import { Held } from "./held.ts";
import { WiredLine } from "./wired-line.ts";

const MIDNIGHT_MS = Date.parse("2026-03-11T00:00:00+01:00");

describe("The rooms of a user", () => {
  const held = new Held();

  async function rooms(): Promise<readonly Record<string, unknown>[]> {
    const response = await held.user.get("/api/room").expect(200);
    return response.body.data;
  }

  async function sell(deviceId: string, fields: object): Promise<void> {
    await held.post("/api/data", { ...aRecord({ deviceId, habitacion: "101" }), ...fields }).expect(201);
  }

  it("have what they sold today, exactly, without void records and other days", async () => {
    await held.post("/api/device", aDevice({ dId: "rooms" })).expect(200);
    const { reader, writer } = held.appliance;
    const deviceId = reader.devices(held.user.id).find(({ dId }) => dId === "rooms")?.id ?? "";
    const before = (await rooms()).filter((room) => room["deviceId"] === deviceId);
    expect(before[0]).to.include({ room: "101", level: false, line: null, sinceTime: null });
    expect(before[0]).to.include({ sales: 0, revenue: 0, lastSaleTime: null });
    await sell(deviceId, { valor: 0.1, createdTime: MIDNIGHT_MS });
    await sell(deviceId, { valor: 0.2, createdTime: NOON_MS });
    await sell(deviceId, { valor: 4, createdTime: MIDNIGHT_MS - 1 });
    await sell(deviceId, { valor: 8, createdTime: NOON_MS });
    const voided = recordsOf(reader, held.user.id).find(({ valorMicros }) => valorMicros === 8_000_000);
    await writer.voidRecord(voided?.recordId ?? 0, "trial");
    const [sold, other] = (await rooms()).filter((room) => room["deviceId"] === deviceId);
    expect(sold).to.include({ sales: 2, revenue: 0.3, lastSaleTime: NOON_MS });
    expect(other).to.include({ room: "102", sales: 0 });
  });

  it("have their level, and since when their line is at it", async () => {
    await held.post("/api/device", aDevice({ dId: "wired" })).expect(200);
    const line = await WiredLine.wire(held.appliance, held.user, "SIM3", { dId: "wired", actuatorId: "102" });
    await line.go(true);
    const { reader } = held.appliance;
    const deviceId = reader.devices(held.user.id).find(({ dId }) => dId === "wired")?.id;
    const lit = (await rooms()).find((room) => room["deviceId"] === deviceId && room["room"] === "102");
    expect(lit).to.include({
      level: true,
      line: "SIM3",
      sinceTime: line.timeMs,
      sales: 1,
      lastSaleTime: line.timeMs,
    });
  });
});
