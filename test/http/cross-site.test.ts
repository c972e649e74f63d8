import { expect } from "chai";
import { Appliance, SMALL_PAGE } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { recordsOf } from "../store/records-of.ts";
import { aRecord } from "./bodies.ts";

const LISTED = "https://panel.example.org";
const FOREIGN = "https://evil.example.com";

describe("Requests of other sites", () => {
  const appliance = forSuite(() => Appliance.open({ allowedOrigins: [LISTED], page: SMALL_PAGE }));
  const user = forEachTest(() => appliance.addUser());

  function post(headers: Record<string, string>) {
    return user.post("/api/data").set(headers).send(aRecord());
  }

  function storedCount(): number {
    return recordsOf(appliance.reader, user.id).length;
  }

  for (const [what, headers] of [
    ["a foreign origin", { Origin: FOREIGN }],
    ["the origin null", { Origin: "null" }],
    ["the listed host on another scheme", { Origin: "http://panel.example.org" }],
    ["the listed host on another port", { Origin: `${LISTED}:444` }],
    ["an origin that begins like the listed one", { Origin: `${LISTED}.evil.example.com` }],
    ["Sec-Fetch-Site cross-site", { "Sec-Fetch-Site": "cross-site" }],
    ["Sec-Fetch-Site same-site, which is another origin", { "Sec-Fetch-Site": "same-site" }],
  ] as const) {
    it(`are refused with ${what}, and nothing is stored`, async () => {
      const response = await post(headers).expect(403);
      expect(response.body).to.have.all.keys("status", "message");
      expect(response.body.status).to.equal("error");
      expect(response.headers).not.to.have.property("access-control-allow-origin");
      expect(storedCount()).to.equal(0);
    });
  }

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
    const response = await appliance.api.get("/api/device").set("Origin", FOREIGN).set("Cookie", user.cookie);
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

  it("read what a listed origin may", async () => {
    const headers = { Origin: LISTED, "Sec-Fetch-Site": "cross-site", Cookie: user.cookie };
    await appliance.api.get("/api/device").set(headers).expect(200);
  });

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

  it("pass with the service's own origin", async () => {
    await post({ Origin: `http://${appliance.host}`, "Sec-Fetch-Site": "same-origin" }).expect(201);
  });

  it("are refused with its own host on another scheme", async () => {
    await post({ Origin: `https://${appliance.host}` }).expect(403);
  });

  describe("from a listed origin", () => {
    it("pass, and are answered with credentials", async () => {
      const response = await post({ Origin: LISTED, "Sec-Fetch-Site": "cross-site" }).expect(201);
      expect(response.headers["access-control-allow-origin"]).to.equal(LISTED);
      expect(response.headers["access-control-allow-credentials"]).to.equal("true");
      expect(response.headers["vary"]).to.equal("Origin");
    });

    it("can read an error too", async () => {
      const response = await appliance.api.get("/api/verify").set("Origin", LISTED).expect(401);
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

describe("An appliance that lists no origin", () => {
  const appliance = forSuite(() => Appliance.open());

  it("gives leave to none", async () => {
    for (const origin of [LISTED, "null", `http://${appliance.host}`]) {
      const response = await appliance.api.get("/api/verify").set("Origin", origin).expect(401);
      expect(response.headers).not.to.have.property("access-control-allow-origin");
    }
  });
});
