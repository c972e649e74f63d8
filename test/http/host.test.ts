import { expect } from "chai";
import { Appliance } from "../rig/appliance.ts";
import { exchangeRaw } from "../rig/exchange.ts";
import { forSuite } from "../rig/standing.ts";
import { anError, aRecord } from "./bodies.ts";

/** Targets that node's HTTP parser lets through and that are no URL. */
const UNREADABLE = ["http://[::1", "http://[/api/device", "d://althz"];

describe("A request's host", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forSuite(() => appliance.addUser());

  const ask = (text: string) => exchangeRaw(appliance.port, text);

  for (const host of [
    "127.0.0.1",
    "127.0.0.1:8080",
    "localhost:8080",
    "LocalHost",
    "localhost.",
    "clinica.local:8443",
    "Clinica.LOCAL.:8443",
    "[::1]:8080",
    "[::1]",
  ]) {
    it(`is this machine as ${host}`, async () => {
      await user.get("/api/verify").set("Host", host).expect(200);
    });
  }

  for (const host of [
    "evil.example.com",
    "evil.example.com:8080",
    "localhost.evil.example.com",
    "clinica.local.evil.example.com",
    "xlocalhost",
    "localhost@evil.example.com",
    "localhost:80:80",
    "localhost:8080/",
    "localhost, evil.example.com",
    "evil.example.com#localhost",
    "[::1",
    "[::1]x",
    "[]",
    ":8080",
    "",
  ]) {
    it(`is another one as "${host}": nothing is answered, though the session is good`, async () => {
      const response = await user.get("/api/verify").set("Host", host).expect(421);
      expect(response.body).to.deep.equal(
        anError(
          "This machine does not serve that host name. " +
            "Use the machine's name or address; further names go into host_names in the configuration.",
        ),
      );
    });
  }

  it("that is another one stores nothing, reaches no page, and no sign of health", async () => {
    const foreign = { Host: "evil.example.com", Origin: "http://evil.example.com", Cookie: user.cookie };
    const response = await appliance.api.post("/api/data").set(foreign).send(aRecord()).expect(421);
    expect(response.body).to.have.all.keys("status", "message");
    expect(appliance.recordsOf(user.id)).to.deep.equal([]);
    for (const path of ["/", "/healthz", "/api/openapi.json"]) {
      await appliance.api.get(path).set(foreign).expect(421);
    }
  });

  describe("stands once in a request:", () => {
    for (const [what, headers] of [
      ["twice the same", "Host: localhost\r\nHost: localhost\r\n"],
      ["a good one before another", "Host: localhost\r\nhost: evil.example.com\r\n"],
      ["another before a good one", "HOST: evil.example.com\r\nX: y\r\nHost: localhost\r\n"],
    ] as const) {
      it(`${what} is refused and the connection closed`, async () => {
        const answer = await ask(`GET /healthz HTTP/1.1\r\n${headers}\r\n`);
        expect(answer).to.match(/^HTTP\/1\.1 400 /);
        expect(answer).to.match(/^connection: close/im);
      });
    }

    it("none is refused, but in HTTP/1.0 where no browser can ask: a balancer asks for health so", async () => {
      expect(await ask("GET /healthz HTTP/1.1\r\n\r\n")).to.match(/^HTTP\/1\.1 400 /);
      expect(await ask("GET /healthz HTTP/1.0\r\n\r\n")).to.match(/^HTTP\/1\.1 200 /);
      expect(await ask("GET /healthz HTTP/1.0\r\nHost:\r\n\r\n")).to.match(/^HTTP\/1\.1 421 /);
      const withCookie = `GET /api/verify HTTP/1.0\r\nCookie: ${user.cookie}\r\n\r\n`;
      expect(await ask(withCookie)).to.match(/^HTTP\/1\.1 421 /);
    });
  });

  describe("beside a target", () => {
    const askFor = (target: string) =>
      ask(`GET ${target} HTTP/1.1\r\nHost: ${appliance.host}\r\nConnection: close\r\n\r\n`);

    for (const target of UNREADABLE) {
      it(`that is no URL is a mistake of the client, answered in the contract's envelope: ${target}`, async () => {
        const [head = "", body = ""] = (await askFor(target)).split("\r\n\r\n");
        expect(head).to.match(/^HTTP\/1\.1 400 /);
        expect(head).to.match(/^content-type: application\/json/im);
        expect(JSON.parse(body)).to.deep.equal(
          anError("The request's target is not a valid URL. Send a path that begins with /."),
        );
        expect(appliance.log.errors).to.deep.equal([]);
      });
    }

    it("that is a whole URL is served as the URL's path is", async () => {
      expect(await askFor(`http://${appliance.host}/healthz`)).to.match(/^HTTP\/1\.1 200 /);
    });
  });
});
