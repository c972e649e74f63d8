import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from "node:tls";
import { expect } from "chai";
import { Listeners } from "../../src/cli/listen.ts";
import { toHostNames } from "../../src/tls/host-names.ts";
import { validityOf } from "../../src/tls/leaf.ts";
import { ensureOwnCertificate } from "../../src/tls/own-certificate.ts";
import type { Served } from "../../src/tls/served.ts";
import { freePort } from "../cli/ports.ts";
import { SetClock } from "../http/fakes.ts";
import { networkAddress } from "./network.ts";
import { OpenSsl, RSA_2048 } from "./openssl.ts";

const HOST = toHostNames("gateway", []);
/** What a client may offer that must find nobody to take it. */
const OLD_SUITES = [
  ...["AES128-SHA", "AES256-SHA256", "AES128-GCM-SHA256", "AES256-GCM-SHA384", "CAMELLIA128-SHA"],
  ...[
    "ECDHE-ECDSA-AES128-SHA",
    "ECDHE-ECDSA-AES256-SHA384",
    "ECDHE-RSA-AES128-SHA256",
    "ECDHE-ECDSA-AES128-CCM",
  ],
  ...["DHE-RSA-AES128-GCM-SHA256", "DHE-RSA-CHACHA20-POLY1305", "ADH-AES128-GCM-SHA256", "NULL-SHA256"],
];

describe("The doors to the network, by TLS", () => {
  let directory: string;
  let openssl: OpenSsl;
  let own: Served;
  let foreign: Served;
  let listeners: Listeners;
  let httpsPort: number;
  let httpPort: number;
  let nowMs: number;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "flanco-tls-"));
    openssl = new OpenSsl();
    const moment = { clock: new SetClock(Date.now()), clockTrusted: true };
    const { leaf } = await ensureOwnCertificate(directory, HOST, moment);
    own = { ...leaf, file: "own", own: true, endsMs: validityOf(leaf).toMs };
    const made = openssl.make({
      extensions: ["subjectAltName=DNS:panel.example.org"],
      key: RSA_2048,
      days: 300,
    });
    foreign = { ...made, file: "foreign", own: false, endsMs: validityOf(made).toMs };
  });
  after(() => {
    rmSync(directory, { recursive: true });
    openssl.close();
  });

  beforeEach(async () => {
    nowMs = Date.now();
    [httpsPort, httpPort] = [await freePort(), await freePort()];
    listeners = new Listeners(
      (_request, response) => response.end("everything"),
      (_request, response) => response.end("explanation"),
      () => nowMs,
    );
    await listeners.open(own, { host: "", httpsPort, httpPort, explains: true });
  });
  afterEach(() => listeners.close());

  /** How an agreement with these options ended: the version and the suite, or the error's code. */
  async function agreement(options: ConnectionOptions): Promise<string> {
    const socket: TLSSocket = tlsConnect({
      ...{ host: "127.0.0.1", port: httpsPort, rejectUnauthorized: false },
      ...options,
    });
    try {
      await once(socket, "secureConnect");
      return `${socket.getProtocol()} ${socket.getCipher().name}`;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    } finally {
      socket.destroy();
    }
  }

  async function headers(agent?: Agent): Promise<NodeJS.Dict<string | string[]>> {
    const options = {
      port: httpsPort,
      host: "127.0.0.1",
      rejectUnauthorized: false,
      ...(agent && { agent }),
    };
    const sent = request(options).end();
    const [response] = await once(sent, "response");
    response.resume();
    await once(response, "end");
    return response.headers;
  }

  it("speak TLS 1.3 and 1.2, and nothing older", async () => {
    expect(await agreement({})).to.match(/^TLSv1\.3 TLS_AES_/);
    expect(await agreement({ maxVersion: "TLSv1.2" })).to.match(/^TLSv1\.2 ECDHE-ECDSA-AES128-GCM-SHA256$/);
    // At level 0 this client itself would go as low as it is asked to.
    for (const version of ["TLSv1.1", "TLSv1"] as const) {
      const options = { minVersion: version, maxVersion: version, ciphers: "ALL:@SECLEVEL=0" } as const;
      expect(await agreement(options), version).to.match(/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/);
    }
  });

  it("take ChaCha20 from whom it suits best", async () => {
    const ciphers = "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256";
    expect(await agreement({ maxVersion: "TLSv1.2", ciphers })).to.equal(
      "TLSv1.2 ECDHE-ECDSA-CHACHA20-POLY1305",
    );
  });

  it("take none of the old suites, whoever's the certificate is", async () => {
    for (const served of [own, foreign]) {
      listeners.renew(served);
      for (const suite of OLD_SUITES) {
        const ended = await agreement({ maxVersion: "TLSv1.2", ciphers: `${suite}:@SECLEVEL=0` });
        expect(ended, suite).to.match(/HANDSHAKE_FAILURE|NO_CIPHER|ECONNRESET/);
      }
      expect(await agreement({ maxVersion: "TLSv1.2" })).to.match(/^TLSv1\.2 ECDHE-/);
    }
  });

  it("agree on a connection's keys once: who asks to do it again is refused", async () => {
    const socket = tlsConnect({
      ...{ host: "127.0.0.1", port: httpsPort, rejectUnauthorized: false, maxVersion: "TLSv1.2" },
    });
    await once(socket, "secureConnect");
    const error = await new Promise<Error | null>((resolve) => {
      socket.once("error", resolve);
      socket.renegotiate({ rejectUnauthorized: false }, resolve);
    });
    socket.destroy();
    expect(String(error)).to.match(/no[ _]renegotiation/i);
  });

  it("tell browsers to take no other way only while the certificate is not the appliance's own", async () => {
    expect(await headers()).to.not.have.property("strict-transport-security");
    listeners.renew(foreign);
    expect((await headers())["strict-transport-security"]).to.equal("max-age=15552000");
    // Never beyond its end: then the appliance's own certificate takes its place.
    nowMs = foreign.endsMs - 60_000;
    expect((await headers())["strict-transport-security"]).to.equal("max-age=60");
    nowMs = foreign.endsMs + 1;
    expect((await headers())["strict-transport-security"]).to.equal("max-age=0");
    listeners.renew(own);
    expect(await headers()).to.not.have.property("strict-transport-security");
    const plain = await fetch(`http://127.0.0.1:${httpPort}/`);
    expect(plain.headers.get("strict-transport-security")).to.equal(null);
  });

  it("go on with connections that are open when the certificate changes", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    agent.on("free", (socket) => sockets.add(socket));
    await headers(agent);
    listeners.renew(foreign);
    await headers(agent);
    await headers(agent);
    agent.destroy();
    expect(sockets.size).to.equal(1);
  });

  it("serve everything by plain HTTP on loopback, and only the explanation on the network", async () => {
    const textAt = async (host: string, sent: Record<string, string> = {}) =>
      (await fetch(`http://${host}:${httpPort}/`, { headers: sent })).text();
    expect(await textAt("127.0.0.1")).to.equal("everything");
    expect(await textAt("[::1]")).to.equal("everything");
    expect(await textAt(networkAddress())).to.equal("explanation");
    // What a request says of where it comes from changes nothing.
    const claims = { "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1", forwarded: "for=127.0.0.1" };
    expect(await textAt(networkAddress(), { ...claims, host: "localhost" })).to.equal("explanation");
  });

  it("ask nobody on the network to send by plain HTTP what it offers to send", async () => {
    const offer = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n";
    const firstLine = async (host: string) => {
      const socket = connect(httpPort, host);
      socket.write(offer);
      const [first] = await once(socket, "data");
      socket.destroy();
      return String(first).split("\r\n")[0];
    };
    expect(await firstLine(networkAddress())).to.equal("HTTP/1.1 200 OK");
    // The control: on loopback it may.
    expect(await firstLine("127.0.0.1")).to.equal("HTTP/1.1 100 Continue");
  });

  it("leave the network out of plain HTTP where it is not to be explained to", async () => {
    await listeners.close();
    await listeners.open(own, { host: "", httpsPort, httpPort, explains: false });
    const refused = await fetch(`http://${networkAddress()}:${httpPort}/`).catch((error) => error.cause.code);
    expect(refused).to.equal("ECONNREFUSED");
    expect((await fetch(`http://127.0.0.1:${httpPort}/`)).status).to.equal(200);
  });

  for (const host of ["0.0.0.0", "::", networkAddress()]) {
    it(`serve loopback and the network by plain HTTP with ${host} as their host`, async () => {
      await listeners.close();
      await listeners.open(own, { host, httpsPort, httpPort, explains: true });
      const textAt = async (at: string) => (await fetch(`http://${at}:${httpPort}/`)).text();
      expect(await textAt("127.0.0.1")).to.equal("everything");
      expect(await textAt("[::1]")).to.equal("everything");
      expect(await textAt(networkAddress())).to.equal("explanation");
    });
  }
});
