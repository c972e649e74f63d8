import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { MAX_LOGO_BYTES } from "../../src/domain/account.ts";
import { MAX_COMPARED } from "../../src/domain/overview.ts";
import { MAX_REPORTED_ROOMS } from "../../src/domain/report.ts";
import { newRecord } from "../ledger/test-ledger.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import type { SignedInUser } from "../rig/signed-in-user.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { aDevice, aRecord, JPEG, LETTERHEAD, logoOf, PNG } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

const NORTH = "Clínica Norte";
interface LocationRevenue {
  readonly name: string;
  readonly location: string;
  readonly revenue: number;
}
const BESIDE = {
  refunds: 0,
  refunded: 0,
  voided: 0,
  voidedTotal: 0,
  byHand: 0,
  byHandTotal: 0,
  provisional: 0,
};

/** What a report says where nothing was given back. */
function sold(sales: number, revenue: number, beside: Partial<typeof BESIDE> = {}) {
  return { sales, revenue, gross: revenue, ...BESIDE, ...beside };
}

/** A moment of the appliance's zone, in winter. */
function madrid(local: string): number {
  return Date.parse(`${local}+01:00`);
}

describe("The report of a month or a day", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => {
    appliance.clock.setWall(NOON_MS);
    return appliance.addUser();
  });

  async function post(otherwise: Readonly<Record<string, unknown>>): Promise<void> {
    await user.post("/api/data", aRecord(otherwise)).expect(201);
  }

  async function report(query: object = {}, by = user) {
    return by.data("/api/report", { month: "2026-03", location: NORTH, ...query });
  }

  it("adds up each room of a location, in the order of numbers, and all of them", async () => {
    const a = { deviceName: "Pasillo 2", deviceId: "a" };
    const b = { deviceName: "Pasillo 10", deviceId: "b" };
    await post({ ...b, habitacion: "1", valor: 1 });
    await post({ ...a, habitacion: "10", valor: 0.1 });
    await post({ ...a, habitacion: "9", valor: 4 });
    await post({ ...a, habitacion: "10", valor: 0.2 });
    await post({ ...a, habitacion: "10", valor: 100, locationName: "Sur" });
    const { days, ...rest } = await report();
    expect(days).to.have.length(31);
    expect(rest).to.deep.equal({
      month: "2026-03",
      day: null,
      location: NORTH,
      from: "2026-03-01",
      to: "2026-03-31",
      before: { from: "2026-02-01", to: "2026-02-11", sales: 0, revenue: 0 },
      locations: [{ name: NORTH, sales: 4, revenue: 5.3, before: 0 }],
      otherLocations: null,
      rooms: [
        { location: NORTH, ...a, room: "9", prices: { least: 4, most: 4 }, ...sold(1, 4), paidUntil: null },
        {
          location: NORTH,
          ...a,
          room: "10",
          prices: { least: 0.1, most: 0.2 },
          ...sold(2, 0.3),
          paidUntil: null,
        },
        { location: NORTH, ...b, room: "1", prices: { least: 1, most: 1 }, ...sold(1, 1), paidUntil: null },
      ],
      others: null,
      totals: { ...sold(4, 5.3) },
      gaps: [],
      head: appliance.reader.chainHead(),
      complete: false,
    });
  });

  it("is of all locations where none is named: each has its sum, and each room its location", async () => {
    await post({ deviceId: "a", habitacion: "1", valor: 2, locationName: "Sur" });
    await post({ deviceId: "a", habitacion: "1", valor: 3 });
    const { location, locations, rooms, totals } = await report({ location: undefined });
    expect(location).to.equal(null);
    expect(locations.map(({ name, revenue }: LocationRevenue) => [name, revenue])).to.deep.equal([
      [NORTH, 3],
      ["Sur", 2],
    ]);
    expect(rooms.map((room: LocationRevenue) => [room.location, room.revenue])).to.deep.equal([
      [NORTH, 3],
      ["Sur", 2],
    ]);
    expect(totals).to.include({ sales: 2, revenue: 5 });
  });

  it("has its days up to today as a table for another program, in each language", async () => {
    await post({ createdTime: madrid("2026-03-10T10:00"), valor: 1_234.5, locationName: "=Sur" });
    await post({ createdTime: madrid("2026-03-10T11:00"), valor: 0.1 });
    const table = async (query: string) => {
      const { text, headers } = await user.get(`/api/report/days?month=2026-03&${query}`).expect(200);
      return {
        name: headers["content-disposition"],
        lines: text.replace("\uFEFF", "").trimEnd().split("\r\n"),
      };
    };
    const spanish = await table("lang=es");
    expect(spanish.name).to.equal('attachment; filename="flanco-dias-2026-03.csv"');
    expect(spanish.lines[0]).to.equal("Fecha;Lugar;Ventas;Importe");
    expect(spanish.lines[10]).to.equal("2026-03-10;;2;1234,6");
    expect(spanish.lines, "a head, and no day to come").to.have.length(12);
    const english = await table(`lang=en&location=${encodeURIComponent("=Sur")}`);
    expect(english.lines[10]).to.equal("2026-03-10,'=Sur,1,1234.5");
    // A spreadsheet would make 101 of it.
    await post({ createdTime: madrid("2026-03-10T12:00"), valor: 2, locationName: "0101" });
    expect((await table("lang=es&location=0101")).lines[10]).to.equal('2026-03-10;"=""0101""";1;2');
    await user.get("/api/report/days?month=2026-03").expect(400);
  });

  it("has each day beside the same day of the month before, and nothing of a month that is to come", async () => {
    await post({ createdTime: madrid("2026-01-02T10:00"), valor: 7 });
    await post({ createdTime: madrid("2026-02-02T10:00"), valor: 4 });
    const { days, before, locations } = await report({ month: "2026-02" });
    expect(days).to.have.length(28);
    expect(days[1]).to.deep.equal({ day: "2026-02-02", sales: 1, revenue: 4, before: 7 });
    expect(before).to.deep.equal({ from: "2026-01-01", to: "2026-01-31", sales: 1, revenue: 7 });
    expect(locations[0]).to.include({ revenue: 4, before: 7 });
    const ahead = await report({ month: "2026-05" });
    expect(ahead).to.deep.include({ before: null, days: [], locations: [] });
  });

  it("is of the local month, to its last millisecond, and complete once that is over", async () => {
    await post({ createdTime: madrid("2026-01-31T23:59:59.999"), valor: 100 });
    await post({ createdTime: madrid("2026-02-01T00:00"), valor: 1 });
    await post({ createdTime: madrid("2026-02-28T23:59:59.999"), valor: 2 });
    await post({ createdTime: madrid("2026-03-01T00:00"), valor: 100 });
    const february = await report({ month: "2026-02" });
    expect(february).to.include({ from: "2026-02-01", to: "2026-02-28", complete: true });
    expect(february.totals).to.include({ sales: 2, revenue: 3 });
    appliance.clock.setWall(madrid("2026-02-28T23:59:59.999"));
    expect(await report({ month: "2026-02" }, await appliance.signedIn(user))).to.include({
      complete: false,
    });
  });

  it("is not complete where its month ends while it is made: what is sold meanwhile is not in it", async () => {
    appliance.clock.setWall(madrid("2026-02-28T23:59:59.999"));
    const reader = await appliance.signedIn(user);
    appliance.breaker.instead.set("findRecords", () => {
      appliance.clock.setWall(madrid("2026-03-01T00:00"));
      return { records: [], next: null };
    });
    try {
      expect(await report({ month: "2026-02" }, reader)).to.include({ complete: false });
    } finally {
      appliance.breaker.instead.clear();
    }
  });

  it("is of one local day beside the day before, with the ledger's head", async () => {
    await post({ createdTime: madrid("2026-03-09T00:00"), valor: 5 });
    await post({ createdTime: madrid("2026-03-09T23:59:59.999"), valor: 2 });
    await post({ createdTime: madrid("2026-03-10T00:00"), valor: 1 });
    await post({ createdTime: madrid("2026-03-10T23:59:59.999"), valor: 3 });
    await post({ createdTime: madrid("2026-03-11T00:00"), valor: 100 });
    const of = await report({ month: undefined, day: "2026-03-10" });
    expect(of).to.include({ month: "2026-03", day: "2026-03-10", from: "2026-03-10", to: "2026-03-10" });
    expect(of.totals).to.deep.equal(sold(2, 4));
    expect(of.before).to.deep.equal({ from: "2026-03-09", to: "2026-03-09", sales: 2, revenue: 7 });
    expect(of.days).to.deep.equal([{ day: "2026-03-10", sales: 2, revenue: 4, before: 7 }]);
    expect(of.locations).to.deep.equal([{ name: NORTH, sales: 2, revenue: 4, before: 7 }]);
    expect(of).to.include({ head: appliance.reader.chainHead(), complete: true });
    const ahead = await report({ month: undefined, day: "2026-03-12" });
    expect(ahead).to.deep.include({ before: null, days: [], locations: [], complete: false });
  });

  it("lists so many rooms and locations, and adds up the others", async () => {
    const posted = Array.from({ length: MAX_REPORTED_ROOMS + 1 }, (_, index) =>
      appliance.writer.addRecord(
        user.id,
        newRecord({
          room: String(index),
          createdTimeMs: madrid("2026-03-10T12:00") + index,
          locationName: `Lugar ${index % (MAX_COMPARED + 1)}`,
        }),
        null,
      ),
    );
    await Promise.all(posted);
    const { rooms, others, locations, otherLocations, totals } = await report({ location: undefined });
    expect(totals).to.include({ sales: MAX_REPORTED_ROOMS + 1 });
    expect(rooms).to.have.length(MAX_REPORTED_ROOMS);
    expect(others).to.include({ sales: 1 });
    expect(locations).to.have.length(MAX_COMPARED);
    const sum = (of: "sales" | "revenue") =>
      locations.reduce(
        (all: number, place: Record<string, number>) => all + (place[of] ?? 0),
        otherLocations[of],
      );
    expect(sum("sales")).to.equal(totals.sales);
    expect(sum("revenue")).to.be.closeTo(totals.revenue, 1e-6);
  });

  it("counts no voided record, and says how many there are", async () => {
    await post({ valor: 1 });
    await post({ valor: 2 });
    await appliance.voidNewest(user.id);
    const { rooms, totals } = await report();
    expect(totals).to.deep.equal(sold(1, 1, { voided: 1, voidedTotal: 2 }));
    expect(rooms).to.have.lengthOf(1);
  });

  it("counts provisional records, and says how many there are", async () => {
    const line = await WiredLine.wire(appliance, user, "SIM0");
    await line.go(true, 0, { provisional: true });
    expect((await report()).totals).to.deep.equal(sold(1, 4.5, { provisional: 1 }));
    await appliance.writer.removeWiring(user.id, "SIM0");
  });

  it("reads no wiring where it is of all locations: an account may have 4,096", async () => {
    await post({});
    appliance.breaker.instead.set("wirings", () => expect.fail("the wirings were read"));
    expect((await user.data("/api/report", { month: "2026-03" })).totals.sales).to.equal(1);
    appliance.breaker.instead.clear();
  });

  it("has the month's gaps of lines that are wired there, or nowhere any more", async () => {
    for (const [dId, locationName] of [
      ["north", NORTH],
      ["south", "Sur"],
    ] as const) {
      await appliance.writer.addDevice(user.id, aDevice({ dId, locationName }).newDevice);
    }
    for (const [line, dId, actuatorId] of [
      ["SIM1", "north", "101"],
      ["SIM2", "south", "101"],
      ["SIM3", "south", "102"],
    ] as const) {
      const wired = await WiredLine.wire(appliance, user, line, { dId, actuatorId });
      await wired.go(false, 4);
    }
    await appliance.writer.removeWiring(user.id, "SIM3");
    const { gaps } = await report();
    expect(gaps.map(({ line }: { line: string }) => line)).to.deep.equal(["SIM3", "SIM1"]);
    expect(gaps[1]).to.include({ missed: 4, missedRises: 2, reason: "overflow" });
    expect((await report({ month: "2026-02" })).gaps).to.deep.equal([]);
    expect((await report({ month: "2026-04" })).gaps).to.deep.equal([]);
    const other = await appliance.addUser();
    expect((await report({}, other)).gaps).to.deep.equal([]);
    for (const line of ["SIM1", "SIM2"]) await appliance.writer.removeWiring(user.id, line);
  });

  it("has the newest 1,000 gaps of all lines", async () => {
    for (const [line, actuatorId] of [
      ["SIM1", "101"],
      ["SIM2", "102"],
    ] as const) {
      const wired = await WiredLine.wire(appliance, user, line, { dId: "7234", actuatorId });
      await wired.goOften(300, { missed: 1, provisional: false });
    }
    const { gaps } = await report({ location: undefined });
    const of = (line: string) => gaps.filter((gap: { readonly line: string }) => gap.line === line).length;
    expect([of("SIM2"), of("SIM1")]).to.deep.equal([600, 400]);
    for (const line of ["SIM1", "SIM2"]) await appliance.writer.removeWiring(user.id, line);
  });

  it("agrees with the overview of that location", async () => {
    for (let count = 0; count < 250; count += 1) {
      await post({ valor: count / 7, createdTime: madrid("2026-03-01T00:00") + count * 60_000 });
    }
    await post({ valor: 1, locationName: "Sur" });
    const data = await user.data("/api/overview", { period: "year", location: NORTH });
    const { totals, rooms } = await report();
    expect(totals).to.include({ sales: 250, revenue: data.revenue });
    expect(rooms[0]).to.include({ sales: 250 });
  });

  describe("under way", () => {
    const ENDLESS = { records: [], next: { timeMs: 1, number: 1 } };
    const QUERY = "/api/report?month=2026-03&location=x";
    let reads: Map<string, number>;
    let asked: ClientRequest[];

    beforeEach(() => {
      reads = new Map();
      asked = [];
      appliance.breaker.instead.set("findRecords", (userId: string) => {
        reads.set(userId, (reads.get(userId) ?? 0) + 1);
        return ENDLESS;
      });
    });
    afterEach(async () => {
      for (const request of asked) request.destroy();
      // A walk that goes on all the same comes to the ledger's own end.
      appliance.breaker.instead.clear();
      await until("nothing is read", isStill);
    });

    /** Asks for a report, or for something else that walks, of a ledger without an end. */
    function ask(owner: SignedInUser, path = QUERY): ClientRequest {
      const headers = { Cookie: owner.cookie };
      const request = get({ host: "127.0.0.1", port: appliance.port, path, headers, agent: false });
      request.on("error", () => {});
      asked.push(request);
      return request;
    }

    /** Whether nothing was read in some rounds of the loop, in each of which a walk reads a piece. */
    async function isStill(): Promise<boolean> {
      const before = [...reads.values()];
      for (let round = 0; round < 20; round += 1) await turn();
      return before.join() === [...reads.values()].join();
    }

    for (const [what, path] of [
      ["it", QUERY],
      ["a sum of one room", "/api/record/sum?room=x"],
    ] as const) {
      it(`${what} stops when its client has hung up`, async () => {
        const request = ask(user, path);
        await until("it looks through the ledger", () => (reads.get(user.id) ?? 0) > 10);
        request.destroy();
        await until("it stops", isStill);
      });
    }

    it("is one of a user and three in all: others wait, and too many of one user are refused", async () => {
      const users = await Promise.all(Array.from({ length: 4 }, () => appliance.addUser()));
      const [first = user, second = user, third = user, fourth = user] = users;
      for (const owner of [first, second, third]) ask(owner);
      await until("three are under way", () => reads.size === 3);
      for (let count = 0; count < 9; count += 1) ask(fourth);
      const [refused] = (await Promise.race(asked.slice(3).map((one) => once(one, "response")))) as [
        IncomingMessage,
      ];
      expect(refused.statusCode).to.equal(503);
      expect(refused.headers["retry-after"]).to.equal("1");
      refused.resume();
      expect(reads.has(fourth.id)).to.equal(false);
      asked[0]?.destroy();
      await until("another begins", () => reads.has(fourth.id));
    });
  });
});

describe("The letterhead of an account", () => {
  const appliance = forSuite(() => Appliance.open());
  const owner = forEachTest(() => appliance.addUser());

  function set(otherwise: object = {}) {
    return owner.put("/api/letterhead", { letterhead: { ...LETTERHEAD, ...otherwise } });
  }

  async function get(by = owner) {
    return await by.data("/api/letterhead");
  }

  it("is empty at first, and then as it was set, for this account alone", async () => {
    expect(await get()).to.deep.equal({ company: "", taxNumber: "", address: "", logo: "" });
    await set().expect(200);
    expect(await get()).to.deep.equal(LETTERHEAD);
    expect((await get(await appliance.addUser())).company).to.equal("");
  });

  it("is written to the audit log, with the picture's hash in place of the picture", async () => {
    await set().expect(200);
    const { kind, details } = (await owner.data("/api/audit"))[0];
    expect(kind).to.equal("letterhead_set");
    expect(details).to.include({ company: LETTERHEAD.company, taxNumber: LETTERHEAD.taxNumber });
    expect(details.logo).to.match(/^[0-9a-f]{64}$/);
  });

  for (const [name, logo] of [
    ["a JPEG", logoOf("jpeg", JPEG)],
    ["none", ""],
    ["one of the largest size", logoOf("png", PNG, MAX_LOGO_BYTES)],
  ] as const) {
    it(`takes as its logo ${name}`, async () => {
      await set({ logo }).expect(200);
      expect((await get()).logo).to.equal(logo);
    });
  }
});
