import { expect } from "chai";
import { Appliance, SMALL_PAGE } from "../rig/appliance.ts";
import { forSuite } from "../rig/standing.ts";

/** What every answer has, whatever it is. */
const COMMON = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

describe("An answer's headers", () => {
  const appliance = forSuite(() => Appliance.open({ page: SMALL_PAGE }));
  const user = forSuite(() => appliance.addUser());

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

  it("name neither the program nor its version, and no body does to who is not signed in", async () => {
    for (const path of ["/", "/healthz", "/api/verify", "/api/openapi.json", "/api/nothing"]) {
      const { headers, text } = await appliance.api.get(path);
      for (const name of ["server", "x-powered-by", "via"]) expect(headers, path).not.to.have.property(name);
      expect(JSON.stringify(headers) + text, path).not.to.match(/koa|node(js)?[/ ]|0\.0\.0-test/i);
    }
  });
});
