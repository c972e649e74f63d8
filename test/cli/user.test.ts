import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { aRecord } from "../http/bodies.ts";
import { onlyLine, PASSWORD } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { EMAIL, recordRows, seededProgram } from "./ledger.ts";

function adding(email: string): string[] {
  return ["user", "add", "--name", "Luis", "--email", email, "--password-stdin"];
}

describe("flanco user, while no service runs", () => {
  const program = forSuite(() => seededProgram());

  it("adds, lists and removes users in the ledger's file", async () => {
    const added = await program.call(adding("luis@example.org"), `${PASSWORD}\n`);
    expect(added).to.deep.equal({ exitCode: 0, stdout: "luis@example.org can sign in.\n", stderr: "" });
    expect(await program.succeed(["user", "list"])).to.equal(
      `${EMAIL}\tAna\towner\nluis@example.org\tLuis\towner\n`,
    );
    await program.succeed(["user", "passwd", "--email", EMAIL, "--password-stdin"], "another good one");
    await program.succeed(["user", "remove", "--email", "luis@example.org"]);
    const users = JSON.parse(await program.succeed(["user", "list", "--json"])) as { email: string }[];
    expect(users.map(({ email }) => email)).to.deep.equal([EMAIL]);
  });

  it("adds no second account to a gateway that sends where the first one's owner wants it", async () => {
    const sinks = join(dirname(program.ledgerFile), "sinks");
    mkdirSync(sinks, { mode: 0o700 });
    const setup = { name: "webhook", values: { webhook_url: "https://hooks.example.org/" } };
    writeFileSync(join(sinks, "setups.json"), JSON.stringify({ setups: [setup] }), { mode: 0o600 });
    expect(await program.refused(adding("luis@example.org"), PASSWORD)).to.match(
      /^flanco: What this gateway sends \(webhook\) was set up by an owner, for one account\. /,
    );
    // A technician set it up for all accounts of the gateway.
    writeFileSync(join(sinks, "setups.json"), JSON.stringify({ setups: [setup], operated: ["webhook"] }));
    await program.succeed(adding("luis@example.org"), PASSWORD);
    await program.succeed(["user", "remove", "--email", "luis@example.org"]);
    rmSync(sinks, { recursive: true });
  });

  it("refuses a link beside a password: the password would be left out", async () => {
    const refused = await program.call([...adding("luis@example.org"), "--link"], PASSWORD);
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr.split("\n")[0]).to.match(/'--link' cannot be used with option '--password-stdin'/);
  });

  it("says what may be changed where a change has nothing to change", async () => {
    const refused = await program.call(["user", "change", "--email", EMAIL]);
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr.split("\n")[0]).to.match(/^error: nothing to change: give --name, --role/);
  });

  it("needs a terminal or --password-stdin for a password", async () => {
    const noTerminal = await program.run(adding("luis@example.org").slice(0, -1));
    expect(noTerminal.exitCode).to.equal(1);
    expect(onlyLine(noTerminal)).to.contain("Pass it on standard input with --password-stdin.");
  });
});

describe("flanco user, while the service runs", () => {
  const program = forSuite(() => seededProgram());
  const service = forSuite(() => program.start());

  it("adds a user who can sign in at once, with the first line of standard input as password", async () => {
    const added = await program.call(adding("eva@example.org"), `${PASSWORD}\r\nmore\n`);
    expect(added).to.deep.equal({ exitCode: 0, stdout: "eva@example.org can sign in.\n", stderr: "" });
    const cookie = await service.signIn("eva@example.org", PASSWORD);
    expect((await service.get("/api/verify", cookie)).status).to.equal(200);
  });

  it("lists id, account, role, name and e-mail as JSON, and nothing else", async () => {
    const users = JSON.parse((await program.call(["user", "list", "--json"])).stdout) as object[];
    const ana = users.find((user) => "email" in user && user.email === EMAIL) ?? {};
    expect(ana).to.include({ name: "Ana", email: EMAIL, role: "owner" });
    expect(ana).to.have.all.keys("id", "userId", "role", "name", "email");
  });

  it("refuses an e-mail that a user has, in any case, and a text that is no e-mail", async () => {
    expect(await program.refused(adding("ANA@Example.org"), PASSWORD)).to.equal(
      "flanco: There is already a user with the e-mail ANA@Example.org.",
    );
    expect(await program.refused(adding("ana"), PASSWORD)).to.match(/^flanco: email: /);
  });

  it("refuses a password that is too short, for a new user and for another one", async () => {
    for (const args of [
      adding("rosa@example.org"),
      ["user", "passwd", "--email", EMAIL, "--password-stdin"],
    ]) {
      expect(await program.refused(args, "nine char")).to.equal(
        "flanco: password: must have at least 10 characters",
      );
    }
  });

  /** The token of the link that a command prints, for this machine and for the network. */
  function tokenIn(stdout: string, email: string): string {
    expect(stdout).to.match(
      new RegExp(
        `^${email} chooses a password with this link, valid once and for a day:\n  http://localhost:`,
      ),
    );
    const [, token = ""] = new RegExp(`/enlace#([\\w-]{22})/${email}`).exec(stdout) ?? [];
    return token;
  }

  it("adds a member to the only account, who chooses a password by the link, and resets it", async () => {
    const email = "rosa@example.org";
    const who = ["user", "add", "--name", "Rosa", "--email", email];
    const unclear = await program.call([...who, "--role", "staff", "--link"]);
    expect(onlyLine(unclear)).to.match(/^flanco: It is not clear which account is meant\. .*--account/);
    const added = await program.succeed([...who, "--account", EMAIL, "--role", "technician", "--link"]);
    const login = () => service.post("/api/login", { email, password: PASSWORD });
    expect((await login()).status).to.equal(401);
    const used = await service.post("/api/link", { token: tokenIn(added, email), password: PASSWORD });
    expect(used.status).to.equal(200);
    const cookie = await service.signIn(email, PASSWORD);
    expect((await service.get("/api/wiring", cookie)).status).to.equal(200);
    expect((await service.get("/api/record", cookie)).status).to.equal(403);
    await program.succeed(["user", "change", "--email", email, "--role", "staff", "--name", "Rosa Gil"]);
    expect((await service.get("/api/verify", cookie)).status).to.equal(401);
    expect(await program.succeed(["user", "list"])).to.include(`${email}\tRosa Gil\tstaff\n`);
    const again = await service.signIn(email, PASSWORD);
    expect(await program.succeed(["user", "sign-out", "--email", email])).to.equal(
      `1 session of ${email} ended.\n`,
    );
    expect((await service.get("/api/verify", again)).status).to.equal(401);
    const token = tokenIn(await program.succeed(["user", "reset", "--email", email]), email);
    expect((await service.post("/api/link", { token, password: `${PASSWORD} 2` })).status).to.equal(200);
    expect((await login()).status).to.equal(401);
  });

  it("limits a member to locations by their names, and takes the limit away", async () => {
    const email = "sur@example.org";
    const cookie = await service.signIn(EMAIL, PASSWORD);
    for (const name of ["Clínica Oeste", "Clínica Sur"])
      await service.post("/api/location", { location: { name, description: "" } }, cookie);
    const to = ["--location", "Clínica Sur"];
    await program.succeed([...adding(email), "--account", EMAIL, ...to], PASSWORD);
    const seen = async () => {
      const answer = await service.get("/api/location", await service.signIn(email, PASSWORD));
      const { data } = (await answer.json()) as { data: { name: string }[] };
      return data.map(({ name }) => name);
    };
    expect(await seen()).to.deep.equal(["Clínica Sur"]);
    await program.succeed(["user", "change", "--email", email, ...to, "--location", "Clínica Oeste"]);
    expect(await seen()).to.include.members(["Clínica Sur", "Clínica Oeste"]);
    const unknown = await program.call(["user", "change", "--email", email, "--location", "Nada"]);
    expect(unknown.stderr).to.include('There is no location "Nada".');
    await program.succeed(["user", "change", "--email", email, "--all-locations"]);
    expect(await seen()).to.include("Clínica Oeste");
    await program.succeed(["user", "remove", "--email", email]);
  });

  it("prints a program's key once, and another one that ends it; the program signs in and posts", async () => {
    const email = "rele-1@programa.invalid";
    const add = ["user", "add", "--name", "Relé", "--email", email, "--account", EMAIL, "--role", "program"];
    expect((await program.call([...add, "--link"])).exitCode).to.equal(2);
    expect((await program.call([...add, "--password-stdin"], PASSWORD)).exitCode).to.equal(2);
    const keyIn = (stdout: string) =>
      /^\S+ signs in with this key as its password, which is not shown again:\n {2}([\w-]{22})\n$/.exec(
        stdout,
      )?.[1] ?? "";
    const cookie = await service.signIn(email, keyIn(await program.succeed(add)));
    expect((await service.post("/api/data", aRecord(), cookie)).status).to.equal(201);
    const passwd = await program.call(["user", "passwd", "--password-stdin", "--email", email], PASSWORD);
    expect(passwd.stderr).to.match(/^flanco: A program signs in with a key/);
    const another = keyIn(await program.succeed(["user", "reset", "--email", email]));
    expect((await service.get("/api/verify", cookie)).status).to.equal(401);
    const again = await service.signIn(email, another);
    expect(await program.succeed(["user", "sign-out", "--email", email])).to.equal(
      `${email} has no key, and is signed out everywhere.\n`,
    );
    expect((await service.get("/api/verify", again)).status).to.equal(401);
    await program.succeed(["user", "remove", "--email", email]);
  });

  it("signs a removed user out, takes the devices along when told to, and keeps the records", async () => {
    const cookie = await service.signIn(EMAIL, PASSWORD);
    const posted = await service.post("/api/data", aRecord(), cookie);
    expect(posted.status).to.equal(201);
    await program.succeed(["user", "remove", "--email", "rosa@example.org"]);
    expect(await program.refused(["user", "remove", "--email", EMAIL])).to.match(
      /^flanco: The user owns 2 device\(s\).* --with-devices /,
    );
    expect((await service.get("/api/verify", cookie)).status).to.equal(200);

    const removed = await program.call(["user", "remove", "--email", EMAIL, "--with-devices"]);
    expect(removed.stdout).to.equal(`${EMAIL} can no longer sign in.\n`);
    expect((await service.get("/api/verify", cookie)).status).to.equal(401);
    expect((await program.call(["wiring", "list", "--json"])).stdout).to.equal("[]\n");
    expect(recordRows(program.ledgerFile).map(({ room }) => room)).to.deep.equal(["101", "101"]);
  });
});
