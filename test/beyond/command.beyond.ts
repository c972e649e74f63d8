import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { Program } from "../rig/program.ts";
import { Postgres } from "./postgres.ts";

describe("flanco central", () => {
  const database = new Postgres(["fsync=off", "log_statement=all"]);
  let program: Program;

  before(async () => {
    await database.start();
    program = await Program.make({ PGPASSFILE: database.directory.file("pgpass") });
    writeFileSync(database.directory.file("pgpass"), `127.0.0.1:*:*:admin:admin\n`, { mode: 0o600 });
  });

  after(async () => {
    await program?.close();
    await database.stop();
  });

  const central = (...words: readonly string[]) =>
    program.call(["central", ...words, "--database", database.url("admin")]);

  it("makes the company's database, adds gateways, and shows how they fare", async () => {
    const init = ["init", "--company", "Televida", "--zone", "Europe/Madrid"];
    expect(await central("gateway", "list")).to.deep.include({
      exitCode: 1,
      stdout: "",
      stderr: "flanco: The database has no schema of flanco. Make it with flanco central init.\n",
    });
    expect((await central(...init.with(-1, "Europe/Nowhere"))).stderr).to.contain(
      "no time zone Europe/Nowhere",
    );
    expect(await central(...init)).to.deep.include({ exitCode: 0, stderr: "" });
    expect((await central(...init)).stderr).to.contain("The company Televida is in the database already.");

    const out = database.directory.file("malaga.password");
    const added = await central("gateway", "add", "malaga", "--out", out);
    expect(added).to.deep.include({ exitCode: 0, stderr: "" });
    expect(readFileSync(out, "utf8")).to.match(/^[\w-]{32}\n$/);
    expect((await central("gateway", "add", "malaga")).stderr).to.contain("a role flanco_malaga already");
    expect((await central("gateway", "add", "Málaga")).stderr).to.contain("lower-case letters");
    expect((await central("gateway", "password", "malaga", "--out", out)).stderr).to.contain("already");
    const renewed = await central("gateway", "password", "malaga");
    expect(renewed.stdout).to.match(/shown once: [\w-]{32}\n/);

    const list = await central("gateway", "list", "--json");
    expect(list).to.include({
      exitCode: 3,
      stderr: "flanco: 1 of 1 gateways need attention: malaga.\n",
    });
    expect(JSON.parse(list.stdout)).to.deep.equal([
      {
        name: "malaga",
        timeZone: "Europe/Madrid",
        role: "flanco_malaga",
        seenMs: null,
        position: 0,
        newest: 0,
        forkedAt: null,
        withheld: 0,
        untold: 0,
        clockOffMs: 0,
        currency: "EUR",
        ownZone: null,
        ownCurrency: null,
        report: null,
        versionMs: null,
        states: ["silent"],
      },
    ]);
    expect((await central("gateway", "accept-fork", "malaga")).stderr).to.contain("has no fork");
    expect((await central("gateway", "zone", "malaga", "Atlantic/Canary")).exitCode).to.equal(0);
    expect((await central("gateway", "zone", "malaga", "Nowhere")).stderr).to.contain("no time zone Nowhere");
    expect((await central("gateway", "list", "--json")).stdout).to.contain("Atlantic/Canary");
    expect(await central("settlement", "list", "--month", "2026-10")).to.include({
      exitCode: 0,
      stdout: "malaga\tnot closed\t0 sales and 0 here\n",
    });
    expect((await central("settlement", "list", "--month", "2026-13")).stderr).to.contain(
      "It must be a month",
    );
    expect((await central("upgrade")).stdout).to.contain("schema of this version");
  });

  it("makes the role of the company's page, and its members, who choose a password by a link", async () => {
    const out = database.directory.file("page.password");
    expect(await central("page", "--out", out)).to.deep.include({ exitCode: 0, stderr: "" });
    expect((await central("page")).stdout).to.match(/signs in as flanco_page\.\n.*shown once: [\w-]{32}\n/);

    const page = ["--page", "https://ventas.example.org"];
    const ana = ["--email", "ana@example.org"];
    const added = await central("member", "add", ...ana, "--name", "Ana", ...page);
    expect(added.stdout).to.match(
      / {2}https:\/\/ventas\.example\.org\/enlace#[\w-]{22}\/ana@example\.org\n$/,
    );
    expect((await central("member", "add", ...ana, "--name", "Ana", ...page)).stderr).to.contain("already");
    expect((await central("member", "add", ...ana, "--name", "Ana", "--page", "ventas")).exitCode).to.equal(
      2,
    );
    expect((await central("member", "link", ...ana, ...page)).stdout).to.contain("valid once");
    expect((await central("member", "list")).stdout).to.equal("ana@example.org\tAna\towner\tinvited\n");
    const list = await central("member", "list", "--json");
    expect(JSON.parse(list.stdout)).to.deep.equal([
      { email: "ana@example.org", name: "Ana", role: "owner", hasPassword: false },
    ]);
    expect((await central("member", "remove", "--email", "eva@example.org")).stderr).to.contain("no member");
    expect((await central("member", "remove", ...ana)).stderr).to.contain("last owner");
  });

  it("keeps no password in the database's log", () => {
    const log = readFileSync(database.directory.file("log"), "utf8");
    expect(log).not.to.contain(readFileSync(database.directory.file("malaga.password"), "utf8").trim());
  });
});
