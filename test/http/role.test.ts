import { expect } from "chai";
import type { Method } from "../../src/contract/declaration.ts";
import { ROLES, type Role } from "../../src/domain/member.ts";
import { Appliance } from "../rig/appliance.ts";
import { operationsOf } from "../rig/description.ts";
import { EventStream, type LiveEvent } from "../rig/event-stream.ts";
import type { SignedInUser } from "../rig/signed-in-user.ts";
import { forSuite } from "../rig/standing.ts";
import { aDevice, aLocation, anError, aWiring, BODIES } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

/** Who may do what: o owner, s staff, a accountant, t technician, d display, p program; none where no session is needed. */
const ALLOWED: Readonly<Record<string, string>> = {
  "post /api/login": "",
  "post /api/logout": "",
  "post /api/first-run": "",
  "post /api/link": "",
  "get /api/verify": "osatdp",
  "get /api/me": "osatd",
  "patch /api/me": "osatd",
  "put /api/me/password": "osatd",
  "get /api/member": "o",
  "post /api/member": "o",
  "patch /api/member": "o",
  "delete /api/member": "o",
  "post /api/member/link": "o",
  "post /api/member/sign-out": "o",
  "get /api/device": "osatdp",
  "post /api/device": "ot",
  "patch /api/device": "ot",
  "delete /api/device": "ot",
  "get /api/location": "osatp",
  "post /api/location": "ot",
  "patch /api/location": "ot",
  "delete /api/location": "ot",
  "post /api/data": "op",
  "get /api/data": "osa",
  "get /api/overview": "osa",
  "get /api/room": "ostd",
  "get /api/room/last-sale": "osa",
  "get /api/record": "osa",
  "get /api/record/sum": "osa",
  "post /api/record/void": "o",
  "post /api/record/sale": "o",
  "post /api/record/refund": "o",
  "get /api/record/one": "osa",
  "get /api/record/price": "o",
  "get /api/export": "osa",
  "get /api/report": "osa",
  "get /api/report/days": "osa",
  "get /api/letterhead": "osa",
  "put /api/letterhead": "o",
  "get /api/terms": "osa",
  "put /api/terms": "o",
  "get /api/settlements": "osa",
  "get /api/settlement": "osa",
  "post /api/settlement": "o",
  "get /api/settlement/draft": "osa",
  "get /api/settlement/check": "osa",
  "get /api/gap": "ost",
  "get /api/wiring": "ost",
  "put /api/wiring": "ot",
  "get /api/wiring/price": "osa",
  "put /api/wiring/price": "o",
  "delete /api/wiring/price": "o",
  "post /api/room/paid-time": "os",
  "delete /api/wiring": "ot",
  "get /api/commission/edge": "ost",
  "put /api/commission": "ot",
  "get /api/commission": "ot",
  "delete /api/commission": "ot",
  "put /api/commission/room": "ot",
  "put /api/commission/tick": "ot",
  "post /api/commission/mend": "ot",
  "post /api/commission/report": "ot",
  "get /api/commission/report": "ot",
  "get /api/commission/reports": "ot",
  "get /api/line": "ot",
  "post /api/line/drive": "ot",
  "get /api/status": "osatd",
  "get /api/audit": "o",
  "get /api/event": "osatd",
  "get /api/sink": "o",
  "put /api/sink": "o",
  "delete /api/sink": "o",
  "post /api/sink/passphrase": "o",
  "post /api/sink/test": "o",
};

/** A price whose digits nothing else has. */
const PRICE = 31.37;

describe("A member's role", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forSuite(() => appliance.addUser());
  const members = new Map<Role, SignedInUser>();

  before(async () => {
    for (const role of ROLES) members.set(role, await appliance.addMember(user.id, role));
  });

  function member(role: Role): SignedInUser {
    const found = members.get(role);
    if (found === undefined) throw new Error(`There is no ${role}.`);
    return found;
  }

  const operations = async () => operationsOf(await appliance.description());

  it("is decided here for every operation of the description", async () => {
    const names = (await operations()).map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(ALLOWED)).to.have.members(names);
  });

  it("is asked for: without a session each operation that needs one answers 401, whatever is sent", async () => {
    for (const { method, path, security } of await operations()) {
      if (security.length === 0) continue;
      const { body } = await appliance.api[method](path).expect(401);
      expect(body).to.deep.equal(anError("Unauthorized", path === "/api/data" ? "message" : "error"));
    }
  });

  for (const role of ROLES) {
    it(`${role}: each operation answers 403 in the contract's envelope, or does not`, async () => {
      for (const { method, path } of await operations()) {
        const name = `${method} ${path}`;
        if (ALLOWED[name] === "" || name === "get /api/event") continue;
        const { status, body } = await ask(member(role), method, path);
        if (ALLOWED[name]?.includes(role.charAt(0))) expect(status, name).not.to.equal(403);
        else {
          expect(status, name).to.equal(403);
          const { status: envelope, ...text } = body as Record<string, string>;
          expect(envelope).to.equal("error");
          expect(Object.keys(text)).to.deep.equal([path === "/api/data" ? "message" : "error"]);
          expect(Object.values(text)[0]).to.match(
            new RegExp(`^Your role \\(${role}\\) does not allow this\\. It takes the role .+: ask an owner`),
          );
        }
      }
    });
  }

  /** Without what an operation needs beside the role: nothing is changed. */
  async function ask(by: SignedInUser, method: Method, path: string) {
    return by[method](path, BODIES[`${method} ${path}`] && {});
  }

  describe("without money", () => {
    let line: WiredLine;

    before(async () => {
      await user.post("/api/location", aLocation()).expect(200);
      const room = { dId: "priced", actuatorId: "101" };
      line = await WiredLine.wire(appliance, user, "SIM7", room, PRICE);
      await user.put("/api/commission", { commission: {} }).expect(200);
      const report = { technician: "Luis", clinic: "Ana" };
      await user.post("/api/commission/report", { report }).expect(200);
    });

    for (const role of ["technician", "display", "program"] as const) {
      it(`(${role}) reads no price, sum or number of sales in any answer or event`, async () => {
        const by = member(role);
        const stream = role === "program" ? null : await EventStream.open(by);
        const owners = await EventStream.open(user);
        await line.go(true);
        await line.go(false);
        const told = stream === null ? [] : await upToActuators(stream);
        const seen = await upToActuators(owners);
        expect(JSON.stringify(seen), "the owner is told (control)").to.include(String(PRICE));
        expect(JSON.stringify(told)).not.to.match(/"record"|valor/);
        for (const { method, path } of await operations()) {
          if (method !== "get" || path === "/api/event") continue;
          if (!ALLOWED[`get ${path}`]?.includes(role.charAt(0))) continue;
          const { body } = await by.get(path).expect(200);
          expect(moneyIn(body), path).to.deep.equal([]);
          const { body: whole } = await user.get(path).expect(200);
          if (["/api/room", "/api/status"].includes(path))
            expect(moneyIn(whole), "control").not.to.deep.equal([]);
        }
      });
    }

    it("wires lines at the price that the line has, or most others have, and sets none", async () => {
      const by = member("technician");
      const { valor: _valor, ...wiring } = aWiring({ line: "SIM8", dId: "priced", actuatorId: "102" }).wiring;
      const refused = await by.put("/api/wiring", { wiring: { ...wiring, valor: 1 } }).expect(403);
      expect(refused.body.error).to.match(/^Only an owner of the account sets prices\./);
      await by.put("/api/wiring", { wiring }).expect(200);
      const priceOf = (name: string) =>
        appliance.reader.wirings(user.id).find((one) => one.line === name)?.valorMicros;
      expect(priceOf("SIM8")).to.equal(PRICE * 1e6);
      await user.put("/api/wiring", { wiring: { ...wiring, valor: 2 } }).expect(200);
      await by.put("/api/wiring", { wiring: { ...wiring, debounceMs: 7 } }).expect(200);
      expect(priceOf("SIM8")).to.equal(2e6);
      const owners = await user.put("/api/wiring", { wiring }).expect(400);
      expect(owners.body.errors).to.deep.equal({ valor: { kind: "required", message: "is required" } });
    });

    it("wires no first line, which would have no price", async () => {
      const owner = await appliance.addUser();
      await owner.post("/api/device", aDevice()).expect(200);
      const by = await appliance.addMember(owner.id, "technician");
      const { valor: _valor, ...wiring } = aWiring({ line: "SIM9" }).wiring;
      const refused = await by.put("/api/wiring", { wiring }).expect(409);
      expect(refused.body.error).to.match(/^No price has been set yet\. An owner/);
      expect(appliance.reader.wirings(owner.id)).to.deep.equal([]);
    });
  });
});

/** What a stream tells up to the second switching of a room, and ends. */
async function upToActuators(stream: EventStream): Promise<readonly LiveEvent[]> {
  const told: LiveEvent[] = [];
  while (told.filter(({ event }) => event === "actuator").length < 2) {
    const event = await stream.next();
    if (event === undefined) throw new Error("The stream has ended.");
    told.push(event);
  }
  stream.response.destroy();
  return told;
}

/** The fields of money that hold a number, and the texts and numbers that hold the price. */
function moneyIn(value: unknown, name = ""): string[] {
  if (value === null) return [];
  if (typeof value === "object") return Object.entries(value).flatMap(([key, child]) => moneyIn(child, key));
  const isMoney = ["valor", "revenue", "sales", "total"].includes(name);
  return isMoney || String(value).includes(String(PRICE)) ? [`${name}: ${String(value)}`] : [];
}
