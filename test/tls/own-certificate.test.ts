import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { toHostNames } from "../../src/tls/host-names.ts";
import { readKeyed } from "../../src/tls/keyed-certificate.ts";
import { validityOf } from "../../src/tls/leaf.ts";
import {
  ensureOwnCertificate,
  type OwnCertificate,
  type OwnFiles,
  ownFiles,
} from "../../src/tls/own-certificate.ts";
import { until } from "../cli/program.ts";
import { SetClock } from "../http/fakes.ts";
import { OpenSsl } from "./openssl.ts";

const MADE_MS = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;
const HOST = toHostNames("gateway", ["192.168.1.20"]);
const KILLS = 5;
const KILLS_TEST_MS = 60_000;

describe("The appliance's own certificate", () => {
  let parent: string;
  let directory: string;
  let files: OwnFiles;
  let clock: SetClock;
  let made: OwnCertificate;
  let openssl: OpenSsl;

  beforeEach(async () => {
    parent = mkdtempSync(join(tmpdir(), "flanco-tls-"));
    directory = join(parent, "tls");
    files = ownFiles(directory);
    clock = new SetClock(MADE_MS);
    openssl = new OpenSsl();
    made = await ensure();
  });
  afterEach(() => {
    rmSync(parent, { recursive: true });
    openssl.close();
  });

  function ensure(host = HOST, clockTrusted = true): Promise<OwnCertificate> {
    return ensureOwnCertificate(directory, host, { clock, clockTrusted });
  }

  /** Which of the two is as it was made first. */
  async function kept(atMs: number, host = HOST, clockTrusted = true): Promise<string[]> {
    clock.setWall(atMs);
    const { authority, leaf } = await ensure(host, clockTrusted);
    expect(openssl.refusalOf(leaf, authority, clockTrusted ? atMs : MADE_MS)).to.equal(null);
    return [
      ...(authority.cert === made.authority.cert ? ["authority"] : []),
      ...(leaf.cert === made.leaf.cert ? ["leaf"] : []),
    ];
  }

  it("is the same at every look", async () => {
    const before = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"));
    expect(await kept(MADE_MS)).to.deep.equal(["authority", "leaf"]);
    const after = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"));
    expect(after).to.deep.equal(before);
  });

  it("is renewed a month before its end by the same authority, which lasts as long as it can", async () => {
    expect(await kept(MADE_MS + 365 * DAY_MS)).to.deep.equal(["authority", "leaf"]);
    expect(await kept(MADE_MS + 367 * DAY_MS)).to.deep.equal(["authority"]);
    expect(await kept(MADE_MS + 3_600 * DAY_MS)).to.deep.equal(["authority"]);
    expect(await kept(MADE_MS + 3_623 * DAY_MS)).to.deep.equal([]);
  });

  it("never outlives its authority", async () => {
    await kept(MADE_MS + 3_600 * DAY_MS);
    const { authority, leaf } = await ensure();
    expect(validityOf(leaf).toMs).to.equal(validityOf(authority).toMs);
  });

  it("is made anew where it does not count yet; for a clock that is a day behind it does", async () => {
    expect(await kept(MADE_MS - DAY_MS)).to.deep.equal(["authority", "leaf"]);
    expect(await kept(MADE_MS - DAY_MS - 1_000)).to.deep.equal(["authority"]);
  });

  it("is renewed for another address, and kept while one is away", async () => {
    expect(await kept(MADE_MS, toHostNames("gateway", []))).to.deep.equal(["authority", "leaf"]);
    expect(await kept(MADE_MS, toHostNames("gateway", ["10.0.0.7"]))).to.deep.equal(["authority"]);
    expect(await kept(MADE_MS, toHostNames("gateway", ["10.0.0.7", "8.8.8.8"]))).to.deep.equal(["authority"]);
  });

  it("is renewed for another host name, which takes another authority, and back without a third", async () => {
    expect(await kept(MADE_MS, toHostNames("new-name", []))).to.deep.equal([]);
    const renamed = (await ensure(toHostNames("new-name", []))).authority.cert;
    const { authority, leaf } = await ensure();
    expect(authority.cert).to.equal(renamed);
    expect(openssl.refusalOf(leaf, authority, MADE_MS)).to.equal(null);
  });

  it("is kept whatever a clock says that nobody trusts", async () => {
    expect(await kept(0, HOST, false)).to.deep.equal(["authority", "leaf"]);
    expect(await kept(Date.UTC(2038, 0, 19), HOST, false)).to.deep.equal(["authority", "leaf"]);
  });

  it("keeps its dates, when it must name another address, while nobody trusts the clock", async () => {
    clock.setWall(0);
    const { authority, leaf } = await ensure(toHostNames("gateway", ["10.0.0.7"]), false);
    expect(authority.cert).to.equal(made.authority.cert);
    expect(leaf.cert).to.not.equal(made.leaf.cert);
    expect(validityOf(leaf)).to.deep.equal(validityOf(made.leaf));
  });

  for (const [what, atMs] of [
    ["1970", 0],
    ["2038", Date.UTC(2038, 0, 19)],
    ["2090", Date.UTC(2090, 0, 1)],
  ] as const) {
    it(`costs no browser's trust when it was first made by a clock that said ${what}`, async () => {
      rmSync(directory, { recursive: true });
      clock.setWall(atMs);
      const first = await ensure(HOST, false);
      for (const laterMs of [Date.UTC(2026, 10, 21), Date.UTC(2030, 0, 1)]) {
        clock.setWall(laterMs);
        const { authority, leaf } = await ensure(HOST, true);
        expect(authority.cert).to.equal(first.authority.cert);
        expect(openssl.refusalOf(leaf, authority, laterMs)).to.equal(null);
      }
    });
  }

  it("lies in files for their owner alone, in a directory for its owner alone, whatever was there", async () => {
    chmodSync(directory, 0o755);
    writeFileSync(`${files.leaf}.new`, "half", { mode: 0o666 });
    rmSync(files.leaf);
    await ensure();
    expect(statSync(directory).mode & 0o777).to.equal(0o700);
    for (const name of readdirSync(directory)) {
      expect(statSync(join(directory, name)).mode & 0o777, name).to.equal(0o600);
    }
  });

  it("takes the place of the self-signed one of an older appliance, whose key goes", async () => {
    rmSync(directory, { recursive: true });
    mkdirSync(directory);
    const old = openssl.make({ extensions: ["subjectAltName=DNS:localhost"] });
    writeFileSync(join(directory, "key.pem"), old.key);
    writeFileSync(join(directory, "cert.pem"), old.cert);
    const { authority, leaf } = await ensure();
    expect(openssl.refusalOf(leaf, authority, MADE_MS)).to.equal(null);
    expect(readdirSync(directory).sort()).to.deep.equal(["authority.pem", "flanco-ca.crt", "leaf.pem"]);
  });

  for (const [what, damage] of [
    ["there is no leaf", (at: OwnFiles) => rmSync(at.leaf)],
    ["the leaf is half", (at: OwnFiles) => cut(at.leaf)],
    ["the leaf is empty", (at: OwnFiles) => writeFileSync(at.leaf, "")],
    ["the copy of the authority's certificate is missing", (at: OwnFiles) => rmSync(at.trust)],
  ] as const) {
    it(`is made whole under the same authority where ${what}`, async () => {
      damage(files);
      expect(await kept(MADE_MS)).to.include("authority");
      expect(readFileSync(files.trust, "utf8")).to.equal(made.authority.cert);
    });
  }

  for (const [what, damage] of [
    ["there is no authority", (at: OwnFiles) => rmSync(at.authority)],
    ["the authority is half", (at: OwnFiles) => cut(at.authority)],
    [
      "the authority's key is another's",
      (at: OwnFiles) => {
        const key = /-----BEGIN PRIVATE KEY[\s\S]*END PRIVATE KEY-----/;
        const other = key.exec(readFileSync(at.leaf, "utf8"))?.[0] ?? "";
        writeFileSync(at.authority, readFileSync(at.authority, "utf8").replace(key, other));
      },
    ],
  ] as const) {
    it(`is made anew with its authority where ${what}`, async () => {
      damage(files);
      expect(await kept(MADE_MS)).to.deep.equal([]);
      expect(await ensure()).to.deep.include({ replaced: false });
    });
  }

  it("is not made anew, and the trust in it not lost, while the disk cannot be read", async () => {
    rmSync(files.authority);
    mkdirSync(files.authority);
    const failed = await ensure().then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect(failed).to.equal("EISDIR");
    expect(readKeyed(files.leaf)?.cert).to.equal(made.leaf.cert);
  });

  it("fits its key, and its authority's, whenever a process that makes it is killed", async function () {
    this.timeout(KILLS_TEST_MS);
    const script = join(import.meta.dirname, "renewing.ts");
    const seen = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = spawn(process.execPath, [script, directory], { stdio: "ignore" });
      await renewed(child, kill + 1);
      child.kill("SIGKILL");
      await once(child, "exit");
      const authority = readKeyed(files.authority);
      if (authority === undefined) throw new Error("The authority's key and certificate do not fit.");
      seen.add(authority.cert);
      expect(readKeyed(files.leaf), "the leaf's key and certificate fit").to.not.equal(undefined);
      const after = await ensure();
      expect(after.authority.cert).to.equal(authority.cert);
      expect(openssl.refusalOf(after.leaf, after.authority, MADE_MS)).to.equal(null);
    }
    expect(seen.size, "it was killed between different ones").to.equal(KILLS);
  });

  /** Waits until a process has put its nth authority there. */
  async function renewed(child: ChildProcess, times: number): Promise<void> {
    let last = readFileSync(files.authority, "utf8");
    let count = 0;
    await until("it has made authorities", () => {
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}.`);
      const current = existsSync(files.authority) ? readFileSync(files.authority, "utf8") : last;
      if (current !== last) count += 1;
      last = current;
      return count >= times;
    });
  }
});

function cut(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.slice(0, text.length / 2));
}
