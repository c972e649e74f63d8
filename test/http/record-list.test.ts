import { expect } from "chai";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aRecord } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

const MORE_THAN_A_PAGE = 55;

interface ListAnswer {
  readonly data: Record<string, unknown>[];
  readonly next: string | number | null;
}

describe("Listings", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  async function list(path: string, query: Readonly<Record<string, unknown>> = {}): Promise<ListAnswer> {
    const response = await user.get(path, query).expect(200);
    expect(response.body).to.have.all.keys("status", "data", "next");
    return response.body;
  }

  async function post(count: number, by = user): Promise<void> {
    for (let valor = 1; valor <= count; valor += 1) {
      await by.post("/api/data", aRecord({ valor })).expect(201);
    }
  }

  describe("GET /record/sum", () => {
    async function sum(query: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
      const response = await user.get("/api/record/sum", query).expect(200);
      return response.body;
    }

    it("adds up what counts of the records that the filters let through, by room too", async () => {
      expect(await sum()).to.deep.equal({ status: "success", data: { sales: 0, revenue: 0 } });
      const day = 86_400_000;
      for (const [valor, otherwise] of [
        [0.1, { habitacion: "101" }],
        [0.2, { habitacion: "102", createdTime: NOON_MS - 40 * day }],
        [5, { habitacion: "201", locationName: "Sur" }],
        [7, { habitacion: "101" }],
      ] as const) {
        const body = aRecord({ valor, createdTime: NOON_MS, ...otherwise });
        await user.post("/api/data", body).expect(201);
      }
      await appliance.voidNewest(user.id);
      for (const [query, sales, revenue] of [
        [{}, 3, 5.3],
        [{ location: "Sur" }, 1, 5],
        [{ from: "2026-03-11" }, 2, 5.1],
        [{ room: "101" }, 1, 0.1],
        [{ roomPart: "10" }, 2, 0.3],
        [{ roomPart: "10", from: "2026-03-11" }, 1, 0.1],
      ] as const) {
        expect(await sum(query)).to.deep.equal({ status: "success", data: { sales, revenue } });
      }
    });
  });

  describe("POST /record/void", () => {
    const takeBack = (number: unknown, by = user) =>
      by.post("/api/record/void", { void: { number, reason: "Prueba del técnico" } });

    it("voids a record of the user's own once, which is still seen, with the reason, and the audit log names who did it", async () => {
      await post(2);
      const [newest] = (await list("/api/record")).data;
      const other = await appliance.addUser();
      await takeBack(newest?.["number"], other).expect(404);
      const answer = await takeBack(newest?.["number"]).expect(200);
      expect(answer.body).to.deep.equal({ status: "success" });
      await takeBack(newest?.["number"]).expect(409);
      const { data } = await list("/api/record");
      expect(data[0]?.["voided"]).to.deep.equal({
        timeMs: appliance.clock.nowMs(),
        reason: "Prueba del técnico",
        who: user.email,
      });
      expect(data[1]?.["voided"]).to.equal(null);
      const entry = appliance.newestAudit(user.id);
      expect(entry).to.include({ kind: "record_voided", way: "network", who: user.email });
    });
  });

  describe("GET /record", () => {
    it("gives an edge's record with the time at which its line went low again", async () => {
      const line = await WiredLine.wire(appliance, user, "SIM0");
      await line.go(true);
      const createdTime = line.timeMs;
      expect((await list("/api/record")).data[0]).to.include({
        origin: "edge",
        createdTime,
        endedTime: null,
      });
      await line.go(false);
      const { data } = await list("/api/record");
      expect(data[0]).to.include({ createdTime, endedTime: line.timeMs, habitacion: "101", valor: 4.5 });
    });

    it("finds rooms by a part of their name, in either case, and takes no sign in it for a pattern", async () => {
      for (const habitacion of ["Suite Ñandú", "suite 1", "101", "1*1"]) {
        await user.post("/api/data", aRecord({ habitacion })).expect(201);
      }
      for (const [roomPart, rooms] of [
        ["suite ñ", ["Suite Ñandú"]],
        ["SUITE", ["suite 1", "Suite Ñandú"]],
        ["01", ["101"]],
        ["1*", ["1*1"]],
        ["[1]", []],
      ] as const) {
        const { data } = await list("/api/record", { roomPart });
        expect(data.map(({ habitacion }) => habitacion)).to.deep.equal(rooms);
      }
    });

    it("finds one by its number, and those of a state, in the sum too", async () => {
      await post(3);
      await appliance.voidNewest(user.id);
      for (const [query, numbers, sales] of [
        [{ number: 2 }, [2], 1],
        [{ number: 3 }, [3], 0],
        [{ number: 4 }, [], 0],
        [{ number: 2, room: "999" }, [], 0],
        [{ number: 2, from: "2100-01-01" }, [], 0],
        [{ state: "counted" }, [2, 1], 2],
        [{ state: "voided" }, [3], 0],
        [{ state: "provisional" }, [], 0],
      ] as const) {
        const { data, next } = await list("/api/record", query);
        expect([data.map(({ number }) => number), next], JSON.stringify(query)).to.deep.equal([
          numbers,
          null,
        ]);
        const { body } = await user.get("/api/record/sum", query).expect(200);
        expect(body.data.sales, JSON.stringify(query)).to.equal(sales);
      }
      const { data } = await list("/api/record", { state: "voided" });
      expect(data[0]?.["voided"], "no member did it").to.include({ who: null });
      await user.get("/api/record", { state: "lost" }).expect(400);
    });

    it("gives the newest first, in pages that hold each once", async () => {
      await post(7);
      const found = await user.pages("/api/record", 3);
      expect(found.map((page) => page.map(({ valor }) => valor))).to.deep.equal([[7, 6, 5], [4, 3, 2], [1]]);
    });

    it("gives 50 when no number is asked for, and 200 at most", async () => {
      await post(MORE_THAN_A_PAGE);
      expect((await list("/api/record")).data).to.have.lengthOf(50);
      expect((await list("/api/record", { limit: 200 })).data).to.have.lengthOf(MORE_THAN_A_PAGE);
    });
  });

  describe("GET /gap", () => {
    it("gives the newest first, in pages that hold each once, a user's own alone", async () => {
      const line = await WiredLine.wire(appliance, user, "SIM2");
      for (const missed of [2, 4, 6]) await line.go(false, missed);
      const found = await user.pages("/api/gap", 2);
      expect(found.map((page) => page.map(({ missed }) => missed))).to.deep.equal([[6, 4], [2]]);
      expect(await (await appliance.addUser()).data("/api/gap")).to.deep.equal([]);
    });
  });
});
