import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect as tlsConnect } from "node:tls";
import { expect } from "chai";
import type { KeyedCertificate } from "../../src/net/tls/keyed-certificate.ts";
import { networkAddress } from "../net/tls/network.ts";
import { OpenSsl } from "../net/tls/openssl.ts";
import { Program, type RunningService } from "../rig/program.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";

interface TlsJson {
  readonly served: { readonly file: string; readonly own: boolean; readonly names: readonly string[] };
  readonly authority: { readonly file: string; readonly fingerprint: readonly string[] };
  readonly refused: readonly { readonly file: string; readonly reason: string }[];
}

const REFUSED = "its private key belongs to another certificate";

async function shownBy(program: Program): Promise<TlsJson> {
  return JSON.parse(await program.succeed(["tls", "show", "--json"]));
}

const certificateOf = (openssl: OpenSsl) =>
  openssl.make({ extensions: ["subjectAltName=DNS:panel.example.org"] });

function put(directory: string, name: string, { key, cert }: KeyedCertificate): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${name}.key`), key, { mode: 0o600 });
  writeFileSync(join(directory, `${name}.pem`), cert);
}

describe("The certificates of a service", () => {
  const program = forEachTest(() => Program.make({ FLANCO_HOST_NAMES: "panel.example.org" }));
  const openssl = forEachTest(() => new OpenSsl());
  const dropIn = () => join(program.dataDir, "tls.d");

  async function served(): Promise<string> {
    const socket = tlsConnect({ host: "127.0.0.1", port: program.httpsPort, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  }

  const show = () => shownBy(program);
  const certificate = () => certificateOf(openssl);
  const fingerprintOf = (cert: string) => new X509Certificate(cert).fingerprint256;

  it("are shown with and without a service, and replaced on demand, the authority only with --authority", async () => {
    const { exitCode, stderr } = await program.call(["tls", "show"]);
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain("There is no certificate yet. The service makes it");
    const service = await program.start();
    const running = await show();
    const before = await served();
    await program.succeed(["tls", "renew"]);
    process.kill(service.pid, "SIGHUP");
    await until("a new leaf is served", async () => (await served()) !== before);
    expect((await show()).authority).to.deep.equal(running.authority);
    await service.end("SIGTERM");
    expect((await show()).authority).to.deep.equal(running.authority);
    expect(running.served).to.deep.include({ own: true, file: join(program.dataDir, "tls", "leaf.pem") });
    expect(running.served.names).to.include.members(["localhost", "127.0.0.1", "panel.example.org"]);
    const file = readFileSync(running.authority.file, "utf8");
    expect(running.authority.fingerprint.join(":")).to.equal(fingerprintOf(file));
    const text = await program.succeed(["tls", "show"]);
    for (const line of running.authority.fingerprint) expect(text).to.contain(`\n  ${line}\n`.trimEnd());
    expect(text).to.not.contain("PRIVATE");
    await program.succeed(["tls", "renew", "--authority"]);
    expect((await show()).authority.fingerprint).to.not.deep.equal(running.authority.fingerprint);
  });

  it("give way to an administrator's at a signal, and come back when that goes or is refused, which is said everywhere", async () => {
    const service = await program.start();
    const own = await served();
    const { key, cert } = certificate();
    put(dropIn(), "site", { key, cert });
    process.kill(service.pid, "SIGHUP");
    await until("the administrator's is served", async () => (await served()) === fingerprintOf(cert));
    expect((await show()).served).to.deep.include({ own: false, file: join(dropIn(), "site") });
    rmSync(dropIn(), { recursive: true });
    process.kill(service.pid, "SIGHUP");
    await until("the own one is served", async () => (await served()) === own);
    put(dropIn(), "site", { key: certificate().key, cert });
    process.kill(service.pid, "SIGHUP");
    const shown = await until("the log names the one that is refused", async () => {
      const ended = await program.call(["tls", "show"]);
      return service.stderr.includes(REFUSED) && ended;
    });
    expect(shown.exitCode).to.equal(0);
    expect(shown.stdout).to.contain("the appliance's own");
    expect(shown.stderr).to.contain(REFUSED);
    expect((await program.call(["status"])).stderr).to.contain(REFUSED);
  });
});

describe("The certificates of a service that the network reaches", () => {
  const program = forSuite(() => Program.make({ FLANCO_HOST: "", FLANCO_HOST_NAMES: "panel.example.org" }));
  let service: RunningService;

  before(async () => {
    service = await program.start();
  });

  it("are explained on the console with the fingerprint", async () => {
    expect(service.stdout).to.contain(`  http://${networkAddress()}:${program.httpPort}/\n`);
    const { fingerprint } = (await shownBy(program)).authority;
    expect(service.stdout).to.contain(fingerprint.map((line) => `  ${line}`).join("\n"));
  });

  it("let no client on the network sign in by plain HTTP, nor make the first user", async () => {
    const token = service.firstRunToken;
    const network = `http://${networkAddress()}:${program.httpPort}`;
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

  it("are not explained where browsers trust them already", async () => {
    await service.end("SIGTERM");
    using openssl = new OpenSsl();
    const elsewhere = join(program.directory, "certificates");
    put(elsewhere, "site", certificateOf(openssl));
    service = await program.start({ FLANCO_CERTIFICATES_DIR: elsewhere });
    expect(service.stdout).to.contain("On the network:").and.to.not.contain("fingerprint");
  });
});
