import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import type { Method } from "../../src/contract/declaration.ts";
import { POSITION_HEADER } from "../../src/contract/event.ts";
import type { Role } from "../../src/domain/member.ts";
import { Appliance } from "../rig/appliance.ts";
import { operationsOf } from "../rig/description.ts";
import { EventStream } from "../rig/event-stream.ts";
import type { SignedInUser } from "../rig/signed-in-user.ts";
import { forSuite } from "../rig/standing.ts";
import { readWorkbook } from "../rig/workbook.ts";
import { aDevice, aLocation, aRecord, aWiring, BODIES } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

/**
 * What a limited member may do of what its role may: w within its locations, r refused, o for owners alone, who
 * are never limited, and n where no session is needed. A new operation is to be decided here.
 */
const DECIDED: Readonly<Record<string, "w" | "r" | "o" | "n">> = {
  "post /api/login": "n",
  "post /api/logout": "n",
  "post /api/first-run": "n",
  "post /api/link": "n",
  "get /api/verify": "w",
  "get /api/me": "w",
  "patch /api/me": "w",
  "put /api/me/password": "w",
  "get /api/member": "o",
  "post /api/member": "o",
  "patch /api/member": "o",
  "delete /api/member": "o",
  "post /api/member/link": "o",
  "post /api/member/sign-out": "o",
  "get /api/device": "w",
  "post /api/device": "w",
  "patch /api/device": "w",
  "delete /api/device": "w",
  "get /api/location": "w",
  "post /api/location": "r",
  "patch /api/location": "w",
  "delete /api/location": "w",
  "post /api/data": "w",
  "get /api/data": "w",
  "get /api/overview": "w",
  "get /api/room": "w",
  "get /api/room/last-sale": "w",
  "get /api/terms": "w",
  "put /api/terms": "o",
  "get /api/settlements": "w",
  "get /api/settlement": "w",
  "get /api/settlement/draft": "w",
  "get /api/settlement/check": "r",
  "post /api/settlement": "o",
  "get /api/record": "w",
  "get /api/record/sum": "w",
  "post /api/record/void": "o",
  "post /api/record/sale": "o",
  "post /api/record/refund": "o",
  "get /api/record/one": "w",
  "get /api/record/price": "o",
  "get /api/export": "w",
  "get /api/report": "w",
  "get /api/report/days": "w",
  "get /api/letterhead": "w",
  "put /api/letterhead": "o",
  "get /api/gap": "w",
  "get /api/wiring": "w",
  "put /api/wiring": "w",
  "get /api/wiring/price": "w",
  "put /api/wiring/price": "o",
  "delete /api/wiring/price": "o",
  "post /api/room/paid-time": "w",
  "delete /api/wiring": "w",
  "get /api/commission/edge": "w",
  "put /api/commission": "w",
  "get /api/commission": "w",
  "delete /api/commission": "w",
  "put /api/commission/room": "w",
  "put /api/commission/tick": "w",
  "post /api/commission/mend": "w",
  "post /api/commission/report": "w",
  "get /api/commission/report": "w",
  "get /api/commission/reports": "w",
  "get /api/line": "w",
  "post /api/line/drive": "w",
  "get /api/status": "w",
  "get /api/audit": "o",
  "get /api/event": "w",
  "get /api/sink": "o",
  "put /api/sink": "o",
  "delete /api/sink": "o",
  "post /api/sink/passphrase": "o",
  "post /api/sink/test": "o",
};

const ROLES = ["staff", "technician", "display", "accountant", "program"] as const satisfies readonly Role[];
/** Of the location beyond the limit: its names, rooms and amounts are those of nothing else. */
const HIDDEN = { dId: "oculto-7", actuatorId: "cuarto-77" };
const HIDDEN_PRICE = 41.93;
const SECRETS = /oculto|oculta|cuarto-77|41[.,]9|83[.,]86|SIM5"?,"?(dId|deviceName|room)/i;
const DAY = "2026-03-11";
const FEBRUARY_MS = Date.UTC(2026, 1, 10);
/** What is asked of what is read: everything, and what is beyond the limit by its name. */
const QUERIES: Readonly<Record<string, readonly object[]>> = {
  "/api/data": [{ period: "semanal" }, { period: "anual" }],
  "/api/overview": [
    { period: "week" },
    { period: "year" },
    { period: "month", location: "Sede oculta" },
    { period: "day", device: "DEVICE" },
  ],
  "/api/record": [
    {},
    { location: "Sede oculta" },
    { device: "DEVICE" },
    { room: "cuarto-77" },
    { roomPart: "7" },
    { number: "1" },
    { number: "2" },
    { number: "3" },
  ],
  "/api/record/one": [{ number: "1" }, { number: "2" }, { number: "3" }, { number: "4" }],
  "/api/record/sum": [{}, { location: "Sede oculta" }, { room: "cuarto-77" }, { device: "DEVICE" }],
  "/api/export": [{ lang: "es" }, { lang: "en", location: "Sede oculta" }, { lang: "es", room: "cuarto-77" }],
  "/api/report": [{ month: "2026-03" }, { month: "2026-03", location: "Sede oculta" }, { day: DAY }],
  "/api/settlement/draft": [{ month: "2026-03" }],
  "/api/settlement": [{ month: "2026-02" }],
  "/api/report/days": [{ month: "2026-03", lang: "es" }],
  "/api/wiring/price": [{}, { dId: HIDDEN.dId, room: HIDDEN.actuatorId }],
  "/api/commission/report": [{}, { number: "REPORT" }],
};

describe("A member who is limited to locations", () => {
  const appliance = forSuite(() => Appliance.open());
  const owner = forSuite(() => appliance.addUser());
  const members = new Map<Role, SignedInUser>();
  let north: string;
  let hidden: string;
  let hiddenDevice: string;
  let report: string;
  let ownLine: WiredLine;
  let hiddenLine: WiredLine;

  before(async () => {
    const places = [
      { name: "Clínica Norte", dId: "norte-1", room: "101" },
      { name: "Sede oculta", dId: HIDDEN.dId, room: HIDDEN.actuatorId },
    ];
    for (const { name, dId, room } of places) {
      const locationId = await appliance.writer.addLocation(owner.id, { name, description: name });
      const actuators = [{ id: room, value: false }];
      const device = aDevice({ dId, name: `Pasillo ${dId}`, locationId, locationName: name, actuators });
      await owner.post("/api/device", device.newDevice && device).expect(200);
    }
    [north = "", hidden = ""] = appliance.reader.locations(owner.id).map(({ id }) => id);
    hiddenDevice = appliance.reader.devices(owner.id).find(({ dId }) => dId === HIDDEN.dId)?.id ?? "";
    ownLine = await WiredLine.wire(appliance, owner, "SIM4", { dId: "norte-1", actuatorId: "101" }, 3.5);
    hiddenLine = await WiredLine.wire(appliance, owner, "SIM5", HIDDEN, HIDDEN_PRICE);
    for (const line of [hiddenLine, ownLine]) {
      await line.go(true);
      await line.go(false);
      await line.go(true, 3);
      await line.go(false);
    }
    const posted = { deviceId: "libre", deviceName: "Otro", habitacion: "cuarto-77", valor: HIDDEN_PRICE };
    const elsewhere = { ...posted, locationName: "Sede oculta" };
    await owner.post("/api/data", aRecord(elsewhere)).expect(201);
    await owner.post("/api/data", aRecord({ ...elsewhere, createdTime: FEBRUARY_MS })).expect(201);
    for (const [locationId, clinicSigner] of [
      [north, "Ana"],
      [hidden, "Ana oculta"],
    ]) {
      const terms = {
        locationId,
        from: "2026-02",
        kind: "share",
        share: clinicSigner === "Ana" ? 30 : 41.93,
        clinicSigner,
      };
      await owner.put("/api/terms", { terms }).expect(200);
    }
    await owner.post("/api/settlement", { settlement: { month: "2026-02" } }).expect(200);
    await appliance.writer.planPrices(
      owner.id,
      ["SIM5"],
      { valorMicros: HIDDEN_PRICE * 1e6, paidMinutes: null },
      20_990_101,
    );
    await owner.put("/api/commission", { commission: {} }).expect(200);
    await hiddenLine.go(true);
    await hiddenLine.go(false);
    const names = { technician: "Técnica oculta", clinic: "Oculta" };
    const { body } = await owner.post("/api/commission/report", { report: names }).expect(200);
    report = String(body.data.number);
    for (const role of ROLES) {
      const member = await appliance.addMember(owner.id, role);
      await appliance.writer.changeMember(owner.id, member.id, { locationIds: [north] });
      members.set(role, member);
    }
  });

  function member(role: Role): SignedInUser {
    const found = members.get(role);
    if (found === undefined) throw new Error(`There is no ${role}.`);
    return found;
  }

  const filled = (query: object) =>
    JSON.parse(JSON.stringify(query).replace("DEVICE", hiddenDevice).replace("REPORT", report)) as object;

  it("is decided of for every operation of the description", async () => {
    const names = operationsOf(await appliance.description()).map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(DECIDED)).to.have.members(names);
  });

  it("is refused what is of all locations alone, whatever its role may do", async () => {
    const refused = new Set<string>();
    for (const role of ROLES) {
      for (const [operation, decided] of Object.entries(DECIDED)) {
        if (decided === "n" || operation === "get /api/event") continue;
        const [method, path = ""] = operation.split(" ");
        const { text } = await member(role)[method as Method](path, BODIES[operation] && {});
        if (text.includes("This is of all locations")) refused.add(operation);
      }
    }
    expect([...refused]).to.have.members(Object.keys(DECIDED).filter((name) => DECIDED[name] === "r"));
  });

  for (const role of ROLES) {
    it(`(${role}) reads nothing of other locations: no name, room, amount or count, by any filter`, async () => {
      let read = 0;
      let shown = 0;
      for (const [operation, decided] of Object.entries(DECIDED)) {
        const [method, path = ""] = operation.split(" ");
        if (method !== "get" || decided !== "w" || path === "/api/event") continue;
        for (const query of QUERIES[path] ?? [{}]) {
          const asked = filled(query);
          const answer = await member(role).get(path, asked);
          if (answer.status === 403) expect(answer.text, path).to.include("Your role");
          else {
            read += 1;
            const whole = await owner.get(path, asked);
            if (SECRETS.test(whole.text)) shown += 1;
            // A report says what was asked.
            const text = answer.text.replace('"location":"Sede oculta"', "");
            expect(text, `${path} ${JSON.stringify(asked)}`).not.to.match(SECRETS);
          }
        }
      }
      expect(read).to.be.greaterThan(2);
      expect(shown, "the owner is shown them (control)").to.be.greaterThan(1);
    });
  }

  it("has the sums, counts and lines of its own locations alone", async () => {
    const staff = member("staff");
    expect((await staff.data("/api/data", { period: "semanal" })).totalRevenue).to.equal(7);
    expect((await staff.data("/api/data", { period: "anual" })).totalDevices).to.equal(1);
    expect(await staff.data("/api/record/sum")).to.deep.equal({ sales: 2, revenue: 7 });
    expect(await staff.data("/api/record/sum", { location: "Sede oculta" })).to.deep.equal({
      sales: 0,
      revenue: 0,
    });
    const { choices, locations, otherLocations } = await staff.data("/api/overview", { period: "year" });
    expect([choices.locations, locations.length, otherLocations]).to.deep.equal([["Clínica Norte"], 1, null]);
    const { today, linesWired, lastEdges, gaps } = await staff.data("/api/status");
    expect([today.sales, linesWired, lastEdges.length, gaps.all]).to.deep.equal([2, 1, 1, 1]);
    expect((await staff.data("/api/gap")).map(({ line }: { line: string }) => line)).to.deep.equal(["SIM4"]);
    expect((await staff.data("/api/report", { month: "2026-03" })).totals.sales).to.equal(2);
    const draft = await member("accountant").data("/api/settlement/draft", { month: "2026-03" });
    expect(draft.locations.map(({ name }: { name: string }) => name)).to.deep.equal(["Clínica Norte"]);
    expect(draft.totals).to.deep.include({ sales: 2, net: 7, due: draft.locations[0].due });
    expect(draft).to.deep.include({ numbers: null, since: 0, otherRooms: null });
    expect(await member("accountant").data("/api/terms")).to.have.length(1);
    const chip = { name: "simchip0", label: "flanco simulation" };
    const lines = appliance.reader.wirings(owner.id).map((wiring, offset) => ({
      ...{ chip: chip.name, offset, name: wiring.line, wiring, watched: true, level: true },
      ...{ problem: "cable", holder: null },
    }));
    appliance.lines.chips = [{ ...chip, lines }];
    const { chips } = await member("technician").data("/api/line");
    expect(chips[0].lines[0].wired).to.include({ dId: "norte-1" });
    expect(chips[0].lines[1]).to.include({ wired: null, wiredByOther: true, level: null, problem: null });
    expect((await member("staff").data("/api/me")).locationIds).to.deep.equal([north]);
  });

  it("does nothing beyond its locations", async () => {
    const state = () =>
      JSON.stringify([
        appliance.reader.devices(owner.id),
        appliance.reader.locations(owner.id),
        appliance.reader.wirings(owner.id),
        appliance.reader.newestEntry(),
        appliance.reader.commissions(),
      ]);
    const before = state();
    const device = (otherwise: Readonly<Record<string, unknown>>) => aDevice({ dId: "nuevo", ...otherwise });
    const wiring = (otherwise: Readonly<Record<string, unknown>>) => {
      const { valor: _valor, ...rest } = aWiring(otherwise).wiring;
      return { wiring: rest };
    };
    const [own, room] = [
      { dId: "norte-1", room: "101" },
      { dId: HIDDEN.dId, room: HIDDEN.actuatorId },
    ];
    const attempts: readonly (readonly [Role, Method, string, object, number])[] = [
      ["technician", "post", "/api/location", aLocation({ name: "Nueva" }), 403],
      ["technician", "patch", `/api/location?locationId=${hidden}`, aLocation(), 404],
      ["technician", "delete", "/api/location", { locationId: hidden }, 404],
      ["technician", "post", "/api/device", device({ locationId: hidden, locationName: "Sede oculta" }), 403],
      ["technician", "post", "/api/device", device({ locationId: north, locationName: "Sede oculta" }), 403],
      ["technician", "patch", `/api/device?dId=${HIDDEN.dId}`, { device: { name: "x" } }, 404],
      ["technician", "patch", "/api/device?dId=norte-1", { device: { locationId: hidden } }, 404],
      ["technician", "delete", "/api/device", { dId: HIDDEN.dId }, 404],
      ["technician", "put", "/api/wiring", wiring({ line: "SIM6", ...HIDDEN }), 404],
      ["technician", "put", "/api/wiring", wiring({ line: "SIM5", dId: "norte-1" }), 403],
      ["technician", "delete", "/api/wiring", { line: "SIM5" }, 403],
      ["technician", "put", "/api/commission", { commission: { lines: ["SIM5"] } }, 403],
      ["technician", "put", "/api/commission/room", { room }, 404],
      ["technician", "put", "/api/commission/tick", { tick: { ...room, note: "" } }, 404],
      ["technician", "post", "/api/commission/mend", { room }, 404],
      ["staff", "post", "/api/room/paid-time", { move: { from: room, to: own } }, 404],
      ["staff", "post", "/api/room/paid-time", { move: { from: own, to: room } }, 404],
      ["technician", "post", "/api/line/drive", { line: "SIM5", level: true }, 409],
      ["program", "post", "/api/data", aRecord({ locationName: "Sede oculta" }), 403],
      ["program", "post", "/api/data", aRecord({ deviceId: HIDDEN.dId }), 403],
      ["program", "post", "/api/data", aRecord({ deviceId: hiddenDevice }), 403],
    ];
    for (const [role, method, path, sent, status] of attempts) {
      const { status: answered, text } = await member(role)[method](path, sent);
      expect(answered, `${method} ${path} ${JSON.stringify(sent)}: ${text}`).to.equal(status);
      expect(text.replaceAll(HIDDEN.dId, "")).not.to.match(/Pasillo oculto|cuarto-77.*Pasillo/);
    }
    expect(state()).to.equal(before);
    await member("program")
      .post("/api/data", aRecord({ deviceId: "norte-1", valor: 0 }))
      .expect(201);
    await member("technician")
      .patch("/api/device?dId=norte-1", { device: { name: "Pasillo A" } })
      .expect(200);
  });

  it("commissions its own lines, and neither sees nor ends one that is of others too", async () => {
    const technician = member("technician");
    await owner.put("/api/commission", { commission: {} }).expect(200);
    for (const method of ["get", "delete"] as const) await technician[method]("/api/commission").expect(403);
    await technician.put("/api/commission", { commission: {} }).expect(403);
    await owner.delete("/api/commission").expect(200);
    await technician.put("/api/commission", { commission: {} }).expect(200);
    const { lines, rooms } = await technician.data("/api/commission");
    expect([lines, rooms.length]).to.deep.equal([["SIM4"], 1]);
    const names = { technician: "Luis", clinic: "Ana" };
    const { body } = await technician.post("/api/commission/report", { report: names }).expect(200);
    const own = await technician.data("/api/commission/report", { number: body.data.number });
    expect(own.rooms).to.have.length(1);
    expect(await technician.data("/api/commission/reports")).to.have.length(1);
    expect(await owner.data("/api/commission/reports")).to.have.length(2);
    await technician.get("/api/commission/report", { number: report }).expect(404);
  });

  it("hears of its own locations alone, and sees by no header that others sell", async () => {
    for (const role of ["staff", "display"] as const) {
      const by = member(role);
      const stream = await EventStream.open(by);
      expect((await stream.next())?.event).to.equal("hello");
      const position = async () =>
        (await by.get("/api/room").expect(200)).headers[POSITION_HEADER.toLowerCase()];
      const before = await position();
      await hiddenLine.go(true, 3);
      await hiddenLine.go(false);
      await hiddenLine.go(true, 0, { provisional: true });
      const [{ number = 0 } = {}] = appliance.recordsOf(owner.id);
      await owner.post("/api/record/void", { void: { number, reason: "Prueba" } }).expect(200);
      await owner.post("/api/data", aRecord({ locationName: "Sede oculta" })).expect(201);
      expect(await position()).to.equal(before);
      await ownLine.go(true);
      const told = [await stream.next(), ...(role === "staff" ? [await stream.next()] : [])];
      expect(JSON.stringify(told)).not.to.match(SECRETS);
      const isOwn = { deviceId: appliance.reader.devices(owner.id).find(({ dId }) => dId === "norte-1")?.id };
      expect(told.map((event) => event?.data)).to.satisfy((all: object[]) =>
        all.every((data) => JSON.stringify(data).includes(String(isOwn.deviceId))),
      );
      expect(await position()).not.to.equal(before);
      await ownLine.go(false);
      stream.close();
    }
  });

  it("loses a stream once its limit is another one, and then sees by that", async () => {
    const guest = await appliance.addMember(owner.id, "staff");
    const stream = await EventStream.open(guest);
    await stream.next();
    await owner.patch(`/api/member?memberId=${guest.id}`, { member: { locationIds: [north] } }).expect(200);
    expect(await stream.next()).to.equal(undefined);
    expect(await guest.data("/api/location")).to.have.length(1);
    await owner.patch(`/api/member?memberId=${guest.id}`, { member: { locationIds: [] } }).expect(200);
    expect(await guest.data("/api/location")).to.have.length(0);
    expect(await guest.data("/api/record/sum")).to.deep.equal({ sales: 0, revenue: 0 });
    const listed = (await owner.data("/api/member")).find(({ _id }: { _id: string }) => _id === guest.id);
    expect(listed.locationIds).to.deep.equal([]);
  });

  it("keeps the past of a location that is renamed, and of no other one", async () => {
    const staff = member("staff");
    const { sales } = await staff.data("/api/record/sum");
    await owner.patch(`/api/location?locationId=${north}`, { location: { name: "Norte nueva" } }).expect(200);
    expect((await staff.data("/api/record/sum")).sales).to.equal(sales);
    await ownLine.go(true);
    expect((await staff.data("/api/record/sum")).sales).to.equal(sales + 1);
    await owner.post("/api/location", aLocation({ name: "Clínica Norte" })).expect(409);
  });

  it("learns by no number whether there is a record of another location", async () => {
    const of = (number: number) => member("staff").get("/api/record/one", { number: String(number) });
    const hiddenNumber = appliance.recordsOf(owner.id).find(({ room }) => room === HIDDEN.actuatorId)?.number;
    expect((await of(hiddenNumber ?? 0)).text).to.equal((await of(999_999)).text);
  });

  it("gives no location the name of a removed one, with its past", async () => {
    const gone = await appliance.writer.addLocation(owner.id, { name: "Sede cerrada", description: "" });
    await owner.post("/api/data", aRecord({ locationName: "Sede cerrada", valor: HIDDEN_PRICE })).expect(201);
    await owner.delete("/api/location", { locationId: gone }).expect(200);
    const rename = (by: SignedInUser, location: object) =>
      by.patch(`/api/location?locationId=${north}`, { location });
    for (const name of ["Sede cerrada", "Sede oculta", "Otra"]) {
      expect((await rename(member("technician"), { name })).status, name).to.equal(403);
    }
    await rename(member("technician"), { description: "Primera planta", name: "Clínica Norte" }).expect(200);
    expect((await member("staff").get("/api/record")).text).not.to.include("Sede cerrada");
  });

  it("neither sees nor ends a commissioning of a free line that was wired elsewhere since", async () => {
    const technician = member("technician");
    await technician
      .put("/api/commission", { commission: { lines: ["SIM4"], freeLines: ["SIM9"] } })
      .expect(200);
    const place = { dId: "oculto-8", locationId: hidden, locationName: "Sede oculta" };
    await owner.post("/api/device", aDevice(place)).expect(200);
    await owner.put("/api/wiring", aWiring({ line: "SIM9", dId: place.dId })).expect(200);
    await technician.get("/api/commission").expect(403);
    await technician.delete("/api/commission").expect(403);
    await owner.delete("/api/commission").expect(200);
  });

  it("gets whole pages of gaps however many others have, and no number of theirs to go on with", async () => {
    for (let lost = 0; lost < 30; lost += 1) {
      await hiddenLine.go(true, 3);
      await hiddenLine.go(false);
    }
    const { body } = await member("staff").get("/api/gap", { limit: 1 }).expect(200);
    expect([body.data.length, body.next]).to.deep.equal([1, null]);
  });

  it("hears no more of a room that is moved to another location while its stream is open", async () => {
    const stream = await EventStream.open(member("display"));
    await stream.next();
    await owner.patch("/api/device?dId=norte-1", { device: { locationId: hidden } }).expect(200);
    expect((await stream.next())?.event).to.equal("locations");
    await ownLine.go(true);
    await ownLine.go(false);
    expect(await member("display").data("/api/room")).to.deep.equal([]);
    await owner.patch("/api/device?dId=norte-1", { device: { locationId: north } }).expect(200);
    expect((await stream.next())?.event).to.equal("locations");
    stream.close();
  });

  it("has in a workbook the settled months of its locations alone", async () => {
    const read = async (by: SignedInUser) => {
      const answer = await by.begin("/api/export?lang=es&format=xlsx");
      const sheets = readWorkbook(await buffer(answer));
      return { names: sheets.map(({ name }) => name), text: JSON.stringify(sheets) };
    };
    const [own, whole] = [await read(member("accountant")), await read(owner)];
    expect(own.names).to.deep.equal(whole.names);
    expect(own.text).not.to.match(SECRETS);
    expect(whole.text).to.match(SECRETS);
  });

  it("sees nothing once its only location is removed, and its stream ends", async () => {
    const stream = await EventStream.open(member("staff"));
    await stream.next();
    await owner.delete("/api/location", { locationId: north }).expect(200);
    for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
      expect(event.event).to.equal("locations");
    }
    expect(await member("staff").data("/api/record/sum")).to.deep.equal({ sales: 0, revenue: 0 });
    await member("program")
      .post("/api/data", aRecord({ deviceId: "norte-1" }))
      .expect(403);
  });
});
