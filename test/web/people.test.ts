import { expect } from "chai";
import { reachOf } from "../../src/web/people/reach.ts";

const REACH = { page: "https://192.168.1.20:8443", trust: "http://192.168.1.20:8080/confianza" };

describe("An invitation's addresses", () => {
  for (const hostname of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) {
    it(`are the gateway's own on the network where its owner came by ${hostname}`, () => {
      const own = { hostname, origin: `http://${hostname}:8080` };
      expect(reachOf(own, REACH)).to.deep.equal(REACH);
      expect(reachOf(own, { page: null, trust: null }).page).to.equal(null);
    });
  }

  it("are those by which the owner came from the network", () => {
    const own = { hostname: "clinic.local", origin: "https://clinic.local:8443" };
    const trust = "http://clinic.local:8080/confianza";
    expect(reachOf(own, REACH)).to.deep.equal({ page: own.origin, trust });
    expect(reachOf(own, { page: REACH.page, trust: null })).to.deep.equal({ page: own.origin, trust: null });
  });
});
