import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import supertest from "supertest";
import { CERTIFICATE_PATH, type TrustedAuthority } from "../../../src/domain/gateway.ts";
import { LANGUAGES } from "../../../src/domain/language.ts";
import { TRUST_PATH } from "../../../src/domain/member.ts";
import { createTrustApp } from "../../../src/http/trust/app.ts";
import { trustTexts } from "../../../src/http/trust/text.ts";
import { fingerprintLines } from "../../../src/net/tls/keyed-certificate.ts";
import { OpenSsl } from "../../net/tls/openssl.ts";
import { exchangeRaw } from "../../rig/exchange.ts";

const PORT = 8443;
const METHODS = ["post", "put", "patch", "delete", "options"] as const;

describe("Plain HTTP on the network", () => {
  let authority: TrustedAuthority;
  let trusted: TrustedAuthority | null;
  let httpsPort: number;
  let server: Server;

  before(() => {
    using openssl = new OpenSsl();
    const { cert } = openssl.make({ extensions: ["basicConstraints=critical,CA:TRUE"] });
    authority = { cert, fingerprint: fingerprintLines(cert) };
  });

  beforeEach(async () => {
    trusted = authority;
    httpsPort = PORT;
    await start();
  });
  afterEach(() => server.close());

  async function start(): Promise<void> {
    const known = new Set(["clinic.local", "192.168.1.20", "fd00::20"]);
    const app = createTrustApp({
      authority: () => trusted,
      // As a certificate for *.example.org and an address with a zone are known.
      isKnownHost: (name) => known.has(name) || name.endsWith(".example.org") || name.includes("%"),
      httpsPort,
    });
    server = createServer(app.callback()).listen(0, "127.0.0.1");
    await once(server, "listening");
  }

  const port = () => (server.address() as AddressInfo).port;
  const raw = (bytes: string) => exchangeRaw(port(), bytes);
  const get = (path: string, host = "clinic.local") => supertest(server).get(path).set("Host", host);

  it("redirects every page to HTTPS by the requested host name, with path and query", async () => {
    for (const [host, origin] of [
      ["clinic.local:8080", "https://clinic.local:8443"],
      ["CLINIC.local", "https://clinic.local:8443"],
      ["192.168.1.20:8080", "https://192.168.1.20:8443"],
      ["[fd00::20]:8080", "https://[fd00::20]:8443"],
    ]) {
      for (const path of ["/registros?mes=2026-05&x=%2F", "/assets/app.js", "/apis", "//x.org/"]) {
        const answer = await get(path, host).expect(308);
        expect(answer.headers["location"]).to.equal(`${origin}${path}`);
        expect(answer.headers["cache-control"], "may be another port tomorrow").to.equal("no-store");
      }
    }
  });

  it("never redirects to another machine", async () => {
    const hosts = [
      "evil.org",
      "clinic.local.evil.org",
      "clinic.local@evil.org",
      "clinic.local:x",
      "[::1",
      "[fe80::1%eth0]",
      "2130706433/.example.org",
      "a\\.example.org",
      "a#.example.org",
      "a; script-src *.example.org",
      "",
    ];
    for (const host of hosts) {
      const answer = await get("/registros", host);
      if (answer.status === 400) continue;
      expect(answer.headers["location"], host).to.equal("https://127.0.0.1:8443/registros");
    }
    const whole = "GET http://evil.org/registros HTTP/1.1\r\nHost: evil.org\r\nConnection: close\r\n\r\n";
    expect(await raw(whole)).to.match(/^location: https:\/\/127\.0\.0\.1:8443\/\r$/im);
  });

  it("leaves out port 443", async () => {
    server.close();
    httpsPort = 443;
    await start();
    const answer = await get("/registros");
    expect(answer.headers["location"]).to.equal("https://clinic.local/registros");
  });

  it("refuses the API and every method but GET and HEAD with 403, and redirects none of them", async () => {
    const tried = [
      ...METHODS.flatMap((method) =>
        ["/", TRUST_PATH, "/api/login", "/api/data", "/x"].map((path) => [method, path] as const),
      ),
      ...(["get", "head"] as const).flatMap((method) =>
        ["/api", "/api/device", "/api/status?x"].map((path) => [method, path] as const),
      ),
    ];
    for (const [method, path] of tried) {
      const asked = supertest(server)[method](path);
      const answer = await asked.set("Host", "clinic.local").set("Cookie", "token=secret");
      expect(answer.status, `${method} ${path}`).to.equal(403);
      expect(answer.headers).to.not.have.any.keys("location", "set-cookie", "access-control-allow-origin");
      expect(answer.headers["connection"]).to.equal("close");
      if (method === "head") continue;
      if (path.startsWith("/api")) {
        const field = path === "/api/data" ? "message" : "error";
        expect(answer.headers["content-type"], path).to.equal("application/json; charset=utf-8");
        expect(answer.body).to.have.all.keys("status", field).and.to.include({ status: "error" });
      }
      expect(answer.text).to.contain("https://clinic.local:8443/").and.to.contain("sin cifrar");
    }
  });

  for (const [request, answered] of [
    ["GET / HTTP/1.0\r\n\r\n", /^HTTP\/1\.1 200 /],
    ["GET /x HTTP/1.0\r\n\r\n", /^HTTP\/1\.1 308 .*\blocation: https:\/\/127\.0\.0\.1:8443\/x\r/is],
    ["GET /x HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["GET /x HTTP/1.1\r\nHost: a\r\nHost: evil.org\r\n\r\n", /^HTTP\/1\.1 400 .*connection: close/is],
    ["GET /x HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", /^HTTP\/1\.1 308 /],
    ["TRACE / HTTP/1.1\r\nHost: a\r\nCookie: secret\r\n\r\n", /^HTTP\/1\.1 403 ((?!secret).)*$/s],
    ["CONNECT evil.org:443 HTTP/1.1\r\nHost: evil.org\r\n\r\n", /^$/],
    ["GET * HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 308 .*\blocation: https:\/\/127\.0\.0\.1:8443\/\r/is],
    ["GET /%0d%0aSet-Cookie:x=1 HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 308 ((?!\nset-cookie).)*$/is],
    ["GET /confianza?lang=en&lang=es HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 200 .*<html lang="es">/s],
    ["GET /api HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 403 /],
    ["GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 400 .*x-content-type-options: nosniff/is],
    ["GET x: HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["rubbish\r\n\r\n", /^HTTP\/1\.1 400 /],
  ] as const) {
    it(`answers ${JSON.stringify(request)} as expected`, async () => {
      const socket = connect(port(), "127.0.0.1");
      socket.end(request);
      expect(await text(socket)).to.match(answered);
    });
  }

  it("answers a POST before its body has come", async () => {
    const begun = "POST /api/login HTTP/1.1\r\nHost: clinic.local\r\nContent-Length: 1000000000\r\n\r\n{";
    expect(await raw(begun)).to.match(/^HTTP\/1\.1 403 /);
  });

  it("serves the authority's certificate byte for byte", async () => {
    const answer = await supertest(server).get(CERTIFICATE_PATH).responseType("blob").expect(200);
    expect(answer.headers["content-type"]).to.equal("application/x-x509-ca-cert");
    expect(Buffer.compare(answer.body, new X509Certificate(authority.cert).raw)).to.equal(0);
    const digest = createHash("sha256").update(answer.body).digest("hex").toUpperCase();
    expect(authority.fingerprint.join(":").replaceAll(":", "")).to.equal(digest);
  });

  it("serves the page in Spanish, or in English by Accept-Language or ?lang", async () => {
    const languageOf = async (path: string, accepted?: string) => {
      const asked = supertest(server).get(path);
      const answer = await (accepted === undefined ? asked : asked.set("Accept-Language", accepted));
      return /<html lang="(\w+)">/.exec(answer.text)?.[1];
    };
    for (const path of ["/", TRUST_PATH]) {
      expect(await languageOf(path)).to.equal("es");
      expect(await languageOf(path, "de,fr;q=0.5")).to.equal("es");
      expect(await languageOf(path, "*")).to.equal("es");
      expect(await languageOf(path, "en-GB,en;q=0.9,es;q=0.8")).to.equal("en");
      expect(await languageOf(path, "es-ES,es;q=0.9,en;q=0.8")).to.equal("es");
    }
    expect(await languageOf(`${TRUST_PATH}?lang=en`, "es")).to.equal("en");
    expect(await languageOf(`${TRUST_PATH}?lang=es`, "en")).to.equal("es");
    expect(await languageOf(`${TRUST_PATH}?lang=xx`)).to.equal("es");
  });

  it("reads the first 1,000 fields of a query: anybody may send thousands, which hold up all others", async () => {
    expect((await get(`/?${"a&".repeat(999)}lang=en`)).text).to.contain('<html lang="en">');
    expect((await get(`/?${"a&".repeat(1_000)}lang=en`)).text).to.contain('<html lang="es">');
  });

  it("has every text, system and step in both languages", () => {
    const shape = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shape);
      if (typeof value !== "object" || value === null) return String(value).length > 0;
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
    };
    expect(shape(trustTexts.es)).to.deep.equal(shape(trustTexts.en));
    for (const language of LANGUAGES) {
      const systems = trustTexts[language].install.guides.map(({ system }) => system);
      expect(systems.join()).to.match(/^Windows,Android,iPhone (y|and) iPad,macOS,Firefox$/);
    }
  });

  it("shows the fingerprint, the address and its QR code", async () => {
    const { text: page } = await get("/").expect(200);
    expect(page).to.contain(authority.fingerprint.join("\n"));
    expect(page).to.contain('href="https://clinic.local:8443/"');
    expect(page).to.match(/<svg class="qr" role="img" aria-label="[^"]+https:\/\/clinic\.local:8443\/"/);
    expect(page).to.contain(`href="${CERTIFICATE_PATH}"`);
  });

  it("limits the page to its own style and script, and has no form", async () => {
    const answer = await get("/").expect(200);
    const policy = String(answer.headers["content-security-policy"]);
    expect(policy)
      .to.match(/^default-src 'none'; /)
      .and.to.contain("frame-ancestors 'none'");
    expect(policy).to.not.match(/unsafe|\*/);
    for (const [tag, directive] of [
      ["style", "style-src"],
      ["script", "script-src"],
    ]) {
      const content = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(answer.text)?.[1] ?? "";
      const hash = createHash("sha256").update(content).digest("base64");
      expect(policy).to.contain(`${directive} 'sha256-${hash}'`);
    }
    expect(policy).to.contain("connect-src https://clinic.local:8443;");
    expect(answer.text).to.not.match(/<form|<input|<button|style="|onclick|src=/);
    expect(answer.headers).to.include({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
    expect(answer.headers).to.not.have.any.keys("server", "x-powered-by", "set-cookie");
  });

  for (const [agent, open] of [
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", ["Windows"]],
    [
      "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36",
      ["Android"],
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1",
      ["iPhone and iPad"],
    ],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15", ["macOS"]],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", ["Firefox"]],
    ["curl/8", []],
  ] as const) {
    it(`opens the guide of the visitor's device alone: ${open.join() || "none"}`, async () => {
      const answer = await get(`${TRUST_PATH}?lang=en`).set("User-Agent", agent).expect(200);
      const names = [...answer.text.matchAll(/<details open>\s*<summary>([^<]*)/g)].map(([, name]) => name);
      expect(names).to.deep.equal(open);
    });
  }

  it("redirects the page too while an administrator's certificate is served", async () => {
    trusted = null;
    for (const path of ["/", TRUST_PATH, CERTIFICATE_PATH]) {
      const answer = await get(path).expect(308);
      // What explains how to trust the appliance is not there by HTTPS.
      expect(answer.headers["location"]).to.equal("https://clinic.local:8443/");
    }
    await supertest(server).post("/api/login").expect(403);
  });
});
