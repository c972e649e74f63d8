import { expect } from "chai";
import { Appliance, SMALL_PAGE } from "../rig/appliance.ts";
import { forSuite } from "../rig/standing.ts";
import { anError } from "./bodies.ts";

/** Every path of the contract and which methods it takes. */
const METHODS = {
  "/api/login": ["POST"],
  "/api/verify": ["HEAD", "GET"],
  "/api/logout": ["POST"],
  "/api/device": ["HEAD", "GET", "POST", "PATCH", "DELETE"],
  "/api/location": ["HEAD", "GET", "POST", "PATCH", "DELETE"],
  "/api/data": ["HEAD", "GET", "POST"],
} as const;

/** What every answer has, whatever it is. */
const COMMON = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

describe("The application's paths", () => {
  const appliance = forSuite(() => Appliance.open({ page: SMALL_PAGE }));
  const user = forSuite(() => appliance.addUser());

  for (const [path, methods] of Object.entries(METHODS)) {
    it(`${path} answers 405 to a method that it does not take, and Allow names those it does`, async () => {
      const response = await user.put(path).expect(405);
      const field = path === "/api/data" ? "message" : "error";
      expect(response.body).to.deep.equal(
        anError("This path does not take that method. The Allow header names those it takes.", field),
      );
      expect(response.headers["allow"]?.split(", ")).to.have.members([...methods]);
    });
  }

  it("answers 405 also to a method that exists elsewhere, and without a session", async () => {
    const response = await appliance.api.get("/api/login").expect(405);
    expect(response.headers["allow"]).to.equal("POST");
    await appliance.api.put("/api/data").expect(405);
    await appliance.api.delete("/api/openapi.json").expect(405);
  });

  it("answers OPTIONS with what a path takes", async () => {
    const response = await appliance.api.options("/api/data");
    expect(response.status).to.be.oneOf([200, 204]);
    expect(response.headers["allow"]?.split(", ")).to.have.members(["HEAD", "GET", "POST"]);
  });

  for (const path of ["/api", "/api/", "/api/nothing", "/api/device/", "/api/Device", "/api/device/7234"]) {
    it(`answers 404 in the contract's envelope at ${path}`, async () => {
      const response = await user.get(path).expect(404);
      expect(response.body).to.deep.equal(
        anError("There is nothing at this path. /api/openapi.json describes what there is."),
      );
    });
  }

  for (const path of [
    "/API/verify",
    "//api/verify",
    "/api%2fverify",
    "/%61pi/verify",
    "/healthz/",
    "/Metrics",
  ]) {
    it(`answers 404 in the envelope where a program has a slip in its path, and no page: ${path}`, async () => {
      const { body } = await user.get(path).expect(404);
      expect(body.status).to.equal("error");
    });
  }

  it("answers 404 in the contract's envelope to a change outside of the API", async () => {
    const response = await appliance.api.post("/home").send({}).expect(404);
    expect(response.body).to.deep.equal({ status: "error", error: "There is nothing at this path." });
  });

  it("answers HEAD as GET, without a body", async () => {
    const response = await user.head("/api/device").expect(200);
    expect(response.text).to.equal(undefined);
    await appliance.api.head("/api/device").expect(401);
  });

  describe("/healthz", () => {
    afterEach(() => {
      appliance.lines.allWatched = true;
    });

    it("answers 200 without a session or detail once every line is watched", async () => {
      const response = await appliance.api.get("/healthz").expect(200);
      expect(response.body).to.deep.equal({ status: "success" });
    });

    it("takes no other method", async () => {
      for (const method of ["put", "delete", "post"] as const) {
        const response = await appliance.api[method]("/healthz").expect(405);
        expect(response.headers["allow"]).to.equal("GET, HEAD");
      }
    });

    it("answers 503 while a line is not watched", async () => {
      appliance.lines.allWatched = false;
      const response = await appliance.api.get("/healthz").expect(503);
      expect(response.body).to.deep.equal({ status: "error" });
    });
  });

  describe("the page", () => {
    it("is served at every path of its own", async () => {
      for (const path of ["/", "/home", "/first-run"]) {
        const response = await appliance.api
          .get(path)
          .expect(200)
          .expect("Content-Type", /^text\/html/);
        expect(response.text).to.equal("<title>flanco</title>");
        expect(response.headers["cache-control"]).to.equal("no-cache");
      }
    });

    it("answers HEAD as GET, without a body", async () => {
      const response = await appliance.api
        .head("/")
        .expect(200)
        .expect("Content-Type", /^text\/html/);
      expect(response.text).to.equal(undefined);
    });

    it("gives its assets for good, and 404 for what is not one", async () => {
      await appliance.api
        .get("/assets/app.js")
        .expect(200)
        .expect("Cache-Control", /immutable/);
      await appliance.api.get("/assets/other.js").expect(404);
      await appliance.api.get("/../index.html/..%2f..%2fledger.db").expect(404);
    });
  });

  describe("'s headers", () => {
    for (const [what, path] of [
      ["data", "/api/device"],
      ["a mistake", "/api/data?period=x"],
      ["a path that is none", "/api/nothing"],
      ["a method that is none", "/api/login"],
      ["the description", "/api/openapi.json"],
    ] as const) {
      it(`of the API keep ${what} from caches, frames and guesses of its type`, async () => {
        const { headers } = await user.get(path);
        expect(headers).to.include(COMMON);
        expect(headers["cache-control"]).to.equal("no-store");
        expect(headers["content-security-policy"]).to.equal("default-src 'none'; frame-ancestors 'none'");
      });
    }

    for (const path of ["/", "/registros", "/assets/app.js"]) {
      it(`let the page run its own script alone, in no frame and without leave for anything: ${path}`, async () => {
        const { headers } = await appliance.api.get(path).expect(200);
        expect(headers).to.include(COMMON);
        const policy = new Map(
          String(headers["content-security-policy"])
            .split("; ")
            .map((directive) => directive.split(/ (.*)/s, 2) as [string, string]),
        );
        expect(Object.fromEntries(policy)).to.include({
          "default-src": "'none'",
          "script-src": "'self'",
          "connect-src": "'self'",
          "base-uri": "'none'",
          "form-action": "'none'",
          "frame-ancestors": "'none'",
        });
        for (const [name, sources] of policy) expect(sources, name).not.to.match(/unsafe|\*|https?:/);
        for (const feature of ["camera", "microphone", "geolocation", "usb", "payment"]) {
          expect(headers["permissions-policy"]?.split(", ")).to.include(`${feature}=()`);
        }
        expect(headers["cross-origin-opener-policy"]).to.equal("same-origin");
      });
    }

    it("name neither the program nor its version, and no body does to a client that is not signed in", async () => {
      for (const path of ["/", "/healthz", "/api/verify", "/api/openapi.json", "/api/nothing"]) {
        const { headers, text } = await appliance.api.get(path);
        for (const name of ["server", "x-powered-by", "via"])
          expect(headers, path).not.to.have.property(name);
        expect(JSON.stringify(headers) + text, path).not.to.match(/koa|node(js)?[/ ]|0\.0\.0-test/i);
      }
    });
  });
});
