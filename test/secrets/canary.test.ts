import { spawn, spawnSync } from "node:child_process";
import { createPrivateKey, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { change, query } from "../rig/ledger-file.ts";
import { Program, type RunningService } from "../rig/program.ts";
import { until } from "../rig/until.ts";
import { type Canary, canary, Detector } from "./canaries.ts";
import { type Secrets, sendEverything } from "./traffic.ts";

const EMAIL = "ana@example.org";
/** Starts, and a few hundred requests, on a machine that is busy. */
const TEST_MS = 120_000;

function newSecret(): string {
  const half = () => randomBytes(10).toString("hex");
  // What escaping changes is in it: a quote, a space, a letter that is no ASCII.
  return `${half()} "ñ" ${half()}`;
}

/** What the program itself has made: from its files, which are the only place for it. */
function ownSecrets(dataDir: string): readonly Canary[] {
  const keys = ["leaf.pem", "authority.pem"].map((name) => {
    const { d = "" } = createPrivateKey(readFileSync(join(dataDir, "tls", name))).export({ format: "jwk" });
    return canary(`the key of ${name}`, Buffer.from(d, "base64url"));
  });
  return [canary("the secret of sessions", readFileSync(join(dataDir, "session.key"))), ...keys];
}

function passwordHashes(ledger: string): readonly Canary[] {
  const hashes = query<{ hash: string }>(ledger, "SELECT password_hash AS hash FROM member");
  return hashes.map(({ hash }) => canary("a password's hash", hash));
}

describe("a secret", () => {
  // Every other level logs a part of what debug logs.
  it("of a service that logs at debug stands in no log, answer, command line, environment or core file", async function () {
    this.timeout(TEST_MS);
    const program = await Program.make({ FLANCO_LOG_LEVEL: "debug" });
    try {
      // As far as the shell is concerned, cores may be of any size.
      const wrapper = ["sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh"];
      const service = await program.start({}, { wrapper });
      const { secrets, announced } = await becomeAna(service);
      const token = secrets.cookie.slice("auth_token=".length);
      const typed = new Detector([
        canary("the password", secrets.password),
        canary("the wrong password", secrets.wrongPassword),
        canary("the link", secrets.firstRunToken),
        canary("the token", token),
        canary("the token's signature", token.split(".")[2] ?? ""),
        canary("another's cookie", secrets.foreignCookie.slice("auth_token=".length)),
      ]);
      const ofSinks = await setUpSinks(service, secrets.cookie);
      const own = new Detector([
        ...[...ownSecrets(program.dataDir), ...passwordHashes(program.ledgerFile)],
        ...ofSinks,
      ]);
      const both = (text: string | Buffer) => [...typed.find(text), ...own.find(text)];

      // Before the failures among what is sent delay the address.
      await failToWrite(program, service, secrets);
      const answers = await sendEverything(service, secrets);
      expect(answers.length).to.be.greaterThan(150);
      for (const answer of answers) expect(both(answer), answer.slice(0, 200)).to.deep.equal([]);

      for (const detector of [typed, own]) expect(detector.findInProcesses(service.pid)).to.deep.equal([]);
      await runCommands(program, typed, both);

      expect(readFileSync(`/proc/${service.pid}/limits`, "utf8")).to.match(/^Max core file size\s+0\s+0\s/m);
      await service.end("SIGABRT");
      // The console alone is told the link, once, before anybody could use it.
      expect(announced).to.contain(secrets.firstRunToken);
      expect(both(service.stdout.replace(announced, ""))).to.deep.equal([]);
      expect(both(service.stderr)).to.deep.equal([]);
      // What was typed is in no file at all: of a password the hash is kept, of a session its number.
      expect(typed.findInFiles(program.directory)).to.deep.equal([]);
      // Those of sinks are kept for the sinks alone: in no backup, and not in the ledger.
      rmSync(join(program.dataDir, "sinks"), { recursive: true });
      expect(new Detector(ofSinks).findInFiles(program.directory)).to.deep.equal([]);
    } finally {
      await program.close();
    }
  });
});

/** Makes the first user with a password that is a canary. `announced`: what the console was told until then. */
async function becomeAna(service: RunningService): Promise<{ secrets: Secrets; announced: string }> {
  const password = newSecret();
  const announced = service.stdout;
  const firstRunToken = service.firstRunToken ?? "";
  const account = { token: firstRunToken, name: "Ana", email: EMAIL, password };
  const answer = await service.post("/api/first-run", account);
  const [cookie = ""] = answer.headers.getSetCookie()[0]?.split(";") ?? [];
  expect(answer.status).to.equal(200);
  const secrets = {
    email: EMAIL,
    password,
    cookie,
    firstRunToken,
    wrongPassword: newSecret(),
    foreignCookie: `auth_token=${randomBytes(48).toString("base64url")}`,
  };
  return { secrets, announced };
}

/** Sets sinks up with a password and a key that are canaries, tries them, and changes one wrongly. */
async function setUpSinks(service: RunningService, cookie: string): Promise<readonly Canary[]> {
  const [password, key, placeKey, passphrase] = [newSecret(), newSecret(), newSecret(), newSecret()];
  const token = randomBytes(20).toString("hex");
  const put = async (name: string, values: object): Promise<number> =>
    (await service.send("PUT", "/api/sink", { name, values }, cookie)).status;
  const mqtt = { mqtt_url: "mqtt://localhost:1", mqtt_login: "flanco", mqtt_password: password };
  const webhook = { webhook_url: "https://localhost:1/", webhook_key: key };
  expect(await put("mqtt", mqtt)).to.equal(200);
  expect(await put("webhook", webhook)).to.equal(200);
  expect(await put("pulse", { pulse_url: `https://localhost:1/${token}?status=up` })).to.equal(200);
  const place = { remote_address: "s3://localhost:1/bucket", remote_login: "flanco" };
  const secrets = { remote_password: placeKey, remote_passphrase: passphrase };
  expect(await put("remote", { ...place, ...secrets })).to.equal(200);
  expect(await put("remote", { ...place, remote_address: `s3://${placeKey}` })).to.equal(400);
  expect(await put("pulse", { pulse_url: `http://localhost/${token}` })).to.equal(400);
  expect(await put("webhook", { ...webhook, webhook_url: `http://${key}` })).to.equal(400);
  expect(await put("mqtt", { ...mqtt, mqtt_password: `${password}\n${password}` })).to.equal(400);
  for (const name of ["mqtt", "webhook", "pulse", "remote"])
    await service.post("/api/sink/test", { name }, cookie);
  return [
    canary("a sink's password", password),
    canary("a sink's key", key),
    canary("the pulse's token", token),
    canary("the key of the remote place", placeKey),
    canary("the passphrase of backups", passphrase),
  ];
}

/** What commands say, and a backup for the files that are looked at in the end. */
async function runCommands(
  program: Program,
  typed: Detector,
  find: (text: string) => readonly string[],
): Promise<void> {
  await changePassword(program, typed);
  for (const words of [["status", "--json"], ["audit", "--json"], ["config", "show"], ["backup"]]) {
    expect(find(await program.succeed(words)), words.join(" ")).to.deep.equal([]);
  }
}

/** A sign-in that fails because the ledger refuses what it would write. */
async function failToWrite(program: Program, service: RunningService, secrets: Secrets): Promise<void> {
  const refusing = "BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'refused'); END";
  change(program.ledgerFile, `CREATE TRIGGER refusing ${refusing}`);
  const signIn = await service.post("/api/login", { email: secrets.email, password: secrets.password });
  change(program.ledgerFile, "DROP TRIGGER refusing");
  expect(signIn.status).to.equal(500);
  expect(signIn.headers.getSetCookie()).to.deep.equal([]);
  await until("the log has it", () => service.stderr.includes("SQLITE_CONSTRAINT_TRIGGER"));
}

/** A command that is given a password: looked at while it waits for it, while it runs, and at what it says. */
async function changePassword(program: Program, detector: Detector): Promise<void> {
  const another = newSecret();
  const both = new Detector([canary("another password", another)]);
  const child = program.spawn(["user", "passwd", "--email", EMAIL, "--password-stdin"]);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (said += chunk));
  child.stdin?.end(`${another}\n`);
  await until("the password is changed", () => {
    const found = [detector, both].flatMap((one) => one.findInProcesses(child.pid ?? 0));
    if (found.length > 0) throw new Error(`The command shows ${found} to other users.`);
    return child.exitCode !== null;
  });
  expect(child.exitCode, said).to.equal(0);
  expect([...detector.find(said), ...both.find(said)]).to.deep.equal([]);
}

describe("the detector of secrets", () => {
  const password = newSecret();
  const key = randomBytes(32);
  const detector = new Detector([canary("password", password), canary("key", key)]);

  const planted = Buffer.concat([randomBytes(36), key, randomBytes(60)]);
  for (const [where, found, text] of [
    ["a log line", "password", JSON.stringify({ level: 30, msg: "signing in", body: { password } })],
    ["an answer", "password", JSON.stringify({ status: "error", error: `${password} is wrong.` })],
    ["an address", "password", `/api/login?password=${encodeURIComponent(password)}`],
    ["the beginning of one that was cut off", "password", password.slice(0, 20)],
    ["base64, wherever it begins", "password", Buffer.from(`Basic ana:${password}.`).toString("base64")],
    ["longer base64url", "password", Buffer.from(`{"p":"${password}"}`).toString("base64url")],
    [
      "a memory image",
      "password",
      Buffer.concat([randomBytes(1_000), Buffer.from(password), randomBytes(9)]),
    ],
    ["memory of strings of two bytes", "password", Buffer.from(`x${password}`, "utf16le")],
    ["hexadecimal", "key", key.toString("hex")],
    ["a buffer as Node shows it", "key", JSON.stringify(key)],
    ["a buffer as the log shows it", "key", `<Buffer ${key.toString("hex").replaceAll(/..(?=.)/g, "$& ")}>`],
    ["PEM, across lines", "key", planted.toString("base64").replaceAll(/.{64}/g, "$&\n")],
  ] as const) {
    it(`finds a ${found} that is planted in ${where}`, () => {
      expect(detector.find(text)).to.deep.equal([found]);
    });
  }

  it("finds nothing where nothing is planted", () => {
    const text = JSON.stringify({ password: "[hidden]", key: randomBytes(32).toString("hex") });
    expect(detector.find(text)).to.deep.equal([]);
  });

  for (const [where, args, environment] of [
    ["the command line", [password], {}],
    ["the environment", [], { PLANTED: password }],
  ] as const) {
    it(`finds one that is planted in ${where} of a child's child`, async () => {
      const script = 'sh -c "read line" sh "$@"; true';
      const child = spawn("sh", ["-c", script, "sh", ...args], {
        env: { ...process.env, ...environment },
        stdio: "pipe",
      });
      try {
        const own = process.pid;
        await until("the processes show it", () => detector.findInProcesses(own).length > 1);
      } finally {
        child.stdin.end();
      }
    });
  }

  it("finds one in a core file, of a process that may leave one", async () => {
    const pattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8").trim();
    const program = await Program.make();
    try {
      const folder = join(program.directory, "cores");
      mkdirSync(folder);
      const { signal } = spawnSync("sh", ["-c", "ulimit -c unlimited; kill -ABRT $$"], {
        cwd: folder,
        env: { ...process.env, PLANTED: password },
      });
      expect(signal).to.equal("SIGABRT");
      // Where the system takes cores elsewhere, or leaves none, a file stands for one.
      if (!readdirSync(folder).some((name) => name.startsWith("core"))) {
        expect(pattern).to.not.equal("core");
        writeFileSync(join(folder, "core"), Buffer.from(password));
      }
      expect(detector.findInFiles(folder)).to.include("password");
    } finally {
      await program.close();
    }
  });
});
