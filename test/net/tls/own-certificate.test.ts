import { type ChildProcess, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { toHostNames } from "../../../src/net/host-names.ts";
import { readKeyed, validityOf } from "../../../src/net/tls/keyed-certificate.ts";
import {
  ensureOwnCertificate,
  type OwnCertificate,
  type OwnFiles,
  ownFiles,
} from "../../../src/net/tls/own-certificate.ts";
import { SetClock } from "../../http/fakes.ts";
import { forEachTest } from "../../rig/standing.ts";
import { until } from "../../rig/until.ts";
import { OpenSsl } from "./openssl.ts";

const MADE_MS = Date.UTC(2026, 5, 1);
const HOST = toHostNames("gateway", ["192.168.1.20"]);
const KILLS = 2;

describe("The appliance's own certificate", () => {
  const openssl = forEachTest(() => new OpenSsl());
  const directory = () => join(openssl.directory, "tls");
  const files = forEachTest(() => ownFiles(directory()));
  const clock = forEachTest(() => new SetClock(MADE_MS));
  const made = forEachTest(() => ensure());

  function ensure(host = HOST, clockTrusted = true): Promise<OwnCertificate> {
    return ensureOwnCertificate(directory(), host, { clock, clockTrusted });
  }

  /** Which of the two is still the first one. */
  async function kept(atMs: number, host = HOST, clockTrusted = true): Promise<string[]> {
    clock.setWall(atMs);
    const { authority, leaf } = await ensure(host, clockTrusted);
    expect(openssl.refusalOf(leaf, authority, clockTrusted ? atMs : MADE_MS)).to.equal(null);
    return [
      ...(authority.cert === made.authority.cert ? ["authority"] : []),
      ...(leaf.cert === made.leaf.cert ? ["leaf"] : []),
    ];
  }

  it("is the same at every call", async () => {
    const contents = () =>
      readdirSync(directory()).map((name) => readFileSync(join(directory(), name), "utf8"));
    const before = contents();
    expect(await kept(MADE_MS)).to.deep.equal(["authority", "leaf"]);
    expect(contents()).to.deep.equal(before);
  });

  it("is renewed a month before its end by the same authority, whose end it never outlives", async () => {
    expect(await kept(MADE_MS + 365 * DAY_MS)).to.deep.equal(["authority", "leaf"]);
    expect(await kept(MADE_MS + 367 * DAY_MS)).to.deep.equal(["authority"]);
    expect(await kept(MADE_MS + 3_600 * DAY_MS)).to.deep.equal(["authority"]);
    const { authority, leaf } = await ensure();
    expect(validityOf(leaf).toMs).to.equal(validityOf(authority).toMs);
    expect(await kept(MADE_MS + 3_623 * DAY_MS)).to.deep.equal([]);
  });

  it("is made anew before its validity begins, which is a day before it was made", async () => {
    expect(await kept(MADE_MS - DAY_MS)).to.deep.equal(["authority", "leaf"]);
    expect(await kept(MADE_MS - DAY_MS - 1_000)).to.deep.equal(["authority"]);
  });

  it("is renewed for another address, and kept while one is away", async () => {
    expect(await kept(MADE_MS, toHostNames("gateway", []))).to.deep.equal(["authority", "leaf"]);
    expect(await kept(MADE_MS, toHostNames("gateway", ["10.0.0.7"]))).to.deep.equal(["authority"]);
    expect(await kept(MADE_MS, toHostNames("gateway", ["10.0.0.7", "8.8.8.8"]))).to.deep.equal(["authority"]);
  });

  it("is renewed for another host name, which takes another authority", async () => {
    expect(await kept(MADE_MS, toHostNames("new-name", []))).to.deep.equal([]);
    const { authority, leaf } = await ensure();
    expect(openssl.refusalOf(leaf, authority, MADE_MS)).to.equal(null);
  });

  it("has the name that avahi announces in a conflict, by the same authority, or lacks what that may not sign", async () => {
    const announced = (name: string, host = "gateway") => toHostNames(host, ["192.168.1.20"], [], name);
    const lists = async (name: string) => {
      const { leaf } = await ensure(announced(name));
      return new X509Certificate(leaf.cert).checkHost(name) !== undefined;
    };
    expect(await kept(MADE_MS, announced("gateway.local"))).to.deep.equal(["authority", "leaf"]);
    expect(await kept(MADE_MS, announced("gateway-2.local"))).to.deep.equal(["authority"]);
    expect(await lists("gateway-2.local")).to.equal(true);
    const { leaf } = await ensure(announced("gateway-2.local"));
    expect((await ensure()).leaf.cert, "back at its own name").to.equal(leaf.cert);
    expect(await kept(MADE_MS, announced("gateway-21.local"))).to.deep.equal(["authority"]);
    expect(await lists("gateway-22.local"), "another machine's").to.equal(false);
    expect(await kept(MADE_MS, announced("bank.example.org"))).to.deep.equal(["authority"]);
  });

  it("counts further names as avahi does", () => {
    const named = (host: string) => toHostNames(host, []).alternatives.slice(0, 2);
    expect(named("Clinic.example.org")).to.deep.equal(["clinic-2.local", "clinic-3.local"]);
    expect(named("flanco-1239")).to.deep.equal(["flanco-1240.local", "flanco-1241.local"]);
    expect(named("flanco-0123")).to.deep.equal(["flanco-0123-2.local", "flanco-0123-3.local"]);
    expect(named("a".repeat(63))[0]).to.equal(`${"a".repeat(61)}-2.local`);
  });

  it("is kept at any date while the clock is not trusted", async () => {
    expect(await kept(0, HOST, false)).to.deep.equal(["authority", "leaf"]);
    expect(await kept(Date.UTC(2038, 0, 19), HOST, false)).to.deep.equal(["authority", "leaf"]);
  });

  it("is kept while a trusted clock is before the program existed, as with an empty battery", async () => {
    for (const emptyMs of [0, Date.UTC(2000, 0, 1), Date.UTC(2025, 10, 21)]) {
      clock.setWall(emptyMs);
      const { authority, leaf, replaced } = await ensure();
      expect([authority.cert, leaf.cert, replaced]).to.deep.equal([
        made.authority.cert,
        made.leaf.cert,
        false,
      ]);
    }
    expect(await kept(MADE_MS)).to.deep.equal(["authority", "leaf"]);
  });

  it("keeps its dates, when it must list another address, while the clock is not trusted", async () => {
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
    it(`keeps its authority when it was first made by a clock in ${what}`, async () => {
      rmSync(directory(), { recursive: true });
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

  it("has files and a directory of mode 0600 and 0700, whatever was there", async () => {
    chmodSync(directory(), 0o755);
    writeFileSync(`${files.leaf}.new`, "half", { mode: 0o666 });
    rmSync(files.leaf);
    await ensure();
    expect(statSync(directory()).mode & 0o777).to.equal(0o700);
    for (const name of readdirSync(directory()))
      expect(statSync(join(directory(), name)).mode & 0o777, name).to.equal(0o600);
  });

  for (const [what, damage, expected] of [
    ["there is no leaf", (at) => rmSync(at.leaf), ["authority"]],
    ["the leaf is half", (at) => cut(at.leaf), ["authority"]],
    ["the leaf is empty", (at) => writeFileSync(at.leaf, ""), ["authority"]],
    ["there is no copy of the authority's certificate", (at) => rmSync(at.trust), ["authority", "leaf"]],
    ["there is no authority", (at) => rmSync(at.authority), []],
    ["the authority is half", (at) => cut(at.authority), []],
    ["the authority's key is another's", swapKey, []],
  ] as const satisfies readonly (readonly [string, (at: OwnFiles) => void, readonly string[]])[]) {
    it(`is made whole where ${what}; kept: ${expected.join(" and ") || "nothing"}`, async () => {
      damage(files);
      expect(await kept(MADE_MS)).to.deep.equal(expected);
      const { authority, replaced } = await ensure();
      expect(readFileSync(files.trust, "utf8")).to.equal(authority.cert);
      expect(replaced).to.equal(false);
    });
  }

  it("is not made anew while the disk cannot be read", async () => {
    rmSync(files.authority);
    mkdirSync(files.authority);
    const failed = await ensure().then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect(failed).to.equal("EISDIR");
    expect(readKeyed(files.leaf)?.cert).to.equal(made.leaf.cert);
  });

  it("matches its key and its authority after a process that makes it is killed", async () => {
    const script = join(import.meta.dirname, "renewing.ts");
    const seen = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = spawn(process.execPath, [script, directory()], { stdio: "ignore" });
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
    const seen = new Set([readFileSync(files.authority, "utf8")]);
    await until("it has made authorities", () => {
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}.`);
      seen.add(readFileSync(files.authority, "utf8"));
      return seen.size > times;
    });
  }
});

function cut(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.slice(0, text.length / 2));
}

/** Puts the leaf's key into the authority's file. */
function swapKey({ authority, leaf }: OwnFiles): void {
  const key = /-----BEGIN PRIVATE KEY[\s\S]*END PRIVATE KEY-----/;
  const other = key.exec(readFileSync(leaf, "utf8"))?.[0] ?? "";
  writeFileSync(authority, readFileSync(authority, "utf8").replace(key, other));
}
