import { X509Certificate } from "node:crypto";
import { expect } from "chai";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { toHostNames } from "../../../src/net/host-names.ts";
import { permittedNames } from "../../../src/net/tls/authority.ts";
import { ensureOwnCertificate, type OwnCertificate } from "../../../src/net/tls/own-certificate.ts";
import { SetClock } from "../../http/fakes.ts";
import { forSuite } from "../../rig/standing.ts";
import { OpenSsl } from "./openssl.ts";

const NOW_MS = Date.UTC(2027, 2, 1);
const YEAR_MS = 365 * DAY_MS;
/** Addresses at the edges of the private networks, and beside them. */
const PRIVATE = [
  ...["127.0.0.1", "127.255.255.255", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255"],
  ...["192.168.0.0", "192.168.255.255", "169.254.1.1", "::1", "fc00::", "fdff::1", "fe80::1", "febf::1"],
];
const PUBLIC = [
  ...["8.8.8.8", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255"],
  ...["192.169.0.0", "169.255.0.0", "128.0.0.0", "100.64.0.1", "::2", "2001:db8::1", "fe00::1", "fec0::1"],
];

describe("The appliance's own authority", () => {
  const openssl = forSuite(() => new OpenSsl());
  const own = forSuite(() => ensureIn(openssl.folder()));

  // A host that is named like a top-level domain.
  const host = toHostNames("Clinic", ["192.168.1.20", "fd00::20", "203.0.113.9"], ["panel.example.org"]);

  function ensureIn(directory: string, names = host): Promise<OwnCertificate> {
    return ensureOwnCertificate(directory, names, { clock: new SetClock(NOW_MS), clockTrusted: true });
  }

  /** OpenSSL's error for another leaf that the authority's key has signed; null when it is accepted. */
  function refusalOf(...extensions: readonly string[]): string | null {
    const leaf = openssl.make({ extensions, signer: own.authority, days: 300 });
    return openssl.refusalOf(leaf, own.authority);
  }

  it("has signed a leaf that OpenSSL accepts for a server", () => {
    expect(openssl.refusalOf(own.leaf, own.authority, NOW_MS)).to.equal(null);
  });

  it("differs from that of any other appliance in key and name", async () => {
    const other = await ensureIn(openssl.folder());
    expect(openssl.refusalOf(own.leaf, other.authority, NOW_MS)).to.be.a("string");
    const subjects = [own, other].map(({ authority }) => new X509Certificate(authority.cert).subject);
    expect(new Set(subjects).size).to.equal(2);
  });

  it("can sign its host's names and private addresses, as OpenSSL sees it", () => {
    for (const name of ["clinic", "clinic.local", "localhost", "panel.example.org"]) {
      expect(refusalOf(`subjectAltName=DNS:${name}`), name).to.equal(null);
    }
    const addresses = PRIVATE.map((address) => `IP:${address}`).join(",");
    expect(refusalOf(`subjectAltName=${addresses}`)).to.equal(null);
  });

  for (const name of [
    ...["example.org", "www.google.com", "org", "xclinic", "xpanel.example.org", "other.local", "local"],
    // The whole of a top-level domain.
    ...["bank.clinic", "a.b.clinic", "*.clinic", "*.org"],
  ]) {
    it(`cannot sign ${name}, as OpenSSL sees it`, () => {
      expect(refusalOf(`subjectAltName=DNS:localhost,DNS:${name}`)).to.match(/(permitted|excluded) subtree/);
    });
  }

  it("cannot sign a public address, as OpenSSL sees it", () => {
    for (const address of PUBLIC)
      expect(refusalOf(`subjectAltName=IP:${address}`), address).to.match(/permitted subtree violation/);
  });

  it("can sign no further authority, and only servers", () => {
    const extensions = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"];
    const further = openssl.make({ extensions, signer: own.authority, subject: "/CN=further" });
    const leaf = openssl.make({ extensions: ["subjectAltName=DNS:localhost"], signer: further });
    openssl.write("chain.pem", further.cert);
    openssl.write("leaf.pem", leaf.cert);
    openssl.write("authority.pem", own.authority.cert);
    const verify = (...args: readonly string[]) =>
      openssl.run("verify", "-CAfile", "authority.pem", "-untrusted", "chain.pem", ...args, "leaf.pem");
    expect(() => verify()).to.throw(/path length constraint exceeded/);
    openssl.write("leaf.pem", own.leaf.cert);
    expect(() => verify("-purpose", "smimesign")).to.throw(/unsu(itable|pported) certificate purpose/);
  });

  it("has its constraints marked critical", () => {
    openssl.write("authority.pem", own.authority.cert);
    const text = openssl.run("x509", "-in", "authority.pem", "-noout", "-text");
    expect(text).to.match(/Basic Constraints: critical\s+CA:TRUE, pathlen:0\s/);
    expect(text).to.match(/Name Constraints: critical\s+Permitted:/);
    expect(text).to.match(/Key Usage: critical\s+Certificate Sign\s/);
  });

  it("lasts ten years, its leaf 397 days at most and from a day before", () => {
    const authority = new X509Certificate(own.authority.cert);
    expect((Date.parse(authority.validTo) - NOW_MS) / YEAR_MS).to.be.within(9.9, 10.1);
    const leaf = new X509Certificate(own.leaf.cert);
    const [fromMs, toMs] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
    expect(fromMs).to.equal(NOW_MS - DAY_MS);
    expect(toMs - fromMs).to.equal(397 * DAY_MS);
  });

  it("leaves a public address out of the leaf", () => {
    const leaf = new X509Certificate(own.leaf.cert);
    expect(leaf.checkIP("192.168.1.20")).to.equal("192.168.1.20");
    expect(leaf.checkIP("fd00::20")).to.be.a("string");
    expect(leaf.checkIP("203.0.113.9")).to.equal(undefined);
    expect(host.publicAddresses).to.deep.equal(["203.0.113.9"]);
  });

  it("is kept for a host with many names, and may sign none of those before a renaming", async () => {
    const elsewhere = openssl.folder();
    const many = toHostNames(
      "gateway",
      [],
      Array.from({ length: 30 }, (_, index) => `name${index}.lan`),
    );
    const made = await ensureIn(elsewhere, many);
    expect(await ensureIn(elsewhere, many)).to.deep.equal(made);
    const renamed = toHostNames("renamed", []);
    const { authority } = await ensureIn(elsewhere, renamed);
    expect(await permittedNames(authority)).to.have.members([
      ...["renamed", "renamed.local", "localhost"],
      ...renamed.alternatives,
    ]);
  });

  it("is made for hosts whose names a certificate cannot hold", async () => {
    for (const odd of ["(none)", "", "1.2.3.4", "Gateway_3.lan", "-x-.-", "ñandú", `${"a".repeat(80)}.lan`]) {
      const elsewhere = openssl.folder();
      const made = await ensureIn(elsewhere, toHostNames(odd, []));
      expect(openssl.refusalOf(made.leaf, made.authority, NOW_MS), odd).to.equal(null);
      expect(await ensureIn(elsewhere, toHostNames(odd, [])), odd).to.deep.equal(made);
    }
  });
});
