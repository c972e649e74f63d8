import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as tlsConnect } from "node:tls";
import { expect } from "chai";
import { CertificateRenewal } from "../../src/cli/renewal.ts";
import type { ClockTrust } from "../../src/domain/clock.ts";
import type { Log } from "../../src/domain/log.ts";
import { type HostNames, toHostNames } from "../../src/tls/host-names.ts";
import { ownFiles } from "../../src/tls/own-certificate.ts";
import type { Served } from "../../src/tls/served.ts";
import { SetClock } from "../http/fakes.ts";
import { networkAddress } from "../tls/network.ts";
import { OpenSsl } from "../tls/openssl.ts";
import { Appliance, PROCESS_TEST_MS, type RunningService, until } from "./program.ts";

interface Shown {
  readonly served: { readonly file: string; readonly own: boolean; readonly names: readonly string[] };
  readonly authority: { readonly file: string; readonly fingerprint: readonly string[] };
  readonly refused: readonly { readonly file: string; readonly reason: string }[];
}

describe("The certificates of a service", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Appliance;
  let openssl: OpenSsl;
  let dropIn: string;

  beforeEach(async () => {
    appliance = await Appliance.make({ FLANCO_HOST_NAMES: "panel.example.org" });
    dropIn = join(appliance.dataDir, "tls.d");
    openssl = new OpenSsl();
  });
  afterEach(async () => {
    await appliance.close();
    openssl.close();
  });

  async function served(): Promise<string> {
    const socket = tlsConnect({ host: "127.0.0.1", port: appliance.httpsPort, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  }

  async function show(): Promise<Shown> {
    return JSON.parse(await appliance.succeed(["tls", "show", "--json"]));
  }

  function put(
    name: string,
    { key, cert }: { readonly key: string; readonly cert: string },
    directory = dropIn,
  ): void {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${name}.key`), key, { mode: 0o600 });
    writeFileSync(join(directory, `${name}.pem`), cert);
  }

  const certificate = () => openssl.make({ extensions: ["subjectAltName=DNS:panel.example.org"] });
  const fingerprintOf = (cert: string) => new X509Certificate(cert).fingerprint256;

  it("are shown while it runs and while it is stopped, with the fingerprint of the file that they name", async () => {
    const service = await appliance.start();
    const running = await show();
    await service.end("SIGTERM");
    expect(await show()).to.deep.equal(running);
    expect(running.served).to.deep.include({ own: true, file: join(appliance.dataDir, "tls", "leaf.pem") });
    expect(running.served.names).to.include.members(["localhost", "127.0.0.1", "panel.example.org"]);
    const file = readFileSync(running.authority.file, "utf8");
    expect(running.authority.fingerprint.join(":")).to.equal(fingerprintOf(file));
    const text = await appliance.succeed(["tls", "show"]);
    for (const line of running.authority.fingerprint) expect(text).to.contain(`\n  ${line}\n`.trimEnd());
    expect(text).to.not.contain("PRIVATE");
  });

  it("are not there before the first start, which is what the command says", async () => {
    for (const command of ["show", "renew"]) {
      const { exitCode, stderr } = await appliance.run(["tls", command]);
      expect(exitCode).to.equal(1);
      expect(stderr).to.contain("There is no certificate yet. The service makes it");
    }
  });

  it("are made anew on demand, the authority only when that is asked for", async () => {
    const service = await appliance.start();
    const before = { served: await served(), authority: (await show()).authority };
    await appliance.succeed(["tls", "renew"]);
    process.kill(service.pid, "SIGHUP");
    await until("a new leaf is served", async () => (await served()) !== before.served);
    expect((await show()).authority).to.deep.equal(before.authority);
    await appliance.succeed(["tls", "renew", "--authority"]);
    expect((await show()).authority.fingerprint).to.not.deep.equal(before.authority.fingerprint);
  });

  it("give way to an administrator's at a signal, and come back when that goes", async () => {
    const service = await appliance.start();
    const own = await served();
    const { key, cert } = certificate();
    put("site", { key, cert });
    process.kill(service.pid, "SIGHUP");
    await until("the administrator's is served", async () => (await served()) === fingerprintOf(cert));
    expect((await show()).served).to.deep.include({ own: false, file: join(dropIn, "site") });
    rmSync(dropIn, { recursive: true });
    process.kill(service.pid, "SIGHUP");
    await until("the own one is served", async () => (await served()) === own);
    expect((await service.get("/healthz")).status).to.equal(200);
  });

  it("tell of one that is refused: in the log, in the status, and where they are shown", async () => {
    put("site", { ...certificate(), key: certificate().key });
    const service = await appliance.start();
    const cookie = await service.makeFirstUser();
    expect(service.stderr).to.contain("its private key belongs to another certificate");
    const { data } = (await (await service.get("/api/status", cookie)).json()) as {
      data: { faults: { code: string; message: string }[] };
    };
    const told = data.faults.filter(({ code }) => code === "certificate_refused");
    expect(told).to.have.length(1);
    expect(told[0]?.message).to.contain("tls.d/site is refused: its private key belongs to another");
    const { exitCode, stderr, stdout } = await appliance.run(["tls", "show"]);
    expect(exitCode).to.equal(0);
    expect(stdout).to.contain("the appliance's own");
    expect(stderr).to.contain("tls.d/site is refused: its private key belongs to another");
  });

  it("are told on the console: how to trust them, and what to compare; nothing where browsers trust them", async () => {
    let service: RunningService = await appliance.start({ FLANCO_HOST: "" });
    expect(service.stdout).to.contain(`  http://${networkAddress()}:${appliance.httpPort}/\n`);
    const { fingerprint } = (await show()).authority;
    expect(service.stdout).to.contain(fingerprint.map((line) => `  ${line}`).join("\n"));
    await service.end("SIGTERM");
    const elsewhere = join(appliance.directory, "certificates");
    put("site", certificate(), elsewhere);
    service = await appliance.start({ FLANCO_HOST: "", FLANCO_CERTIFICATES_DIR: elsewhere });
    expect(service.stdout).to.contain("On the network:").and.to.not.contain("fingerprint");
  });

  it("let nobody on the network sign in by plain HTTP, nor make the first user", async () => {
    const service = await appliance.start({ FLANCO_HOST: "" });
    const token = service.firstRunToken;
    const network = `http://${networkAddress()}:${appliance.httpPort}`;
    const first = { token, name: "Eve", email: "eve@example.org", password: "a long password" };
    for (const [path, body] of [
      ["/api/first-run", first],
      ["/api/login", { email: first.email, password: first.password }],
    ] as const) {
      const answer = await fetch(network + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(answer.status).to.equal(403);
      expect(answer.headers.get("set-cookie")).to.equal(null);
    }
    expect(await (await fetch(`${network}/`)).text()).to.contain("Confíe en este equipo");
    // The control: on the machine itself the link works, and works still.
    expect(await service.makeFirstUser()).to.match(/=/);
  });
});

describe("The renewal of certificates", () => {
  let directory: string;
  let clock: SetClock;
  let host: HostNames;
  /** Called with each look at the host, which is what a check begins with. */
  let onLook: () => void;
  let logged: string[];
  let renewed: Served[];
  let renewal: CertificateRenewal;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "flanco-tls-"));
    clock = new SetClock(Date.UTC(2026, 5, 1));
    host = toHostNames("gateway", ["192.168.1.20"]);
    onLook = () => {};
    logged = [];
    renewed = [];
    const readHost = () => {
      const found = host;
      onLook();
      return found;
    };
    const note = (fields: object, message: string) =>
      void logged.push(`${message} ${JSON.stringify(fields)}`);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    const trust: ClockTrust = { trusted: () => true };
    renewal = new CertificateRenewal({
      places: { own: directory, dropIn: join(directory, "tls.d") },
      ...{ clock, trust, log, readHost, onRenewed: (served) => renewed.push(served) },
    });
  });
  afterEach(async () => {
    await renewal.close();
    rmSync(directory, { recursive: true });
  });

  it("serves another leaf once an address or the name has changed, and says when the authority did", async () => {
    await renewal.open();
    await renewal.check();
    expect(renewed).to.have.length(0);
    host = toHostNames("gateway", ["192.168.7.7"]);
    await renewal.check();
    expect(renewed.map(({ cert }) => new X509Certificate(cert).checkIP("192.168.7.7"))).to.deep.equal([
      "192.168.7.7",
    ]);
    expect(logged.join("\n")).to.not.contain("authority");
    host = toHostNames("other-name", ["192.168.7.7"]);
    await renewal.check();
    expect(renewed).to.have.length(2);
    expect(logged.join("\n")).to.contain("a new authority was made: browsers must be told to trust it");
  });

  /** Begins a check; resolves once it has looked at the host, and goes on with what it saw. */
  async function beginCheck(): Promise<{ readonly checking: Promise<void> }> {
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    onLook = resolve;
    const checking = renewal.check();
    await looked;
    return { checking };
  }

  it("looks again for whoever asks while it looks at what was there before, once for all of them", async () => {
    await renewal.open();
    const { checking } = await beginCheck();
    let looks = 0;
    onLook = () => {
      looks += 1;
    };
    host = toHostNames("gateway", ["192.168.7.7"]);
    const asked = [renewal.check(), renewal.check(), renewal.check()];
    await checking;
    expect(renewed).to.have.length(0);
    await Promise.all(asked);
    expect(renewed.map(({ cert }) => new X509Certificate(cert).checkIP("192.168.7.7"))).to.deep.equal([
      "192.168.7.7",
    ]);
    expect(looks).to.equal(1);
  });

  it("lets a look that is under way end when it is closed, and begins with no other", async () => {
    await renewal.open();
    host = toHostNames("gateway", ["192.168.7.7"]);
    await beginCheck();
    host = toHostNames("gateway", ["192.168.8.8"]);
    const asked = renewal.check();
    await renewal.close();
    expect(renewed.map(({ cert }) => new X509Certificate(cert).checkIP("192.168.7.7"))).to.deep.equal([
      "192.168.7.7",
    ]);
    await asked;
    await renewal.check();
    expect(renewed).to.have.length(1);
  });

  it("says once of a public address that it is left out", async () => {
    host = toHostNames("gateway", ["8.8.4.4"]);
    await renewal.open();
    await renewal.check();
    await renewal.check();
    expect(logged.filter((line) => line.includes("8.8.4.4"))).to.have.length(1);
  });

  it("says once of a bad certificate that it is refused, and drops the fault when it is mended", async () => {
    mkdirSync(join(directory, "tls.d"));
    writeFileSync(join(directory, "tls.d", "site.pem"), "nothing");
    await renewal.open();
    await renewal.check();
    expect(logged.filter((line) => line.startsWith("a certificate was refused"))).to.have.length(1);
    expect(renewal.faults().map(({ code, details }) => [code, details["reason"]])).to.deep.equal([
      ["certificate_refused", "there is no certificate in it"],
    ]);
    rmSync(join(directory, "tls.d", "site.pem"));
    await renewal.check();
    expect(renewal.faults()).to.deep.equal([]);
  });

  it("says of an administrator's certificate that it ends, two weeks before", async () => {
    const openssl = new OpenSsl();
    const { key, cert } = openssl.make({ extensions: ["subjectAltName=DNS:gateway"], days: 90 });
    openssl.close();
    mkdirSync(join(directory, "tls.d"));
    writeFileSync(join(directory, "tls.d", "site.pem"), key + cert, { mode: 0o600 });
    const { own, endsMs } = await atNow().open();
    expect(own).to.equal(false);
    const told = (daysBefore: number) => {
      clock.setWall(endsMs - daysBefore * 86_400_000);
      return renewal.faults().map(({ code, details }) => [code, details["days"]]);
    };
    expect(told(15)).to.deep.equal([]);
    expect(told(14)).to.deep.equal([["certificate_ending", 14]]);
    expect(told(0.5)).to.deep.equal([["certificate_ending", 1]]);
    // Then the appliance's own, of which nobody need be told.
    clock.setWall(endsMs + 1);
    await renewal.check();
    expect(renewed.map(({ own: isOwn }) => isOwn)).to.deep.equal([true]);
    expect(renewal.faults().map(({ code }) => code)).to.deep.equal(["certificate_refused"]);
  });

  /** The renewal, by a clock that is right as OpenSSL's is. */
  function atNow(): CertificateRenewal {
    clock.setWall(Date.now());
    return renewal;
  }

  it("serves on what it served while the disk fails, and says so", async () => {
    const { cert } = await renewal.open();
    const { authority } = ownFiles(directory);
    rmSync(authority);
    mkdirSync(authority);
    chmodSync(authority, 0o000);
    await renewal.check();
    expect(renewed).to.have.length(0);
    expect(logged.join("\n")).to.contain("the certificate could not be renewed");
    expect(renewal.authority()).to.be.a("string");
    expect(new X509Certificate(cert).checkHost("gateway")).to.equal("gateway");
  });
});
