import { expect } from "chai";
import { Appliance, PASSWORD } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { recordsOf } from "../store/records-of.ts";
import { aDevice, aLocation, aRecord } from "./bodies.ts";
import { operationsOf } from "./openapi-description.ts";
import { aWiring, WiredLine } from "./wired-line.ts";

const SAFE = ["get", "head", "options"] as const;
/** What forms and blobs of other pages can send without asking: none of it is JSON, whatever it says. */
const SIMPLE_TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""];

describe("What a page of another site can have a browser send", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  const description = forSuite(async () => (await appliance.api.get("/api/openapi.json").expect(200)).body);

  beforeEach(async () => {
    await user.post("/api/location").send(aLocation()).expect(200);
    await user.post("/api/device").send(aDevice()).expect(200);
    await user.post("/api/data").send(aRecord()).expect(201);
    const line = await WiredLine.wire(appliance, user, `SIM${user.id}`, { dId: "7234", actuatorId: "101" });
    await line.go(true);
  });

  /** All that the user has and is, as far as anything could change it. */
  function state(): object {
    const { reader, lines } = appliance;
    return {
      members: reader.members(),
      sessions: reader.sessions(),
      devices: reader.devices(user.id),
      locations: reader.locations(user.id),
      wirings: reader.wirings(),
      records: recordsOf(reader, user.id),
      driven: [...lines.driven],
      reconciliations: lines.reconciliations,
    };
  }

  /** Every key that any endpoint takes, with a value that is there. */
  function query(): Record<string, string> {
    const [location] = appliance.reader.locations(user.id);
    return {
      dId: "7234",
      locationId: location?.id ?? "",
      line: `SIM${user.id}`,
      period: "semanal",
      lang: "es",
      month: "2026-03",
      location: "Clínica Norte",
      _method: "DELETE",
    };
  }

  /** The body that the endpoint would act on, were it sent as JSON. */
  function bodies(): readonly object[] {
    const device = aDevice({ dId: "8000" });
    const wiring = aWiring({ line: "SIM9", actuatorId: "102" });
    const change = { device: { name: "otro" }, location: { name: "otro" } };
    const account = { token: appliance.firstRun.issue(), name: "Eva", email: user.email, password: PASSWORD };
    return [
      { ...aRecord(), ...device, ...wiring, ...account, line: "SIM0", level: true },
      aLocation(),
      change,
    ];
  }

  it("changes nothing by GET, HEAD or OPTIONS, at any path of the description, whatever goes with it", async () => {
    const before = state();
    let count = 0;
    for (const path of Object.keys(description.paths).filter((path) => path !== "/api/event")) {
      for (const method of SAFE) {
        for (const override of [{}, { "X-HTTP-Method-Override": "DELETE", "X-Method-Override": "POST" }]) {
          const { status } = await appliance.api[method](path)
            .query(query())
            .set({ Cookie: user.cookie, ...override });
          expect(status, `${method} ${path}`).to.be.below(500);
          count += 1;
        }
      }
    }
    expect(count).to.be.above(100);
    expect(state()).to.deep.equal(before);
  });

  it("changes nothing by a form, a blob or a text, at any operation that takes a body", async () => {
    const before = state();
    let count = 0;
    for (const { method, path, requestBody } of operationsOf(description)) {
      if (requestBody === undefined) continue;
      for (const type of SIMPLE_TYPES) {
        for (const body of bodies()) {
          const request = appliance.api[method](path).query(query()).set("Cookie", user.cookie);
          if (type !== "") request.set("Content-Type", type);
          // Each is a failure to sign in, and five of them delay the address.
          if (["/api/login", "/api/first-run", "/api/link"].includes(path)) appliance.clock.pass(60_000);
          const { status } = await request.serialize(String).send(JSON.stringify(body));
          expect(status, `${method} ${path} as ${type}`).to.equal(415);
          count += 1;
        }
      }
    }
    expect(count).to.be.above(80);
    expect(state()).to.deep.equal(before);
  });

  for (const [what, headers] of [
    ["Origin null, as a sandboxed frame, a data: page or a redirect has it", { Origin: "null" }],
    ["another origin", { Origin: "https://evil.example.com" }],
    ["no Origin but Sec-Fetch-Site cross-site", { "Sec-Fetch-Site": "cross-site" }],
  ] as const) {
    it(`changes nothing with ${what}, at any operation, though it is JSON`, async () => {
      const before = state();
      for (const { method, path } of operationsOf(description)) {
        if (method === "get") continue;
        for (const body of bodies()) {
          const { status } = await appliance.api[method](path)
            .query(query())
            .set({ Cookie: user.cookie, ...headers })
            .send(body);
          expect(status, `${method} ${path}`).to.equal(403);
        }
      }
      expect(state()).to.deep.equal(before);
    });
  }

  it("would be seen: the same bodies as JSON of no other site change what there is (control)", async () => {
    const before = state();
    const [all = {}] = bodies();
    await user.post("/api/device").send(all).expect(200);
    expect(state()).not.to.deep.equal(before);
  });
});
