import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { type TLSSocket, connect as tlsConnect } from "node:tls";
import { expect } from "chai";
import { Listeners } from "../../src/cli/listen.ts";
import { CertificateRenewal } from "../../src/cli/renewal.ts";
import type { Log } from "../../src/domain/log.ts";
import { toHostNames } from "../../src/tls/host-names.ts";
import { type CertificatePlaces, ensureCertificates } from "../../src/tls/served.ts";
import { SetClock } from "../http/fakes.ts";
import { freePort } from "./ports.ts";
import { until } from "./program.ts";

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const MS_PER_DAY = 86_400_000;
/** What requests under way are given, and some more for a busy machine. */
const CLOSE_MS = 5_000;
/** What an agreement on TLS is given, and some more. */
const HANDSHAKE_MS = 10_000;

describe("the doors to the network", () => {
  const host = toHostNames("gateway", []);
  let directory: string;
  let places: CertificatePlaces;
  let clock: SetClock;
  let listeners: Listeners;
  let httpsPort: number;
  let httpPort: number;
  let underWay = 0;
  /** Requests that were being answered at once. */
  let most = 0;
  let silent: Socket | undefined;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "flanco-tls-"));
    clock = new SetClock(Date.now());
    httpsPort = await freePort();
    places = { own: join(directory, "tls"), dropIn: join(directory, "tls.d") };
    listeners = new Listeners(
      (_request, response) => void answer(response),
      (_request, response) => response.end("there"),
      () => clock.nowMs(),
    );
    const { served } = await ensureCertificates(places, clock, true, host);
    httpPort = await freePort();
    await listeners.open(served, { host: "127.0.0.1", httpsPort, httpPort, explains: true });
  });

  afterEach(async () => {
    silent?.destroy();
    await listeners.close();
    rmSync(directory, { recursive: true });
  });

  async function answer(response: ServerResponse): Promise<void> {
    underWay += 1;
    most = Math.max(most, underWay);
    await turn();
    underWay -= 1;
    response.end("here");
  }

  async function connectSilently(): Promise<Socket> {
    const socket = connect(httpsPort, "127.0.0.1");
    socket.on("error", () => {}).resume();
    silent = socket;
    await once(socket, "connect");
    return socket;
  }

  async function served(): Promise<string> {
    const socket: TLSSocket = tlsConnect({ host: "127.0.0.1", port: httpsPort, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  }

  it("close in seconds, though somebody connected to HTTPS and says nothing", async () => {
    await connectSilently();
    await served();
    const began = performance.now();
    const closed = await Promise.race([
      listeners.close().then(() => true),
      new Promise<false>((resolve) => setTimeout(resolve, CLOSE_MS, false)),
    ]);
    expect(closed, `closed within ${CLOSE_MS} ms`).to.equal(true);
    expect(performance.now() - began).to.be.below(CLOSE_MS);
  });

  it("end a connection that does not agree on TLS within seconds", async () => {
    const socket = await connectSilently();
    await until("the connection was ended", () => socket.destroyed, HANDSHAKE_MS);
  });

  it("take one request of a connection at a time, by either of them", async () => {
    for (const socket of [
      connect(httpPort, "127.0.0.1"),
      tlsConnect({ host: "127.0.0.1", port: httpsPort, rejectUnauthorized: false }),
    ]) {
      silent = socket;
      most = 0;
      let answers = "";
      socket.on("data", (data) => {
        answers += data;
      });
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(10));
      await until("all are answered", () => answers.split("HTTP/1.1 200").length === 11);
      expect(most).to.equal(1);
      socket.destroy();
    }
  });

  it("serve a new certificate to new connections while they are open, before the old one ends", async () => {
    const before = await served();
    const renewal = new CertificateRenewal({
      places,
      clock,
      trust: { trusted: () => true },
      log: SILENT,
      readHost: () => host,
      onRenewed: (served) => listeners.renew(served),
      checkEveryMs: 10,
    });
    await renewal.open();
    try {
      expect(await served()).to.equal(before);
      clock.setWall(Date.now() + 380 * MS_PER_DAY);
      await until("another certificate is served", async () => (await served()) !== before);
    } finally {
      await renewal.close();
    }
  });
});
