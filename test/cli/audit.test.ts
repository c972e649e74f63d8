import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { OPERATOR, PASSWORD } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { EMAIL, seededProgram } from "./ledger.ts";

const SALE_MS = Date.UTC(2026, 10, 21, 9);

interface ListedEntry {
  readonly kind: string;
  readonly way: string;
  readonly from: string;
  readonly user: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

describe("flanco audit", () => {
  const program = forSuite(() => seededProgram([SALE_MS]));
  let all: readonly ListedEntry[];

  /** Sign-ins, right and wrong, and commands, with a running service and then without one. */
  before(async () => {
    const service = await program.start();
    await service.signIn(EMAIL, PASSWORD);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await service.post("/api/login", { email: EMAIL, password: "not the password" });
    }
    const add = ["user", "add", "--email", "eva@example.org", "--name", "Eva", "--password-stdin"];
    await program.succeed(add, "a long password\n");
    await program.succeed(["wiring", "remove", "SIM0"]);
    await program.succeed(["void", "1", "--reason", "relay tested", "--account", EMAIL]);
    await program.succeed(["backup"]);
    // The failed sign-ins are still being counted.
    await service.end("SIGTERM");
    await program.succeed(["user", "passwd", "--email", EMAIL, "--password-stdin"], "another password\n");
    const backups = join(program.dataDir, "backups");
    const backup =
      readdirSync(backups, { encoding: "utf8", recursive: true }).find((name) => name.endsWith(".db")) ?? "";
    await program.succeed(["restore", join(backups, backup)]);
    await program.succeed(["user", "remove", "--email", "eva@example.org"]);
    all = await listed();
  });

  async function listed(...options: readonly string[]): Promise<ListedEntry[]> {
    return JSON.parse(await program.succeed(["audit", "--json", ...options]));
  }

  it("shows what commands did and their users, with and without a service", () => {
    const commands = all.filter(({ way }) => way === "command");
    expect(commands.map(({ kind, user }) => [kind, user])).to.deep.equal([
      ["member_added", null],
      ["wiring_removed", EMAIL],
      ["record_voided", EMAIL],
      ["password_changed", EMAIL],
      ["ledger_restored", null],
      ["member_removed", null],
    ]);
    for (const { kind, from } of commands) expect(from, kind).to.equal(OPERATOR);
  });

  it("shows each sign-in over the network on one line, with user and address", async () => {
    const lines = (await program.succeed(["audit"])).trimEnd().split("\n");
    expect(lines).to.have.length(all.length);
    const signIns = lines.filter((line) => line.includes("\tsign_in\t"));
    expect(signIns).to.have.length(1);
    expect(signIns[0]).to.match(
      /^\d{4}-\S+Z\tsign_in\tby ana@example\.org from 127\.0\.0\.1\taccount=ana@example\.org$/,
    );
  });

  it("counts all failed sign-ins before the service ended", () => {
    const failed = all.filter(({ kind }) => kind === "sign_in_failed");
    const attempts = failed.reduce((sum, { details }) => sum + Number(details["attempts"]), 0);
    expect(attempts).to.equal(3);
  });

  it("starts at a moment, a date or a time span ago, and is limited in number", async () => {
    expect((await listed("--since", "1h")).length).to.be.greaterThan(5);
    expect(await listed("--since", "2999-01-01")).to.deep.equal([]);
    expect(await listed("--since", new Date(Date.now() + 60_000).toISOString())).to.deep.equal([]);
    expect(await listed("--limit", "2")).to.deep.equal(all.slice(-2));
  });

  it("names --since and shows an example when it cannot be read, or there is no such day", async () => {
    for (const when of ["yesterday", "2026-02-30", "2026-02-30T09:00", "1/2/2026", "7"]) {
      const refused = await program.call(["audit", "--since", when]);
      expect(refused.exitCode, when).to.equal(2);
      expect(refused.stderr.split("\n")[0]).to.contain("--since").and.to.contain("2026-11-21");
    }
  });
});
