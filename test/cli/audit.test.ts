import { readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { EMAIL, seedLedger } from "./ledger.ts";
import { Appliance, onlyLine, PASSWORD, PROCESS_TEST_MS, type RunningService } from "./program.ts";

const SALE_MS = Date.UTC(2026, 10, 21, 9);
const SYSTEM_USER = userInfo().username;

describe("flanco audit", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Appliance;
  let service: RunningService;

  before(async () => {
    appliance = await Appliance.make();
    await seedLedger(appliance.ledgerFile, [SALE_MS]);
    service = await appliance.start();
  });

  after(() => appliance.close());

  interface Listed {
    readonly kind: string;
    readonly way: string;
    readonly from: string;
    readonly user: string | null;
    readonly timeMs: number;
  }

  async function listed(...options: readonly string[]): Promise<Listed[]> {
    return JSON.parse(await appliance.succeed(["audit", "--json", ...options]));
  }

  it("shows what commands do and who ran them, with a service and without one", async () => {
    const add = ["user", "add", "--email", "eva@example.org", "--name", "Eva", "--password-stdin"];
    await appliance.succeed(add, "a long password\n");
    await appliance.succeed(["wiring", "remove", "SIM0"]);
    await appliance.succeed(["void", "1", "--reason", "relay tested"]);
    await appliance.succeed(["backup"]);
    await service.end("SIGTERM");
    await appliance.succeed(["user", "passwd", "--email", EMAIL, "--password-stdin"], "another password\n");
    const backups = join(appliance.dataDir, "backups");
    const backup = readdirSync(backups).find((name) => name.endsWith(".db")) ?? "";
    await appliance.succeed(["restore", join(backups, backup)]);
    await appliance.succeed(["user", "remove", "--email", "eva@example.org"]);
    const commands = (await listed()).filter(({ way }) => way === "command");
    expect(commands.map(({ kind, user }) => [kind, user])).to.deep.equal([
      ["user_added", null],
      ["wiring_removed", EMAIL],
      ["record_voided", EMAIL],
      ["password_changed", EMAIL],
      ["ledger_restored", null],
      ["user_removed", null],
    ]);
    for (const { kind, from } of commands) expect(from, kind).to.equal(SYSTEM_USER);
    service = await appliance.start();
  });

  it("shows who signed in over the network, and from where, a line each", async () => {
    await appliance.succeed(["user", "passwd", "--email", EMAIL, "--password-stdin"], `${PASSWORD}\n`);
    await service.signIn(EMAIL, PASSWORD);
    const lines = (await appliance.succeed(["audit", "--limit", "1"])).trimEnd().split("\n");
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(
      /^\d{4}-\S+Z\tsign_in\tby ana@example\.org from 127\.0\.0\.1\taccount=ana@example\.org$/,
    );
  });

  it("notes the certificate that is served, once", async () => {
    const certificates = (await listed()).filter(({ kind }) => kind === "certificate_changed");
    expect(certificates).to.have.length(1);
  });

  it("notes failed sign-ins that were still being counted when the service ended", async () => {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await service.post("/api/login", { email: EMAIL, password: "not the password" });
    }
    await service.end("SIGTERM");
    const failed = JSON.parse(await appliance.succeed(["audit", "--json"])) as {
      kind: string;
      details: { attempts: number };
    }[];
    const attempts = failed
      .filter(({ kind }) => kind === "sign_in_failed")
      .map(({ details }) => details.attempts);
    expect(attempts.reduce((sum, count) => sum + count, 0)).to.equal(3);
    service = await appliance.start();
  });

  it("starts at a moment, a day or so long ago, and ends at so many", async () => {
    expect((await listed("--since", "1h")).length).to.be.greaterThan(5);
    expect(await listed("--since", "2999-01-01")).to.deep.equal([]);
    expect(await listed("--since", new Date(Date.now() + 60_000).toISOString())).to.deep.equal([]);
    expect(await listed("--limit", "2")).to.deep.equal((await listed()).slice(-2));
  });

  it("says what a moment looks like to who writes something else", async () => {
    const refused = await appliance.run(["audit", "--since", "yesterday"]);
    expect(refused.exitCode).to.equal(2);
    expect(onlyLine({ ...refused, stderr: refused.stderr.split("\n")[0] ?? "" })).to.contain("2026-11-21");
  });
});
