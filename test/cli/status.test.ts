import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { describeNewer } from "../../src/cli/status.ts";
import { CHECKOUT, onlyLine, PASSWORD, Program } from "../rig/program.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { EMAIL, seededProgram, seedLedger } from "./ledger.ts";

const STOPPED =
  "flanco: The flanco service is not running on this data directory. Start it first: npm start from a checkout, or systemctl start flanco.";
const IDLE = "\nWaiting for the disk: 0 writes (room for 4096), 0 switchings (room for 10000).\n";

interface StatusJson {
  readonly running: boolean;
  readonly today: { readonly sales: number; readonly revenue: number };
  readonly lastBackup: { readonly records: number } | null;
  readonly lastEdges: readonly object[];
  readonly currency: object;
  readonly linesWatched: number;
  readonly faults: readonly { readonly code: string; readonly details: object }[];
}

describe("What flanco status says of a newer package", () => {
  const notes = { es: "Uno.", en: "One.\nTwo." };

  it("is where it lies, who checks it, what installs it, and its notes", () => {
    const file = "/media/usb/flanco_0.2.0_arm64.deb";
    const newerPackage = { version: "0.2.0", source: "disk", file, notes, command: "apt install X" } as const;
    expect(describeNewer({ newerPackage })).to.deep.equal([
      `A newer version: 0.2.0, on the disk as ${file} (flanco has not checked it: see docs/packaging.md). Install it as root: apt install X`,
      "  One.",
      "  Two.",
    ]);
    const [first] = describeNewer({ newerPackage: { ...newerPackage, source: "apt", file: null } });
    expect(first).to.contain("in apt's source (apt checks its source's signature)");
    expect(describeNewer({ newerPackage: null })).to.deep.equal([]);
  });
});

describe("flanco status", () => {
  // What is sold is of today still when the status is asked for.
  const program = forEachTest(() => Program.make({ FLANCO_TIME_ZONE: zoneAtNoon() }));

  beforeEach(async () => {
    await seedLedger(program.ledgerFile, [Date.now(), Date.now(), Date.now()]);
  });

  it("names what a damaged disk has taken beside the ledger: browsers' trust, and the page's sinks", async () => {
    for (const name of ["tls/authority.pem", "sinks/setups.json"]) {
      const file = join(dirname(program.ledgerFile), name);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, "{", { mode: 0o600 });
    }
    await program.start();
    const { faults } = JSON.parse((await program.call(["status", "--json"])).stdout) as StatusJson;
    expect(faults.map(({ code }) => code)).to.include.members(["authority_replaced", "sinks_unreadable"]);
  });

  it("says how a healthy service is, as JSON the same as the API, and ends with 0", async () => {
    const service = await program.start({ FLANCO_CURRENCY: "DOP", FLANCO_CURRENCY_DECIMALS: "0" });
    // The start's own note of its certificate may still be on its way to the disk.
    const { exitCode, stdout, stderr } = await until("nothing waits for the disk", async () => {
      const said = await program.call(["status"]);
      return said.stdout.includes(IDLE) && said;
    });
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).to.match(/^flanco \S+ is running since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(\d+ s\)\.$/);
    expect(lines[1]).to.equal("Lines: 8 of 8 watched by the driver simulated (SIMULATED).");
    expect(lines[2]).to.match(/^ {2}SIM0: room 101 of Pasillo A, off since \d{4}-/);
    expect(stdout).to.match(/^Today \(\d{4}-\d\d-\d\d\): 3 records, 12 DOP\.$/m);
    expect(stdout).to.contain("\nGaps: 0 known, 0 of them in the last 30 days.\n");
    expect(stdout).to.contain(IDLE);
    expect(stdout).to.contain("\nBackup: none yet.\n");
    expect(stdout).to.match(/^Disk: [\d.]+ \w+ of [\d.]+ \w+ free; the ledger takes [\d.]+ kB, its log /m);
    expect(stdout).to.match(/^Clock: .* 1[23]:\d\d:\d\d \(Etc\/GMT\S+\), set, and to be trusted\.$/m);
    expect(lines.at(-1)).to.equal("Nothing needs attention.");
    const { exitCode: asJson, stdout: json } = await program.call(["status", "--json"]);
    expect(asJson).to.equal(0);
    const cookie = await service.signIn(EMAIL, PASSWORD);
    const answer = (await (await service.get("/api/status", cookie)).json()) as { data: StatusJson };
    const { running, ...told } = JSON.parse(json) as StatusJson;
    expect(running).to.equal(true);
    expect(told).to.have.all.keys(answer.data);
    for (const key of ["today", "lastEdges", "lastBackup", "currency", "linesWatched", "faults"] as const) {
      expect(told[key], key).to.deep.equal(answer.data[key]);
    }
    expect(told.today).to.include({ sales: 3, revenue: 12 });
  });

  it("says that no service runs, shows what the files hold, and ends with 1", async () => {
    await program.succeed(["backup"]);
    const plain = await program.call(["status"]);
    expect(plain.exitCode).to.equal(1);
    expect(onlyLine(plain)).to.equal(STOPPED);
    expect(plain.stdout).to.match(/^Today \(\d{4}-\d\d-\d\d\): 3 records, 12\.00 EUR\.$/m);
    expect(plain.stdout).to.match(/^Backup: of .*, 3 records, checked in full\.$/m);
    const json = await program.call(["status", "--json"]);
    expect(json.exitCode).to.equal(1);
    const told = JSON.parse(json.stdout) as StatusJson;
    expect(told).to.deep.include({ running: false, faults: [] });
    expect(told.today).to.include({ sales: 3, revenue: 12 });
    expect(told.lastBackup?.records).to.equal(3);
  });

  it("shows backups and disk even if the ledger itself cannot be read", async () => {
    await program.succeed(["backup"]);
    truncateSync(program.ledgerFile, 50);
    const { exitCode, stdout, stderr } = await program.call(["status"]);
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(/^Backup: of .*\nDisk: .* free; the ledger takes 50 B, its log /);
    expect(stderr).to.contain("is damaged: it is cut off. Nothing was changed. Start the service: it");
    const told = JSON.parse((await program.call(["status", "--json"])).stdout) as StatusJson;
    expect(told).not.to.have.any.keys("today", "gaps");
    expect(told.lastBackup?.records).to.equal(3);
  });

  it("says that there is no ledger", async () => {
    rmSync(program.dataDir, { recursive: true });
    const { exitCode, stdout, stderr } = await program.call(["status"]);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 1, stdout: "" });
    const [stopped, missing, ...more] = stderr.trimEnd().split("\n");
    expect(stopped).to.equal(STOPPED);
    expect(missing).to.contain(`There is no ledger ${join(program.dataDir, "flanco.db")}.`);
    expect(more).to.deep.equal([]);
  });
});

describe("flanco status, of a service with faults,", () => {
  const program = forSuite(() => seededProgram([], { FLANCO_SIMULATED_LINES: "6" }));

  before(() => program.start());

  it("says each fault in a line of its own with what to do, and ends with 3", async () => {
    const plain = await program.call(["status"]);
    expect(plain.exitCode).to.equal(3);
    expect(plain.stdout).to.contain("Lines: 6 of 8 watched");
    expect(plain.stdout).not.to.contain("Nothing needs attention");
    const lines = plain.stderr.trimEnd().split("\n");
    expect(lines).to.have.length(2);
    lines.forEach((line, index) => {
      expect(line).to.match(
        new RegExp(`^flanco: The line SIM${6 + index} is not watched, .*flanco gpio detect`),
      );
    });
    const json = await program.call(["status", "--json"]);
    expect(json.exitCode).to.equal(3);
    const { faults } = JSON.parse(json.stdout) as StatusJson;
    expect(faults.map(({ code }) => code)).to.deep.equal(["line_failed", "line_failed"]);
  });

  it("is short after a login, without lines and money, and a fault does not fail what shows it", async () => {
    const flanco = program.write("flanco", `#!/bin/sh\nexec "${program.command.join('" "')}" "$@"\n`);
    chmodSync(flanco, 0o755);
    const screen = await promisify(execFile)(join(CHECKOUT, "packaging/root/etc/update-motd.d/60-flanco"), {
      env: { ...program.environment, PATH: `${program.directory}:${process.env["PATH"]}` },
    });
    expect(screen.stderr).to.equal("");
    expect(screen.stdout).to.match(
      /^flanco \S+ is running since .*\nLines: 6 of 8 watched by .*\nBackup: none yet\.\n/,
    );
    expect(screen.stdout).to.contain("\nMore: flanco status, flanco doctor, flanco logs.\n");
    expect(screen.stdout).to.contain("The line SIM6 is not watched");
    expect(screen.stdout).not.to.contain("Today").and.not.to.contain("Pasillo");
  });
});

/** A zone in which it is between noon and one o'clock. */
function zoneAtNoon(): string {
  const aheadHours = 12 - new Date().getUTCHours();
  // The names have the sign of the way to Greenwich.
  return aheadHours > 0 ? `Etc/GMT-${aheadHours}` : `Etc/GMT+${-aheadHours}`;
}
