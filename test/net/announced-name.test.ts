import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { AnnouncedName, askAnnouncedName } from "../../src/net/announced-name.ts";
import { toHostNames } from "../../src/net/host-names.ts";
import { Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";

/** As systemd's busctl writes it. */
const answerOf = (name: string) => `echo '{"type":"s","data":["${name}"]}'`;

describe("The name that avahi announces", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  /** A tool that is this script of the shell. */
  function tool(script: string): string {
    const file = directory.file("busctl");
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return file;
  }

  it("is what avahi says, in lower case, and asking starts no avahi that somebody has switched off", async () => {
    const asked = tool(
      `case "$*" in *--auto-start=no*" GetHostNameFqdn") ${answerOf("Flanco-2.local")};; esac`,
    );
    expect(await askAnnouncedName({ tool: asked })).to.equal("flanco-2.local");
  });

  it("is unknown without avahi, and where its answer is no name, stalls or has no end", async () => {
    expect(await askAnnouncedName({ tool: directory.file("absent") })).to.equal(null);
    for (const script of [
      `${answerOf("flanco.local")}; exit 1`,
      answerOf("flanco.local\\u001b[2J"),
      answerOf("flanco.local, evil.local"),
      answerOf("flanco"),
      answerOf(`${"a.".repeat(150)}local`),
      "echo '{}'",
      "echo flanco.local",
      `exec yes '{"type":"s"}'`,
    ])
      expect(await askAnnouncedName({ tool: tool(script) }), script).to.equal(null);
    expect(await askAnnouncedName({ tool: tool("exec sleep 3600"), patienceMs: 50 })).to.equal(null);
  });

  it("is asked for no more once the service ends, which waits for no answer", async () => {
    const followed = new AnnouncedName({ tool: tool("exec sleep 3600") });
    const opening = followed.open();
    followed.close();
    await opening;
    expect(followed.get()).to.equal(null);
  });
});

describe("A service that avahi announces by another name than its host's", () => {
  const program = forEachTest(() => Program.make());
  const [own] = hostname().toLowerCase().split(".");
  const [other = "", third = ""] = toHostNames(hostname(), []).alternatives;

  /** The environment of a machine that avahi announces so. */
  function announcedAs(name: string): Record<string, string> {
    const folder = join(program.directory, "bin");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "busctl"), `#!/bin/sh\n${answerOf(name)}\n`, { mode: 0o755 });
    return { PATH: `${folder}:${process.env["PATH"]}` };
  }

  /** The status of an answer to a request for the name. */
  function asking(host: string): Promise<number | undefined> {
    const options = { host: "127.0.0.1", port: program.httpPort, path: "/healthz", headers: { host } };
    return new Promise((resolve, reject) => {
      request(options, (answer) => resolve(answer.resume().statusCode))
        .on("error", reject)
        .end();
    });
  }

  it("answers to it, has it in its certificate, and tells it; browsers trust the certificate as before", async () => {
    const environment = announcedAs(other);
    const service = await program.start(environment);
    await until("avahi has answered", async () =>
      (await program.succeed(["status"])).includes(`The network finds it as ${other}.`),
    );
    expect([await asking(other), await asking(third)]).to.deep.equal([200, 421]);
    interface Certificates {
      readonly served: { readonly names: readonly string[] };
      readonly authority: { readonly fingerprint: readonly string[] };
    }
    const shown = async () => JSON.parse(await program.succeed(["tls", "show", "--json"])) as Certificates;
    const before = await shown();
    process.kill(service.pid, "SIGHUP");
    await until("the certificate has it", async () => (await shown()).served.names.includes(other));
    const { served, authority } = await shown();
    expect(served.names).to.include.members([`${own}.local`, other]);
    expect(authority.fingerprint).to.deep.equal(before.authority.fingerprint);
    await service.end("SIGTERM");
    announcedAs(third);
    expect(await program.run(["tls", "renew"], { environment })).to.deep.include({ exitCode: 0 });
    expect((await shown()).served.names).to.include(third);
    expect((await shown()).authority.fingerprint).to.deep.equal(before.authority.fingerprint);
  });

  it("has doctor say which name leads to it, and what to do", async () => {
    const named = async (name: string) => {
      const { stdout } = await program.run(["doctor"], { environment: announcedAs(name) });
      return stdout
        .split("\n")
        .filter((line, at, all) => /^\S+ +name /.test(line) || /^\S+ +name /.test(all[at - 2] ?? ""));
    };
    expect((await named(`${own}.local`))[0]).to.match(new RegExp(`^ok +name +${own}\\.local$`));
    const [told, mend] = await named(other);
    expect(told).to.match(/^LOOK +name/);
    expect(told).to.contain(`This machine is called ${own}.local, and announced as ${other}.`);
    expect(mend).to.contain("systemctl restart avahi-daemon");
  });
});
