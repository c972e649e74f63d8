import { expect } from "chai";
import { HOUR_MS, monotonicMs } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { Appliance, BOOT_ID, NOON_MS } from "../rig/appliance.ts";
import { forEachTest } from "../rig/standing.ts";
import { aDevice, aRecord, aWiring } from "./bodies.ts";

describe("Wiring", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  const other = forEachTest(() => appliance.addUser());

  beforeEach(async () => {
    for (const { id } of [user, other]) await appliance.writer.addDevice(id, aDevice().newDevice);
  });

  function put(otherwise: Readonly<Record<string, unknown>> = {}, by = user) {
    return by.put("/api/wiring", aWiring(otherwise));
  }

  function remove(line: string, by = user) {
    return by.delete("/api/wiring", { line });
  }

  async function listed(by = user): Promise<Record<string, unknown>[]> {
    return by.data("/api/wiring");
  }

  describe("GET /wiring", () => {
    it("gives every setting of a line, and that it is watched", async () => {
      await put({ activeLow: true, rearmMs: 1_500 }).expect(200);
      appliance.lines.state = { ...appliance.lines.state, watched: ["SIM0"] };
      expect(await listed()).to.deep.equal([
        {
          line: "SIM0",
          dId: "7234",
          deviceName: "Pasillo A",
          actuatorId: "101",
          valor: 4.5,
          activeLow: true,
          bias: "pull-down",
          debounceMs: 20,
          rearmMs: 1_500,
          paidMinutes: 0,
          watched: true,
          problem: null,
        },
      ]);
    });

    it("gives what keeps a line from being watched: who holds it", async () => {
      await put().expect(200);
      const message = 'The line SIM0 is held by "gpio-leds".';
      appliance.lines.state = { ...appliance.lines.state, failures: [{ line: "SIM0", message }] };
      const [line] = await listed();
      expect(line).to.include({ watched: false, problem: message });
    });
  });

  describe("PUT /wiring", () => {
    it("wires a line, and has it watched", async () => {
      const response = await put().expect(200);
      expect(response.body).to.deep.equal({ status: "success" });
      expect(appliance.lines.reconciliations).to.equal(1);
      expect(await listed()).to.have.lengthOf(1);
    });

    it("takes what is left out as it usually is", async () => {
      const body = { wiring: { line: "SIM0", dId: "7234", actuatorId: "101", valor: 0.1 } };
      await user.put("/api/wiring", body).expect(200);
      const [line] = await listed();
      expect(line).to.include({ valor: 0.1, activeLow: false, bias: "as-is", debounceMs: 50, rearmMs: 0 });
    });

    for (const [what, otherwise, field, error] of [
      ["a device that is none", { dId: "9" }, "dId", 'There is no device with dId "9".'],
      [
        "an actuator that is none",
        { actuatorId: "9" },
        "actuatorId",
        'The device "7234" has no actuator "9".',
      ],
    ] as const) {
      it(`does not know ${what}, and names it`, async () => {
        const response = await put(otherwise).expect(404);
        const hint = "Register it first, on the page or with POST /api/device.";
        expect(response.body, field).to.deep.equal({ status: "error", error: `${error} ${hint}` });
        expect(await listed()).to.deep.equal([]);
        expect(appliance.lines.reconciliations).to.equal(0);
      });
    }

    for (const [what, otherwise, field, message] of [
      [
        "a line that is another room's",
        { actuatorId: "102" },
        "line",
        "The line SIM0 is already wired to room 101 of Pasillo A.",
      ],
      [
        "a room that has another line",
        { line: "SIM1" },
        "actuatorId",
        "Room 101 is already wired to the line SIM0.",
      ],
    ] as const) {
      it(`refuses ${what}, and says which`, async () => {
        await put().expect(200);
        const response = await put(otherwise).expect(409);
        expect(response.body).to.deep.equal({
          status: "error",
          error: `${message} Unwire that first, or choose another one.`,
          errors: { [field]: { kind: "unique", message } },
        });
        expect(await listed()).to.have.lengthOf(1);
      });
    }

    it("refuses a line that is another user's, and tells nothing of their rooms", async () => {
      await put().expect(200);
      const response = await put({}, other).expect(409);
      expect(response.body.error).to.match(
        /^The line SIM0 is already wired to a room of another user\. Unwire/,
      );
      expect(await listed(other)).to.deep.equal([]);
    });

    for (const [what, refusal, status] of [
      ["another program holds", new FlancoError("conflict", 'The line SIM0 is held by "gpio-leds".'), 409],
      ["is not there", new FlancoError("not_found", "There is no line SIM0."), 404],
      ["cannot be had here", new FlancoError("unavailable", "There are no lines here."), 503],
    ] as const) {
      it(`stores nothing of a line that ${what}, and says so`, async () => {
        appliance.lines.refusal = refusal;
        const response = await put().expect(status);
        expect(response.body).to.deep.equal({ status: "error", error: refusal.message });
        expect(await listed()).to.deep.equal([]);
        expect(appliance.lines.reconciliations).to.equal(0);
      });
    }
  });

  describe("PUT /wiring/price", () => {
    const priced = (lines: readonly string[], valor: unknown) =>
      user.put("/api/wiring/price", { price: { lines, valor } });

    it("gives all the lines the price and leaves the rest of them, or changes none", async () => {
      await put({ line: "SIM1", rearmMs: 1_500 }).expect(200);
      await put({ line: "SIM2", actuatorId: "102" }).expect(200);
      await put({ line: "SIM3" }, other).expect(200);
      const response = await priced(["SIM1", "SIM2"], 6).expect(200);
      expect(response.body).to.deep.equal({ status: "success" });
      const [first] = await listed();
      expect(first).to.include({ valor: 6, rearmMs: 1_500, activeLow: false, actuatorId: "101" });
      await priced(["SIM1", "SIM3"], 7).expect(404);
      expect((await listed()).map(({ valor }) => valor)).to.deep.equal([6, 6]);
      expect((await listed(other)).map(({ valor }) => valor)).to.deep.equal([4.5]);
      const entry = appliance.newestAudit(user.id);
      expect(entry).to.include({ kind: "wiring_set", who: user.email });
    });
  });

  describe("a paid time", () => {
    const move = (from: string, to: string) =>
      user.post("/api/room/paid-time", {
        move: { from: { dId: "7234", room: from }, to: { dId: "7234", room: to } },
      });
    const paid = async () => {
      const rooms = await user.data("/api/room");
      return Object.fromEntries(rooms.map((room: Record<string, unknown>) => [room["room"], room["paid"]]));
    };

    it("is set with the line, shown with room and record, and moved to another room by staff", async () => {
      await appliance.writer.noteBoot(BOOT_ID, NOON_MS - monotonicMs(appliance.clock));
      await put({ paidMinutes: 60 }).expect(200);
      expect((await listed())[0]?.["paidMinutes"]).to.equal(60);
      const [device] = appliance.reader.devices(user.id);
      const sale = { deviceId: device?.id, habitacion: "101", createdTime: NOON_MS };
      await user.post("/api/data", aRecord(sale)).expect(201);
      const stay = { from: NOON_MS, until: NOON_MS + HOUR_MS, doubtful: false };
      expect(await paid()).to.deep.equal({ "101": stay, "102": null });
      const [record] = await user.data("/api/record");
      expect(record?.["paid"]).to.deep.equal({ until: stay.until, doubtful: false });
      await move("101", "102").expect(200);
      expect(await paid()).to.deep.equal({ "101": null, "102": stay });
      await move("101", "102").expect(409);
      await move("101", "103").expect(404);
    });

    it("goes with a price, and stays where the price is set without it", async () => {
      await put({ paidMinutes: 60 }).expect(200);
      const priced = (price: object) =>
        user.put("/api/wiring/price", { price: { lines: ["SIM0"], ...price } });
      await priced({ valor: 6 }).expect(200);
      expect((await listed())[0]).to.include({ valor: 6, paidMinutes: 60 });
      await priced({ valor: 9, paidMinutes: 1_440 }).expect(200);
      expect((await listed())[0]).to.include({ valor: 9, paidMinutes: 1_440 });
      const { body } = await priced({ valor: 9, paidMinutes: 44_641 }).expect(400);
      expect(body.error).to.match(/^paidMinutes: must be at most 44640/);
      await put().expect(200);
      expect((await listed())[0]).to.include({ paidMinutes: 0 });
    });
  });

  describe("at the same time as another's change, which the ledger's reads do not show yet,", () => {
    beforeEach(async () => {
      await put({ line: "SIM1" }).expect(200);
      const before = appliance.reader.wirings();
      await put({ line: "SIM1", valor: 6, debounceMs: 33 }).expect(200);
      appliance.breaker.instead.set("wirings", () => before);
    });

    /** Once the reads show all. */
    async function stored(): Promise<unknown> {
      appliance.breaker.instead.clear();
      return (await listed())[0];
    }

    it("a price leaves the other settings", async () => {
      await user.put("/api/wiring/price", { price: { lines: ["SIM1"], valor: 7 } }).expect(200);
      expect(await stored()).to.include({ valor: 7, debounceMs: 33 });
    });

    it("a technician's settings leave the price", async () => {
      const technician = await appliance.addMember(user.id, "technician");
      const { valor: _, ...settings } = aWiring({ line: "SIM1", debounceMs: 44 }).wiring;
      await technician.put("/api/wiring", { wiring: settings }).expect(200);
      expect(await stored()).to.include({ valor: 6, debounceMs: 44 });
    });
  });

  it("a technician who wires a room to another line leaves its price, which is not the commonest", async () => {
    await user.patch("/api/device?dId=7234", { device: { rooms: ["101", "102", "103"] } }).expect(200);
    for (const [line, actuatorId, valor] of [
      ["SIM1", "101", 9],
      ["SIM2", "102", 4.5],
      ["SIM3", "103", 4.5],
    ]) {
      await put({ line, actuatorId, valor }).expect(200);
    }
    const technician = await appliance.addMember(user.id, "technician");
    await technician.delete("/api/wiring", { line: "SIM1" }).expect(200);
    const { valor: _, ...settings } = aWiring({ line: "SIM4" }).wiring;
    await technician.put("/api/wiring", { wiring: settings }).expect(200);
    expect((await listed()).at(-1)).to.include({ line: "SIM4", actuatorId: "101", valor: 9 });
  });

  describe("a price from a day to come", () => {
    const FROM = "2030-01-01";

    it("is planned, listed with those before, and taken back", async () => {
      await user.put("/api/wiring", aWiring()).expect(200);
      const planned = { lines: ["SIM0"], valor: 7.25, from: FROM };
      await user.put("/api/wiring/price", { price: planned }).expect(200);
      const data = await user.data("/api/wiring");
      expect(data[0].valor).to.equal(4.5);
      const { body } = await user.get("/api/wiring/price?dId=7234&room=101").expect(200);
      expect(body.data[0]).to.deep.include({
        dId: "7234",
        room: "101",
        valor: 7.25,
        from: FROM,
        isComing: true,
      });
      expect(body.data[1]).to.deep.include({ valor: 4.5, from: null, isComing: false });
      const coming = async () => await user.data("/api/wiring/price");
      expect(await coming()).to.have.length(1);
      await user.delete(`/api/wiring/price?from=${FROM}&valor=7.25`).expect(200);
      expect(await coming()).to.deep.equal([]);
      await user.delete(`/api/wiring/price?from=${FROM}&valor=7.25`).expect(404);
    });
  });

  it("unwires a line by DELETE /wiring, and has it released", async () => {
    await put().expect(200);
    const response = await remove("SIM0").expect(200);
    expect(response.body).to.deep.equal({ status: "success" });
    expect(await listed()).to.deep.equal([]);
    expect(appliance.lines.reconciliations).to.equal(2);
  });
});
