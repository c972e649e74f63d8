import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PASSWORD, Program, type RunningService } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { EMAIL } from "./ledger.ts";

async function devices(service: RunningService, cookie: string): Promise<readonly { dId: string }[]> {
  return ((await (await service.get("/api/device", cookie)).json()) as { data: { dId: string }[] }).data;
}

describe("flanco serve, for the first time", () => {
  const program = forSuite(() => Program.make({ FLANCO_DEMO: "true" }));
  let service: RunningService;

  const start = () => program.start({ FLANCO_SIMULATED_TRACE: join(program.directory, "quiet.trace") });

  before(async () => {
    program.write("quiet.trace", "# nothing happens\n");
    service = await start();
  });

  it("prints where it is to be found, that its lines are simulated, and a one-time link", async () => {
    const { stdout, firstRunToken } = service;
    expect(stdout).to.contain(`http://localhost:${program.httpPort}/\n`);
    expect(stdout).to.contain(`https://127.0.0.1:${program.httpsPort}/`);
    expect(stdout).to.contain("SIMULATED");
    expect(stdout).to.contain(
      "There is no user yet. Make the first one with this link, valid once and for 30 minutes:",
    );
    expect(stdout).to.contain(`https://127.0.0.1:${program.httpsPort}/primer-uso#${firstRunToken}\n`);
    expect(Buffer.from(firstRunToken ?? "", "base64url")).to.have.length(16);
    expect(service.stderr).not.to.contain(firstRunToken);
    expect((await service.get("/healthz")).status).to.equal(200);
  });

  it("makes the first user by the link's token, once, with the demonstration wired and watched", async () => {
    const user = { name: "Ana", email: EMAIL, password: PASSWORD };
    const guessed = await service.post("/api/first-run", { ...user, token: "x".repeat(22) });
    expect(guessed.status).to.equal(401);

    const cookie = await service.makeFirstUser();
    const rows = await until("twenty lines are watched", async () => {
      const { data } = (await (await service.get("/api/wiring", cookie)).json()) as {
        data: { line: string; dId: string; actuatorId: string; watched: boolean }[];
      };
      return data.length === 20 && data.every(({ watched }) => watched) && data;
    });
    expect(new Set(rows.map(({ dId }) => dId)).size).to.equal(4);
    expect(new Set(rows.map(({ actuatorId }) => actuatorId)).size).to.equal(20);
    expect((await service.get("/healthz")).status).to.equal(200);

    const again = await service.post("/api/first-run", { ...user, token: service.firstRunToken });
    expect(again.status).to.equal(401);
  });

  it("does not bring back at its next start what its user has deleted of the demonstration", async () => {
    await until("all of it is made", () => existsSync(join(program.dataDir, "demo.done")));
    const cookie = await service.signIn(EMAIL, PASSWORD);
    const shown = await devices(service, cookie);
    expect(shown).to.have.length(4);
    for (const { dId } of shown) {
      const url = `${service.baseUrl}/api/device?dId=${dId}`;
      expect((await fetch(url, { method: "DELETE", headers: { cookie } })).status).to.equal(200);
    }
    expect((await service.end("SIGTERM")).exitCode).to.equal(0);
    const next = await start();
    expect(await devices(next, await next.signIn(EMAIL, PASSWORD))).to.deep.equal([]);
  });
});

describe("flanco serve, started with a mask that lets others read files", () => {
  const program = forSuite(() => Program.make());
  let umask: number;

  before(() => {
    umask = process.umask(0o022);
  });
  after(() => process.umask(umask));

  it("makes nothing that they can read", async () => {
    await program.start();
    expect((await program.run(["backup"])).exitCode).to.equal(0);
    const made = readdirSync(program.dataDir, { recursive: true, encoding: "utf8" });
    expect(made).to.include.members(["flanco.db", "flanco.db-wal", "flanco.lock", "reserve", "control.sock"]);
    expect(made).to.include.members(["session.key", "tls", "backups"]);
    for (const name of ["", ...made]) {
      const { mode } = statSync(join(program.dataDir, name));
      expect((mode & 0o077).toString(8), name).to.equal("0");
    }
  });
});

describe("flanco serve, with the demonstration on lines that are not simulated", () => {
  const program = forSuite(() => Program.make({ FLANCO_DEMO: "true", FLANCO_GPIO_DRIVER: "none" }));

  it("wires nothing, and is healthy", async () => {
    const service = await program.start();
    expect(await devices(service, await service.makeFirstUser())).to.deep.equal([]);
    expect((await service.get("/healthz")).status).to.equal(200);
  });
});
