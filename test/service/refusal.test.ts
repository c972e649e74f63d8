import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { dataDirectoryOf, prepareForLedger } from "../../src/ledger/engine/data-directory.ts";
import { verifyLedger } from "../../src/ledger/safety/verify.ts";
import { systemClock } from "../../src/platform/machine.ts";
import { openLedger } from "../../src/service/ledger.ts";
import { seedLedger } from "../cli/ledger.ts";
import { KeptLog } from "../http/fakes.ts";
import { change } from "../rig/ledger-file.ts";
import { type CommandOutcome, onlyLine, Program, SOURCE_PROGRAM } from "../rig/program.ts";
import { rejection, thrown } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

/** Makes the running Node look like an old one before any of the program's code runs. */
const OLD_NODE = `data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.1" } });
   Object.defineProperty(process, "version", { value: "v20.11.1" });`,
)}`;

function expectRefusal(ended: CommandOutcome, text: RegExp): void {
  expect(ended.stdout).to.equal("");
  expect(onlyLine(ended)).to.match(text);
  expect(ended.exitCode).to.equal(1);
}

describe("flanco, where it cannot run,", () => {
  const appliance = forEachTest(() => Program.make());

  it("says which port is in use and how to choose another", async () => {
    const other = createServer().listen(appliance.httpsPort, "127.0.0.1");
    await once(other, "listening");
    const refused = await appliance.run(["serve"]);
    other.close();
    const text = `^flanco: The port ${appliance.httpsPort} of 127\\.0\\.0\\.1 is in use.*FLANCO_HTTPS_PORT`;
    expectRefusal(refused, new RegExp(text));
  });

  it("says that the data directory cannot be made", async () => {
    const file = appliance.write("file", "not a directory");
    const environment = { FLANCO_DATA_DIR: join(file, "data") };
    for (const [command, text] of [
      [
        "user add --link --email a@example.org --name A",
        /^flanco: The data directory .*file\/data cannot be written\. .*FLANCO_DATA_DIR/,
      ],
      ["verify", /^flanco: There is no ledger .*file\/data\/flanco\.db\. .*FLANCO_DATA_DIR/],
    ] as const) {
      expectRefusal(await appliance.call(command.split(" "), "", environment), text);
    }
    expect(readFileSync(file, "utf8")).to.equal("not a directory");
  });

  it("says that the data directory belongs to another user", async () => {
    mkdirSync(appliance.dataDir);
    // Root may write everywhere unless it gives that right up; other users are kept out by the mode.
    chmodSync(appliance.dataDir, 0o500);
    const wrapper = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : [];
    const refused = await appliance.run(["serve"], { wrapper });
    expectRefusal(
      refused,
      /^flanco: The data directory .* cannot be written\. Give it to the user that runs flanco/,
    );
    expect(readdirSync(appliance.dataDir)).to.deep.equal([]);
    chmodSync(appliance.dataDir, 0o700);
  });

  it("says that the data directory is closed to the user, and not that nothing is in it", async () => {
    mkdirSync(appliance.dataDir, { mode: 0o000 });
    const isRoot = process.getuid?.() === 0;
    const wrapper = isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
    const text = /^flanco: The data directory .* is closed to this user\. Run the command as root/;
    for (const command of [["status"], ["verify"], ["backup"], ["restore"], ["tls", "show"]]) {
      expectRefusal(await appliance.run(command, { wrapper }), text);
    }
  });

  it("makes no ledger in a directory that was misspelt", async () => {
    const environment = { FLANCO_DATA_DIR: join(appliance.directory, "dta") };
    for (const command of [["user", "list"], ["wiring", "list"], ["audit"], ["secret", "rotate"]]) {
      const ended = await appliance.call(command, "", environment);
      expectRefusal(ended, /^flanco: There is no ledger .*dta\/flanco\.db\. Check the data directory/);
    }
    expect(readdirSync(appliance.directory)).to.deep.equal([]);
  });

  it("says that another flanco uses the data directory, and does not disturb it", async () => {
    const first = await appliance.start();
    const ports = { FLANCO_HTTP_PORT: "1", FLANCO_HTTPS_PORT: "2" };
    const refused = await appliance.run(["serve"], { environment: ports });
    expectRefusal(
      refused,
      /^flanco: Another flanco is using this data directory\. A service that starts may take minutes/,
    );
    expect((await first.get("/healthz")).status).to.equal(200);
    expect((await appliance.call(["user", "list"])).exitCode).to.equal(0);
  });
});

describe("A ledger that must not be touched", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let ledger: string;

  beforeEach(async () => {
    ledger = dataDirectoryOf(directory.path).ledger;
    await seedLedger(ledger);
  });

  /** What a start of the service fails with. */
  async function startOn(file: string): Promise<string> {
    const data_dir = dirname(file);
    const ignored = { onChanges: () => {}, onFatal: () => {} };
    const options = {
      config: { data_dir, backup_dir: "", backup_disk_dir: "", time_zone: "UTC" },
      dataDirectory: dataDirectoryOf(data_dir),
      clock: systemClock,
      log: new KeptLog(),
    };
    const opened = openLedger(options, ignored);
    const { message, hint = "" } = await rejection(opened);
    return `${message} ${hint}`;
  }

  function writeOther(file: string): void {
    rmSync(file);
    change(file, "CREATE TABLE song (title TEXT)");
  }

  const cutOff =
    /^The ledger .* is damaged: .*\. There is no proven backup of it .*\. Nothing was changed\. .* flanco restore FILE\. To start anew .*$/;
  for (const [what, spoil, text] of [
    ["that was cut off", (file) => truncateSync(file, 20_480), cutOff],
    ["of another program", writeOther, /^The ledger .* is damaged: it is another program's database/],
    [
      "of a newer flanco",
      (file) => change(file, "PRAGMA user_version = 999"),
      /^The ledger was written by a newer flanco \(schema 999; .*\)\. Install that version again/,
    ],
  ] as const satisfies readonly (readonly [string, (file: string) => void, RegExp])[]) {
    it(`is one ${what}: a start and a check refuse it, and no byte of it changes`, async () => {
      spoil(ledger);
      const before = readFileSync(ledger);
      expect(await startOn(ledger)).to.match(text);
      expect(thrown(() => verifyLedger(ledger, () => {})).message).to.match(/^The ledger .*(damaged|newer)/);
      expect(readFileSync(ledger).equals(before)).to.equal(true);
    });
  }

  it("is one that is missing: none is begun in its place", async () => {
    const dataDirectory = dataDirectoryOf(directory.path);
    writeFileSync(dataDirectory.secret, Buffer.alloc(32, 1));
    rmSync(ledger);
    prepareForLedger(dataDirectory);
    expect(await startOn(ledger)).to.match(
      /^The ledger .* is damaged: it is missing\. There is no proven backup of it .* To start anew on purpose, /,
    );
    rmSync(`${ledger}.id`);
    const { message, hint } = thrown(() => prepareForLedger(dataDirectory));
    expect(`${message} ${hint}`).to.match(
      /^The ledger .* is missing, though this appliance had one\. Put it back\. If it is gone, /,
    );
    expect(existsSync(ledger)).to.equal(false);
  });
});

describe("flanco, under a Node that is too old,", () => {
  const appliance = forEachTest(() => Program.make());

  it("says so in one line and stops, before it touches anything", async () => {
    const refused = await appliance.run(["serve"], {
      nodeOptions: ["--import", OLD_NODE],
      program: SOURCE_PROGRAM,
    });
    expectRefusal(refused, /^flanco needs Node 24 or later; this is v20\.11\.1\. Run it through npm /);
    expect(existsSync(appliance.dataDir)).to.equal(false);
  });
});
