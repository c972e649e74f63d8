import { expect } from "chai";
import { recordsOf } from "../ledger/records-of.ts";
import { Appliance, SMALL_PAGE } from "../rig/appliance.ts";
import { operationsOf } from "../rig/description.ts";
import { PASSWORD } from "../rig/shared-hasher.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aDevice, aLocation, aRecord, aWiring } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

const LISTED = "https://panel.example.org";
const FOREIGN = "https://evil.example.com";

const SAFE = ["get", "head", "options"] as const;
/** What forms and blobs of other pages can send without asking: none of it is JSON, whatever it says. */
const SIMPLE_TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""];

describe("What a page of another site can have a browser send", () => {
  const appliance = forSuite(() => Appliance.open({ allowedOrigins: [LISTED], page: SMALL_PAGE }));
  const user = forEachTest(() => appliance.addUser());
  const description = forSuite(() => appliance.description());

  beforeEach(async () => {
    await user.post("/api/location", aLocation()).expect(200);
    await user.post("/api/device", aDevice()).expect(200);
    await user.post("/api/data", aRecord()).expect(201);
    const line = await WiredLine.wire(appliance, user, `SIM${user.id}`);
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
          const request = user[method](path).query(query());
          if (type !== "") request.set("Content-Type", type);
          // Each is a failure to sign in, and five of them delay the address.
          if (["/api/login", "/api/first-run", "/api/link"].includes(path)) appliance.clock.pass(60_000);
          const { status, text } = await request.serialize(String).send(JSON.stringify(body));
          expect(status, `${method} ${path} as ${type}`).to.equal(415);
          expect(text).to.contain("The body must be JSON. Send it with Content-Type: application/json.");
          count += 1;
        }
      }
    }
    expect(count).to.be.above(80);
    expect(state()).to.deep.equal(before);
  });

  it("is refused at any operation, though it is JSON", async () => {
    const before = state();
    for (const { method, path } of operationsOf(description)) {
      const headers = { Origin: FOREIGN, ...(method === "get" && { "Sec-Fetch-Site": "cross-site" }) };
      for (const body of bodies()) {
        const answer = await user[method](path).query(query()).set(headers).send(body);
        expect(answer.status, `${method} ${path}`).to.equal(403);
        expect(answer.headers).not.to.have.property("access-control-allow-origin");
      }
    }
    expect(state()).to.deep.equal(before);
  });

  for (const [what, headers] of [
    ["the origin null, as a sandboxed frame, a data: page or a redirect has it", { Origin: "null" }],
    ["the listed host on another scheme", { Origin: "http://panel.example.org" }],
    ["the listed host on another port", { Origin: `${LISTED}:444` }],
    ["an origin that begins like the listed one", { Origin: `${LISTED}.evil.example.com` }],
    ["a Referer alone, as browsers before 2020 send it with a form", { Referer: `${FOREIGN}/page` }],
    ["a Referer alone that is no address", { Referer: "about:blank" }],
    ["Sec-Fetch-Site cross-site", { "Sec-Fetch-Site": "cross-site" }],
    ["Sec-Fetch-Site same-site, which is another origin", { "Sec-Fetch-Site": "same-site" }],
  ] as const) {
    it(`changes nothing with ${what}`, async () => {
      const before = state();
      await user
        .post("/api/device", aDevice({ dId: "8000" }))
        .set(headers)
        .expect(403);
      expect(state()).to.deep.equal(before);
    });
  }

  it("would be seen: the same bodies as JSON of no other site change what there is (control)", async () => {
    const before = state();
    const [all = {}] = bodies();
    await user.post("/api/device", all).expect(200);
    expect(state()).not.to.deep.equal(before);
  });
});

describe("Requests of other sites", () => {
  const appliance = forSuite(() => Appliance.open({ allowedOrigins: [LISTED], page: SMALL_PAGE }));
  const user = forEachTest(() => appliance.addUser());

  function post(headers: Record<string, string>) {
    return user.post("/api/data", aRecord()).set(headers);
  }

  function storedCount(): number {
    return appliance.recordsOf(user.id).length;
  }

  it("are not those that only a page of this one, or of a listed one, is named with", async () => {
    for (const page of [`http://${appliance.host}/lineas`, `${LISTED}/x`]) {
      await post({ Referer: page }).expect(201);
    }
    await user.get("/api/device").set("Referer", FOREIGN).expect(200);
  });

  it("are refused in the envelope of the endpoint that they are for", async () => {
    const response = await appliance.api.post("/api/device").set("Origin", FOREIGN).send({}).expect(403);
    expect(response.body).to.deep.equal({
      status: "error",
      error:
        "Requests from other sites are refused. " +
        "If that site is yours, add its origin to allowed_origins in the configuration.",
    });
  });

  it("read nothing: an answer to a foreign origin carries no permission", async () => {
    const response = await user.get("/api/device").set("Origin", FOREIGN);
    expect(response.headers).not.to.have.property("access-control-allow-origin");
    expect(response.headers).not.to.have.property("access-control-allow-credentials");
    expect(response.headers["vary"]).to.equal("Origin");
  });

  for (const site of ["cross-site", "same-site"]) {
    it(`read nothing, and have nothing done, where the browser says ${site}`, async () => {
      let reads = 0;
      appliance.breaker.instead.set("findRecords", () => {
        reads += 1;
        return { records: [], next: null };
      });
      const headers = { "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", Cookie: user.cookie };
      const paths = ["/api/report?month=2026-03&location=x", "/api/export?lang=es", "/api/record"];
      try {
        for (const path of paths) {
          await appliance.api.get(path).set(headers).expect(403);
          await appliance.api.head(path).set(headers).expect(403);
        }
        expect(reads).to.equal(0);
        for (const path of paths) {
          await appliance.api.get(path).set(headers).set("Sec-Fetch-Site", "same-origin").expect(200);
        }
        expect(reads).to.equal(paths.length);
      } finally {
        appliance.breaker.instead.clear();
      }
    });

    it(`may link to the page, and ask whether the service is well: ${site}`, async () => {
      for (const path of ["/", "/registros", "/healthz"]) {
        await appliance.api.get(path).set("Sec-Fetch-Site", site).expect(200);
      }
    });
  }

  for (const [what, headers] of [
    ["no Origin, as a device or curl sends them", {}],
    ["Sec-Fetch-Site none, as a typed address has it", { "Sec-Fetch-Site": "none" }],
    ["Sec-Fetch-Site same-origin", { "Sec-Fetch-Site": "same-origin" }],
  ] as const) {
    it(`pass with ${what}`, async () => {
      await post(headers).expect(201);
      expect(storedCount()).to.equal(1);
    });
  }

  it("pass with the service's own origin, and not with its own host on another scheme", async () => {
    await post({ Origin: `http://${appliance.host}`, "Sec-Fetch-Site": "same-origin" }).expect(201);
    await post({ Origin: `https://${appliance.host}` }).expect(403);
  });

  describe("from a listed origin", () => {
    it("pass, and are answered with credentials", async () => {
      const response = await post({ Origin: LISTED, "Sec-Fetch-Site": "cross-site" }).expect(201);
      expect(response.headers["access-control-allow-origin"]).to.equal(LISTED);
      expect(response.headers["access-control-allow-credentials"]).to.equal("true");
      expect(response.headers["vary"]).to.equal("Origin");
    });

    it("can read, an error too", async () => {
      const headers = { Origin: LISTED, "Sec-Fetch-Site": "cross-site" };
      await user.get("/api/device").set(headers).expect(200);
      const response = await appliance.api.get("/api/verify").set(headers).expect(401);
      expect(response.headers["access-control-allow-origin"]).to.equal(LISTED);
      expect(response.headers["access-control-allow-credentials"]).to.equal("true");
    });

    it("have their preflight answered", async () => {
      const response = await preflight(LISTED).expect(204);
      expect(response.headers).to.include({
        "access-control-allow-origin": LISTED,
        "access-control-allow-credentials": "true",
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": "Content-Type, Idempotency-Key",
        vary: "Origin",
      });
    });
  });

  for (const origin of [FOREIGN, "null"]) {
    it(`have no preflight answered from ${origin}`, async () => {
      const response = await preflight(origin);
      const corsHeaders = Object.keys(response.headers).filter((name) => name.startsWith("access-control-"));
      expect(corsHeaders).to.deep.equal([]);
    });
  }

  function preflight(origin: string) {
    return appliance.api
      .options("/api/data")
      .set("Origin", origin)
      .set("Access-Control-Request-Method", "POST")
      .set("Access-Control-Request-Headers", "content-type");
  }
});
