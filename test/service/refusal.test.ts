import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "chai";
import { change, seedLedger } from "../cli/ledger.ts";
import { CHECKOUT, type Ended, onlyLine, PROCESS_TEST_MS, Program, SOURCE_PROGRAM } from "../rig/program.ts";

const NOBODY_UID = 65_534;
/** Makes the running Node look like an old one before any of the program's code runs. */
const OLD_NODE = `data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.1" } });
   Object.defineProperty(process, "version", { value: "v20.11.1" });`,
)}`;

function expectRefusal(ended: Ended, text: RegExp): void {
  expect(ended.stdout).to.equal("");
  expect(onlyLine(ended)).to.match(text);
  expect(ended.exitCode).to.equal(1);
}

describe("flanco, where it cannot run,", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Program;

  beforeEach(async () => {
    appliance = await Program.make();
  });

  afterEach(() => appliance.close());

  it("says which port is in use and how to choose another", async () => {
    for (const [key, port] of [
      ["FLANCO_HTTPS_PORT", appliance.httpsPort],
      ["FLANCO_HTTP_PORT", appliance.httpPort],
    ] as const) {
      const other = createServer().listen(port, "127.0.0.1");
      await once(other, "listening");
      const refused = await appliance.run(["serve"]);
      other.close();
      expectRefusal(refused, new RegExp(`^flanco: The port ${port} of 127\\.0\\.0\\.1 is in use.*${key}`));
      await once(other, "close");
    }
  });

  it("says that the data directory cannot be made", async () => {
    const file = appliance.write("file", "not a directory");
    const environment = { FLANCO_DATA_DIR: join(file, "data") };
    for (const [command, text] of [
      ["serve", /^flanco: The data directory .*file\/data cannot be written\. .*FLANCO_DATA_DIR/],
      ["user list", /^flanco: The data directory .*file\/data cannot be written\. .*FLANCO_DATA_DIR/],
      ["verify", /^flanco: There is no ledger .*file\/data\/flanco\.db\. .*FLANCO_DATA_DIR/],
    ] as const) {
      expectRefusal(await appliance.run(command.split(" "), { environment }), text);
    }
    expect(readFileSync(file, "utf8")).to.equal("not a directory");
  });

  it("says that the data directory belongs to somebody else", async () => {
    mkdirSync(appliance.dataDir);
    // Root may write everywhere, so root runs it as the user nobody; other users are kept out by the mode.
    chmodSync(appliance.dataDir, 0o500);
    const uid = process.getuid?.() === 0 ? { uid: NOBODY_UID, program: SOURCE_PROGRAM } : {};
    const refused = await appliance.run(["serve"], uid);
    expectRefusal(
      refused,
      /^flanco: The data directory .* cannot be written\. Give it to the user that runs flanco/,
    );
    expect(readdirSync(appliance.dataDir)).to.deep.equal([]);
    chmodSync(appliance.dataDir, 0o700);
  });

  it("says that the data directory's path is too long for its socket", async () => {
    const environment = { FLANCO_DATA_DIR: join(appliance.directory, "d".repeat(100)) };
    for (const args of [["serve"], ["user", "list"]]) {
      const refused = await appliance.run(args, { environment });
      expect(onlyLine(refused)).to.match(
        /^flanco: The data directory's path is too long .* at most 94 bytes\.$/,
      );
      expect(refused.exitCode).to.equal(78);
    }
  });

  it("says that another flanco has the data directory, and leaves that one alone", async () => {
    const first = await appliance.start();
    const ports = { FLANCO_HTTP_PORT: "1", FLANCO_HTTPS_PORT: "2" };
    const refused = await appliance.run(["serve"], { environment: ports });
    expectRefusal(refused, /^flanco: Another flanco is using this data directory\. Stop it first/);
    expect((await first.get("/healthz")).status).to.equal(200);
    expect((await appliance.call(["user", "list"])).exitCode).to.equal(0);
  });

  it("says that the secret of its sessions is damaged", async () => {
    mkdirSync(appliance.dataDir);
    await seedLedger(appliance.ledgerFile);
    appliance.write("data/session.key", "short");
    expectRefusal(
      await appliance.run(["serve"]),
      /^flanco: The session secret .* is damaged\. `flanco secret rotate` makes another/,
    );
  });
});

describe("flanco, on a ledger that it must not touch,", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Program;

  beforeEach(async () => {
    appliance = await Program.make();
    await seedLedger(appliance.ledgerFile);
  });

  afterEach(() => appliance.close());

  /** Both commands that open the ledger refuse it with this text, and not a byte of it changes. */
  async function expectUntouched(serve: RegExp, verify: RegExp): Promise<void> {
    const before = readFileSync(appliance.ledgerFile);
    expectRefusal(await appliance.run(["serve"]), serve);
    expectRefusal(await appliance.run(["verify"]), verify);
    expect(readFileSync(appliance.ledgerFile).equals(before)).to.equal(true);
  }

  it("refuses one that was overwritten with garbage", async () => {
    appliance.write("data/flanco.db", Buffer.alloc(8_192, "garbage "));
    await expectUntouched(
      /^flanco: The ledger .*flanco\.db is damaged: .*\. Nothing was changed\. Copy the whole data directory/,
      /^flanco: The ledger .*flanco\.db is damaged: /,
    );
  });

  it("refuses one that was cut off", async () => {
    truncateSync(appliance.ledgerFile, 20_480);
    await expectUntouched(
      /^flanco: The ledger .* is damaged: .*\. Nothing was changed\./,
      /^flanco: The ledger .* is damaged: /,
    );
  });

  it("refuses one that is empty, and never takes it for a new one", async () => {
    truncateSync(appliance.ledgerFile, 0);
    await expectUntouched(
      /^flanco: The ledger .* is damaged: it is cut off\. There is no proven backup to repair it from\. Nothing was changed\./,
      /^flanco: The ledger .* is damaged: /,
    );
  });

  it("refuses another program's database", async () => {
    const other = join(appliance.directory, "other.db");
    const db = new Database(other);
    db.exec("CREATE TABLE song (title TEXT)");
    db.close();
    copyFileSync(other, appliance.ledgerFile);
    await expectUntouched(
      /^flanco: The ledger .* is damaged: it is another program's database/,
      /^flanco: The ledger .* is damaged: /,
    );
  });

  it("refuses one that a newer flanco wrote", async () => {
    change(appliance.ledgerFile, "PRAGMA user_version = 999");
    const text =
      /^flanco: The ledger was written by a newer flanco \(schema 999; .*\)\. Install that version again/;
    await expectUntouched(text, text);
  });

  it("refuses to begin a new one where the old one is missing", async () => {
    appliance.write("data/session.key", Buffer.alloc(32, 1));
    rmSync(appliance.ledgerFile);
    const text =
      /^flanco: The ledger .* is missing, though this appliance had one\. Restore it from a backup\./;
    expectRefusal(await appliance.run(["serve"]), text);
    expectRefusal(await appliance.run(["user", "list"]), text);
    expect(existsSync(appliance.ledgerFile)).to.equal(false);
  });
});

describe("flanco, under a Node that is too old,", function () {
  this.timeout(PROCESS_TEST_MS);

  it("says so in one line and stops, before it touches anything", async () => {
    const appliance = await Program.make();
    try {
      const refused = await appliance.run(["serve"], {
        nodeOptions: ["--import", OLD_NODE],
        program: SOURCE_PROGRAM,
      });
      expectRefusal(refused, /^flanco needs Node 24 or later; this is v20\.11\.1\. Run it through npm /);
      expect(existsSync(appliance.dataDir)).to.equal(false);
    } finally {
      await appliance.close();
    }
  });

  it("runs no tests either", () => {
    const mocha = join(CHECKOUT, "node_modules", "mocha", "bin", "mocha.js");
    const ended = spawnSync(process.execPath, ["--import", OLD_NODE, mocha, "--dry-run"], {
      cwd: CHECKOUT,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    expect(ended.stderr).to.match(/flanco needs Node 24 or later; this is v20\.11\.1/);
    expect(ended.status).to.equal(1);
  });
});
