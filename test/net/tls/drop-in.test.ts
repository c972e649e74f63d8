import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { readDropIns } from "../../../src/net/tls/drop-in.ts";
import type { KeyedCertificate } from "../../../src/net/tls/keyed-certificate.ts";
import { forSuite } from "../../rig/standing.ts";
import { ED25519, OpenSsl, RSA_1024, RSA_2048 } from "./openssl.ts";

const SAN = "subjectAltName=DNS:panel.example.org";
const DEK = `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-256-CBC,3C9E0C6D2B5F0F3F8D4E4A8E6C1B2A39

AAAA
-----END EC PRIVATE KEY-----
`;

describe("The directory of an administrator's certificates", () => {
  const openssl = forSuite(() => new OpenSsl());
  let directory: string;
  let good: KeyedCertificate;
  let other: KeyedCertificate;

  before(() => {
    good = openssl.make({ extensions: [SAN] });
    other = openssl.make({ extensions: [SAN], key: RSA_2048 });
  });

  beforeEach(() => {
    directory = openssl.folder();
  });

  function put(name: string, text: string): void {
    writeFileSync(join(directory, name), text, { mode: 0o600 });
  }

  function putPair(name: string, { key, cert }: KeyedCertificate): void {
    put(`${name}.pem`, cert);
    put(`${name}.key`, key);
  }

  /** The served name, and the reasons why others are refused. */
  function read(nowMs: number | null = Date.now()) {
    const { best, refused } = readDropIns(directory, nowMs);
    const nameIn = (file: string) => file.slice(directory.length + 1);
    return {
      best: best === null ? null : nameIn(best.file),
      refused: refused.map(({ file, reason }) => `${nameIn(file)}: ${reason}`),
    };
  }

  it("may be missing or empty", () => {
    expect(read()).to.deep.equal({ best: null, refused: [] });
    expect(readDropIns(join(directory, "none"), 0)).to.deep.equal({ best: null, refused: [] });
  });

  it("holds pairs, or both in one file, and the last name wins", () => {
    putPair("10-old", other);
    expect(read()).to.deep.equal({ best: "10-old", refused: [] });
    put("20-new.pem", good.key + good.cert);
    expect(read()).to.deep.equal({ best: "20-new", refused: [] });
    put("30.crt", other.cert);
    put("30.key", other.key);
    expect(read()).to.deep.equal({ best: "30", refused: [] });
    expect(readDropIns(directory, Date.now()).best).to.include({ key: other.key, cert: other.cert });
  });

  it("ignores hidden files, other extensions, and folders of other names", () => {
    putPair("site", good);
    for (const name of [".zz.pem", "zz.pem~", "zz.txt"]) put(name, "nothing");
    mkdirSync(join(directory, "zz"));
    expect(read()).to.deep.equal({ best: "site", refused: [] });
  });

  it("serves a chain with the leaf first, in any order of the file", () => {
    const authority = openssl.make({ extensions: ["basicConstraints=critical,CA:TRUE"], subject: "/CN=ca" });
    const leaf = openssl.make({ extensions: [SAN], signer: authority });
    put("site.pem", authority.cert + leaf.cert);
    put("site.key", leaf.key);
    expect(readDropIns(directory, Date.now()).best).to.include({ cert: leaf.cert + authority.cert });
  });

  for (const [what, reason, bad] of [
    ["holds nothing", /no certificate/, () => put("z.pem", "")],
    ["is no certificate", /no certificate/, () => put("z.pem", pem("RUBBISH"))],
    ["has a bad certificate", /cannot be used/, () => putPair("z", { ...good, cert: pem("CERTIFICATE") })],
    ["has no key", /no private key/, () => put("z.pem", good.cert)],
    ["has only a key", /no certificate/, () => put("z.key", good.key)],
    ["has a key of rubbish", /cannot be parsed/, () => putPair("z", { ...good, key: pem("PRIVATE KEY") })],
    ["has another's key", /belongs to another/, () => putPair("z", { ...good, key: other.key })],
    ["has an encrypted key", /is encrypted/, () => putPair("z", { ...good, key: encrypted(good.key) })],
    ["has a key that is encrypted in the old way", /is encrypted/, () => putPair("z", { ...good, key: DEK })],
    ["has a key that everybody may read", /run chmod o= \S+z\.key$/, () => putOpen()],
    ["is a folder", /it is no file/, () => mkdirSync(join(directory, "z.pem"))],
    ["leads nowhere", /cannot be read \(ENOENT\)/, () => symlinkSync("gone", join(directory, "z.pem"))],
    ["is huge", /larger than 1 MiB/, () => put("z.pem", `${"x".repeat(2 ** 20)}${good.cert}${good.key}`)],
    ["has a weak RSA key", /1024 bits is too weak/, () => putPair("z", made({ key: RSA_1024 }))],
    ["has a key that no browser takes", /browsers take no key/, () => putPair("z", made({ key: ED25519 }))],
    ["is signed with SHA-1", /signature \(.*\) is too weak/, () => putPair("z", made({ digest: "sha1" }))],
    ["names no host", /names no host/, () => putPair("z", made({ extensions: [] }))],
    [
      "is an authority's",
      /of an authority/,
      () => putPair("z", extended("basicConstraints=critical,CA:TRUE")),
    ],
    [
      "is not for servers",
      /not meant for servers/,
      () => putPair("z", extended("extendedKeyUsage=clientAuth")),
    ],
  ] as const) {
    it(`refuses one that ${what}, says why, and serves the next`, () => {
      putPair("a", other);
      expect(read()).to.deep.equal({ best: "a", refused: [] });
      bad();
      const { best, refused } = read();
      expect(best).to.equal("a");
      expect(refused).to.have.length(1);
      expect(refused[0]).to.match(/^z: /).and.to.match(reason);
    });
  }

  it("refuses one before and after its validity, unless the clock is not trusted", () => {
    putPair("site", good);
    const beforeMs = Date.now() - DAY_MS;
    const afterMs = Date.now() + 31 * DAY_MS;
    expect(read(beforeMs).refused[0]).to.match(/^site: it only counts from \d{4}-/);
    expect(read(afterMs).refused[0]).to.match(/^site: it ended on \d{4}-/);
    expect(read(null)).to.deep.equal({ best: "site", refused: [] });
  });

  function made(wanted: Partial<Parameters<OpenSsl["make"]>[0]>): KeyedCertificate {
    return openssl.make({ extensions: [SAN], ...wanted });
  }

  function extended(extension: string): KeyedCertificate {
    return made({ extensions: [SAN, extension] });
  }

  function putOpen(): void {
    putPair("z", good);
    chmodSync(join(directory, "z.key"), 0o644);
  }

  function encrypted(key: string): string {
    openssl.write("plain.key", key);
    return openssl.run("pkcs8", "-topk8", "-in", "plain.key", "-passout", "pass:secret");
  }
});

function pem(label: string): string {
  return `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`;
}
