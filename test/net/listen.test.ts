import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import { connect, type Socket } from "node:net";
import { finished } from "node:stream/promises";
import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type ConnectionOptions, connect as tlsConnect } from "node:tls";
import { expect } from "chai";
import { freePort } from "../../scripts/ports.ts";
import { LIMITS, Listeners } from "../../src/net/front-door.ts";
import { toHostNames } from "../../src/net/host-names.ts";
import { ensureCertificates, type ServedCertificate } from "../../src/net/renewal.ts";
import { validityOf } from "../../src/net/tls/keyed-certificate.ts";
import { SetClock } from "../http/fakes.ts";
import { forSuite } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";
import { networkAddress } from "./tls/network.ts";
import { OpenSsl, RSA_2048 } from "./tls/openssl.ts";

/** In place of seconds, so that no test waits for them. */
const SHORT_DRAIN = { ...LIMITS, drainMs: 50 };
const SHORT = {
  ...SHORT_DRAIN,
  headersTimeout: 100,
  requestTimeout: 300,
  handshakeTimeout: 100,
  connectionsCheckingInterval: 20,
};
/** A generous bound for a busy machine. */
const LATE_MS = 10_000;
/** Suites of TLS 1.2 without forward secrecy or authenticated encryption. */
const OLD_SUITES = [
  ...["AES128-SHA", "AES256-SHA256", "AES128-GCM-SHA256", "AES256-GCM-SHA384", "CAMELLIA128-SHA"],
  ...["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "ECDHE-RSA-AES128-SHA256"],
  ...["ECDHE-ECDSA-AES128-CCM", "DHE-RSA-AES128-GCM-SHA256", "DHE-RSA-CHACHA20-POLY1305"],
  ...["ADH-AES128-GCM-SHA256", "NULL-SHA256"],
];

describe("The service's ports", () => {
  const host = toHostNames("gateway", []);
  const clock = new SetClock(Date.now());
  const directory = forSuite(() => new TemporaryDirectory());
  let directories: { own: string; dropIn: string };
  let own: ServedCertificate;
  let foreign: ServedCertificate;
  let listeners: Listeners;
  let httpsPort: number;
  let httpPort: number;
  let sockets: Socket[];
  let underWay = 0;
  /** Most requests that were being answered at once. */
  let most = 0;

  before(async () => {
    directories = { own: directory.file("tls"), dropIn: directory.file("tls.d") };
    own = (await ensureCertificates(directories, clock, true, host)).served;
    using openssl = new OpenSsl();
    const made = openssl.make({ extensions: ["subjectAltName=DNS:a.org"], key: RSA_2048, days: 300 });
    foreign = { ...made, file: "foreign", own: false, endsMs: validityOf(made).toMs };
  });

  beforeEach(async () => {
    clock.setWall(Date.now());
    sockets = [];
    [httpsPort, httpPort] = [await freePort(), await freePort()];
    await open(SHORT_DRAIN);
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await listeners.close();
  });

  const doors = () => ({ host: "", https_port: httpsPort, http_port: httpPort, trust_page: true });

  async function open(limits: typeof LIMITS): Promise<void> {
    listeners = new Listeners(
      (incoming, response) => void answer(incoming, response),
      (_incoming, response) => response.end("explanation"),
      () => clock.nowMs(),
      limits,
    );
    await listeners.open(own, doors());
  }

  async function reopen(limits: typeof LIMITS): Promise<void> {
    await listeners.close();
    await open(limits);
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    underWay += 1;
    most = Math.max(most, underWay);
    // Rejects when the service cuts the body off.
    await finished(incoming.resume()).catch(() => {});
    await turn();
    underWay -= 1;
    response.end("everything");
  }

  /** Connects and sends nothing. */
  async function connectTo(port: number, address = "127.0.0.1"): Promise<Socket> {
    const socket = connect(port, address).setEncoding("latin1");
    socket.on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
    return socket;
  }

  const tls = (options: ConnectionOptions = {}) =>
    tlsConnect({ host: "127.0.0.1", port: httpsPort, rejectUnauthorized: false, ...options });

  /** Version and suite of a handshake, or the code of its error. */
  async function handshake(options: ConnectionOptions): Promise<string> {
    const socket = tls(options);
    try {
      await once(socket, "secureConnect");
      return `${socket.getProtocol()} ${socket.getCipher().name}`;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    } finally {
      socket.destroy();
    }
  }

  async function servedFingerprint(): Promise<string> {
    const socket = tls();
    await once(socket, "secureConnect");
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  }

  async function headers(agent = new Agent()): Promise<NodeJS.Dict<string | string[]>> {
    const sent = request({ port: httpsPort, host: "127.0.0.1", rejectUnauthorized: false, agent }).end();
    const [response] = await once(sent, "response");
    await finished(response.resume());
    return response.headers;
  }

  const textAt = async (address: string, sent: Record<string, string> = {}) =>
    (await fetch(`http://${address}:${httpPort}/`, { headers: sent })).text();

  it("give headers 5 s, a request 10 s, a TLS handshake 5 s, and requests under way 2 s to end", () => {
    expect(LIMITS).to.deep.equal({
      highWaterMark: 16 * 1024,
      maxHeaderSize: 8_192,
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      handshakeTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      paceMs: 30_000,
      drainMs: 2_000,
    });
  });

  describe("a client", () => {
    const LARGE = "x".repeat(8_000_000);
    const answers: ServerResponse[] = [];

    beforeEach(async () => {
      await listeners.close();
      answers.length = 0;
      // The looks at the pace of clients come when the test says so.
      mock.timers.enable({ apis: ["setInterval"] });
      const give = (_incoming: IncomingMessage, response: ServerResponse) => void answers.push(response);
      listeners = new Listeners(give, give, () => clock.nowMs(), SHORT_DRAIN);
      await listeners.open(own, doors());
    });
    afterEach(() => mock.timers.reset());

    function passChecks(times = 1): void {
      mock.timers.tick(times * LIMITS.paceMs);
    }

    async function ask(secure: boolean): Promise<Socket> {
      const socket = secure ? tls() : await connectTo(httpPort);
      socket.on("error", () => {});
      sockets.push(socket);
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await until("it is asked", () => answers.length === 1, LATE_MS);
      return socket;
    }

    for (const secure of [true, false]) {
      it(`that does not take its answer is cut off, ${secure ? "with" : "without"} TLS`, async () => {
        await ask(secure);
        answers[0]?.end(LARGE);
        // In this time a client of 1 kB/s would have taken all of it.
        passChecks(2 + LARGE.length / LIMITS.paceMs);
        await until("the answer is given up", () => answers[0]?.destroyed === true, LATE_MS);
      });
    }
  });

  it("close although a client has connected to HTTPS and sends nothing", async () => {
    const silent = (await connectTo(httpsPort)).resume();
    await servedFingerprint();
    await listeners.close();
    await until("the connection is closed", () => silent.destroyed, LATE_MS);
  });

  it("end a connection that does not finish its TLS handshake in time", async () => {
    await reopen(SHORT);
    const silent = (await connectTo(httpsPort)).resume();
    await until("the connection is closed", () => silent.destroyed, LATE_MS);
  });

  for (const [what, head, drop] of [
    ["headers", "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", "a"],
    ["the bytes of a body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n", " "],
  ] as const) {
    it(`end a request for which ${what} do not come in time, with 408, also one of which bytes keep coming`, async () => {
      await reopen(SHORT);
      const silent = await connectTo(httpPort);
      silent.write(head);
      let text = "";
      for await (const chunk of silent) text += chunk;
      expect(text).to.match(/^HTTP\/1\.1 408 /);
      const trickling = (await connectTo(httpPort)).resume();
      trickling.write(head);
      const trickle = setInterval(() => trickling.write(drop), SHORT.connectionsCheckingInterval);
      await until("the connection is closed", () => trickling.destroyed, LATE_MS).finally(() =>
        clearInterval(trickle),
      );
    });
  }

  it("take one request of a connection at a time, over HTTP and HTTPS", async () => {
    for (const socket of [await connectTo(httpPort), tls()]) {
      sockets.push(socket);
      most = 0;
      let answers = "";
      socket.on("data", (data) => {
        answers += data;
      });
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(10));
      await until("all are answered", () => answers.split("HTTP/1.1 200").length === 11);
      expect(most).to.equal(1);
    }
  });

  it("keep open connections when the certificate changes", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const used = new Set<unknown>();
    agent.on("free", (socket) => used.add(socket));
    await headers(agent);
    listeners.renew(foreign);
    await headers(agent);
    await headers(agent);
    agent.destroy();
    expect(used.size).to.equal(1);
  });

  it("speak TLS 1.3 and 1.2, and nothing older", async () => {
    expect(await handshake({})).to.match(/^TLSv1\.3 TLS_AES_/);
    expect(await handshake({ maxVersion: "TLSv1.2" })).to.match(/^TLSv1\.2 ECDHE-ECDSA-AES128-GCM-SHA256$/);
    // At security level 0 this client itself accepts old versions.
    for (const version of ["TLSv1.1", "TLSv1"] as const) {
      const options = { minVersion: version, maxVersion: version, ciphers: "ALL:@SECLEVEL=0" } as const;
      expect(await handshake(options), version).to.match(/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/);
    }
    // A client that prefers ChaCha20 gets it.
    const ciphers = "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256";
    const agreed = await handshake({ maxVersion: "TLSv1.2", ciphers });
    expect(agreed).to.equal("TLSv1.2 ECDHE-ECDSA-CHACHA20-POLY1305");
  });

  it("take no old suite, with a key of ECDSA or RSA", async () => {
    for (const served of [own, foreign]) {
      listeners.renew(served);
      for (const suite of OLD_SUITES) {
        const ended = await handshake({ maxVersion: "TLSv1.2", ciphers: `${suite}:@SECLEVEL=0` });
        expect(ended, suite).to.match(/HANDSHAKE_FAILURE|NO_CIPHER|ECONNRESET/);
      }
      expect(await handshake({ maxVersion: "TLSv1.2" })).to.match(/^TLSv1\.2 ECDHE-/);
    }
  });

  it("refuse renegotiation", async () => {
    const socket = tls({ maxVersion: "TLSv1.2" });
    await once(socket, "secureConnect");
    const error = await new Promise<Error | null>((resolve) => {
      socket.once("error", resolve);
      socket.renegotiate({ rejectUnauthorized: false }, resolve);
    });
    socket.destroy();
    expect(String(error)).to.match(/no[ _]renegotiation/i);
  });

  it("send Strict-Transport-Security only with an administrator's certificate, and never beyond its end", async () => {
    expect(await headers()).to.not.have.property("strict-transport-security");
    listeners.renew(foreign);
    for (const [nowMs, expected] of [
      [Date.now(), "max-age=15552000"],
      [foreign.endsMs - 60_000, "max-age=60"],
      [foreign.endsMs + 1, "max-age=0"],
    ] as const) {
      clock.setWall(nowMs);
      expect((await headers())["strict-transport-security"]).to.equal(expected);
    }
    const plain = await fetch(`http://127.0.0.1:${httpPort}/`);
    expect(plain.headers.get("strict-transport-security")).to.equal(null);
    listeners.renew(own);
    expect(await headers()).to.not.have.property("strict-transport-security");
  });

  for (const bound of ["", "0.0.0.0", "::", networkAddress()]) {
    it(`serve everything by plain HTTP on loopback and the explanation on the network, with the host "${bound}"`, async () => {
      await listeners.close();
      await listeners.open(own, { ...doors(), host: bound });
      expect(await textAt("127.0.0.1")).to.equal("everything");
      expect(await textAt("[::1]")).to.equal("everything");
      expect(await textAt(networkAddress())).to.equal("explanation");
      // A request's own claims change nothing.
      const claims = { "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1", forwarded: "for=127.0.0.1" };
      expect(await textAt(networkAddress(), { ...claims, host: "localhost" })).to.equal("explanation");
    });
  }

  it("serve the explanation at its own path on loopback too: it leads a browser on to HTTPS", async () => {
    for (const path of ["/confianza", "/confianza?lang=en", "/flanco-ca.crt"]) {
      expect(await (await fetch(`http://127.0.0.1:${httpPort}${path}`)).text()).to.equal("explanation");
    }
    expect(await (await fetch(`http://127.0.0.1:${httpPort}/confianzas`)).text()).to.equal("everything");
  });

  it("serve plain HTTP on loopback alone where the explanation is switched off", async () => {
    await listeners.close();
    await listeners.open(own, { ...doors(), trust_page: false });
    const refused = await textAt(networkAddress()).catch((error) => error.cause.code);
    expect(refused).to.equal("ECONNREFUSED");
    expect(await textAt("127.0.0.1")).to.equal("everything");
  });

  it("do not tell a client on the network to send the body that it offers by plain HTTP", async () => {
    const offer = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n";
    const firstLine = async (address: string) => {
      const socket = await connectTo(httpPort, address);
      socket.write(offer);
      const [first] = await once(socket, "data");
      return String(first).split("\r\n")[0];
    };
    expect(await firstLine(networkAddress())).to.equal("HTTP/1.1 200 OK");
    // The control: on loopback it may.
    expect(await firstLine("127.0.0.1")).to.equal("HTTP/1.1 100 Continue");
  });
});
