import { X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { DAY_MS, HOUR_MS, WEEK_MS } from "../../src/domain/clock.ts";
import type { Log } from "../../src/domain/log.ts";
import { type HostNames, toHostNames } from "../../src/net/host-names.ts";
import { CertificateRenewal, type ServedCertificate } from "../../src/net/renewal.ts";
import { ownFiles } from "../../src/net/tls/own-certificate.ts";
import { SetClock } from "../http/fakes.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { OpenSsl } from "./tls/openssl.ts";

const FIRST = toHostNames("gateway", ["192.168.1.20"]);
const MOVED = toHostNames("gateway", ["192.168.7.7"]);

describe("The renewal of certificates", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let clock: SetClock;
  let host: HostNames;
  /** Called when a check begins, after it has read the host's names. */
  let onLook: () => void;
  let logged: string[];
  let renewed: ServedCertificate[];
  let renewal: CertificateRenewal;
  let isTrusted: boolean;

  beforeEach(() => {
    isTrusted = true;
    clock = new SetClock(Date.UTC(2026, 5, 1));
    host = FIRST;
    onLook = () => {};
    logged = [];
    renewed = [];
    const readHost = () => {
      const found = host;
      onLook();
      return found;
    };
    const keep = (fields: object, message: string) =>
      void logged.push(`${message} ${JSON.stringify(fields)}`);
    const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
    renewal = new CertificateRenewal({
      directories: { own: directory.path, dropIn: directory.file("tls.d") },
      clock,
      log,
      readHost,
      trust: { trusted: () => isTrusted },
      onRenewed: (served) => renewed.push(served),
    });
  });
  afterEach(async () => {
    await renewal.close();
  });

  /** Begins a check; resolves once it has read the host's names. */
  async function beginCheck(): Promise<{ readonly checking: Promise<void> }> {
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    onLook = resolve;
    const checking = renewal.check();
    await looked;
    return { checking };
  }

  function putDropIn(text: string): void {
    mkdirSync(directory.file("tls.d"));
    writeFileSync(directory.file("tls.d", "site.pem"), text, { mode: 0o600 });
  }

  /** For each certificate that replaced another one: whether it lists the address. */
  const listing = (address: string) =>
    renewed.map(({ cert }) => new X509Certificate(cert).checkIP(address) !== undefined);

  const linesWith = (text: string) => logged.filter((line) => line.includes(text));

  it("serves another leaf after a change of address or name, and logs a new authority", async () => {
    await renewal.open();
    await renewal.check();
    expect(renewed).to.have.length(0);
    host = MOVED;
    await renewal.check();
    expect(listing("192.168.7.7")).to.deep.equal([true]);
    expect([linesWith("authority"), renewal.faults()]).to.deep.equal([[], []]);
    host = toHostNames("other-name", ["192.168.7.7"]);
    await renewal.check();
    expect(renewed).to.have.length(2);
    expect(linesWith("a new authority was made: browsers must be told to trust it")).to.have.length(1);
  });

  it("makes no certificate for each of the addresses that a machine of the network has it take", async () => {
    await renewal.open();
    for (let number = 1; number <= 30; number += 1) {
      host = toHostNames("gateway", [`192.168.9.${number}`]);
      await renewal.check();
    }
    expect(renewed).to.have.length(11);
    clock.pass(HOUR_MS);
    await renewal.check();
    expect(listing("192.168.9.30").at(-1)).to.equal(true);
    expect(renewed).to.have.length(12);
  });

  it("has a fault for a week where its authority was damaged and had to be replaced", async () => {
    writeFileSync(ownFiles(directory.path).authority, "damaged");
    await renewal.open();
    const told = () => renewal.faults().map(({ code, sinceMs }) => [code, sinceMs]);
    const replaced = [["authority_replaced", clock.nowMs()]];
    expect(told()).to.deep.equal(replaced);
    clock.pass(WEEK_MS - 1);
    expect(told()).to.deep.equal(replaced);
    clock.pass(1);
    expect(told()).to.deep.equal([]);
  });

  it("checks again after the check under way, which may have looked before the change", async () => {
    await renewal.open();
    const { checking } = await beginCheck();
    host = MOVED;
    const asked = renewal.check();
    await checking;
    expect(renewed).to.have.length(0);
    await asked;
    expect(listing("192.168.7.7")).to.deep.equal([true]);
  });

  it("completes a check under way when it is closed, and begins no other", async () => {
    await renewal.open();
    host = MOVED;
    await beginCheck();
    host = toHostNames("gateway", ["192.168.8.8"]);
    const asked = renewal.check();
    await renewal.close();
    expect(listing("192.168.7.7")).to.deep.equal([true]);
    await asked;
    await renewal.check();
    expect(renewed).to.have.length(1);
  });

  it("logs a refused certificate once, and has a fault until it is mended", async () => {
    putDropIn("nothing");
    await renewal.open();
    await renewal.check();
    expect(linesWith("a certificate was refused")).to.have.length(1);
    expect(renewal.faults().map(({ code, details }) => [code, details["reason"]])).to.deep.equal([
      ["certificate_refused", "there is no certificate in it"],
    ]);
    rmSync(directory.file("tls.d", "site.pem"));
    await renewal.check();
    expect(renewal.faults()).to.deep.equal([]);
  });

  it("has a fault two weeks before an administrator's certificate ends, and then serves its own", async () => {
    using openssl = new OpenSsl();
    const { key, cert } = openssl.make({ extensions: ["subjectAltName=DNS:gateway"], days: 90 });
    // OpenSSL uses the machine's clock.
    clock.setWall(Date.now());
    putDropIn(key + cert);
    const { own, endsMs } = await renewal.open();
    expect(own).to.equal(false);
    for (const [daysBefore, expected] of [
      [15, []],
      [14, [["certificate_ending", 14]]],
      [0.5, [["certificate_ending", 1]]],
    ] as const) {
      clock.setWall(endsMs - daysBefore * DAY_MS);
      expect(renewal.faults().map(({ code, details }) => [code, details["days"]])).to.deep.equal(expected);
    }
    isTrusted = false;
    expect(renewal.faults(), "by a clock that is not trusted").to.deep.equal([]);
    isTrusted = true;
    clock.setWall(endsMs + 1);
    await renewal.check();
    expect(renewed.map(({ own: isOwn }) => isOwn)).to.deep.equal([true]);
    // Its own is renewed in time.
    clock.setWall((renewed[0]?.endsMs ?? 0) - DAY_MS);
    expect(renewal.faults().map(({ code }) => code)).to.deep.equal(["certificate_refused"]);
  });

  it("serves the old certificate while the disk fails, and logs it", async () => {
    const { cert } = await renewal.open();
    const { authority } = ownFiles(directory.path);
    rmSync(authority);
    mkdirSync(authority);
    chmodSync(authority, 0o000);
    await renewal.check();
    expect(renewed).to.have.length(0);
    expect(linesWith("the certificate could not be renewed")).to.have.length(1);
    expect(renewal.authority()).to.be.a("string");
    expect(new X509Certificate(cert).checkHost("gateway")).to.equal("gateway");
  });
});
