import { join } from "node:path";
import { expect } from "chai";
import { drivesOf, rowsOf } from "../guest/edges.ts";
import { ROOMS } from "../guest/report.ts";
import { StepReports } from "../guest/told.ts";
import { ToldMachine } from "../guest/told-machine.ts";
import { CUT_HERE, type PackageReport, type Reports } from "./report.ts";
import { buildVersions } from "./versions.ts";

const PROOF_MS = 5_400_000;
/** Posted and acknowledged before the power is cut. */
const SALES = 40;
const SCRIPT = join(import.meta.dirname, "inside", "package.ts");
const told = new StepReports<Reports>();

before(async function () {
  this.timeout(PROOF_MS);
  const files = await buildVersions();
  await ToldMachine.use({ suite: "bookworm", script: SCRIPT, files, told }, async (machine) => {
    await machine.run("installed");
    await machine.run("restarted", {
      isCut: (step) => step === "acknowledged" && told.all(step).length === SALES,
    });
    await machine.run("cut", { isCut: (step) => step === CUT_HERE });
    await machine.run("unpacked", { isCut: (step) => step === CUT_HERE });
    await machine.run("ended");
  });
});

/** dpkg refused it with a line that holds this. */
function refuses(step: string, line: string | RegExp): PackageReport {
  const report = told.one(step);
  expect(report.exitCode, report.said).not.to.equal(0);
  expect(
    report.said.split("\n").filter((one) => one.match(line)),
    report.said,
  ).to.have.length(1);
  return report;
}

/** The service of before works on, the very same process. dpkg's state is not compared: a refusal makes half-configured installed. */
function worksOn(report: PackageReport): void {
  expect(report.after, report.said).to.include({ pid: report.before?.pid, health: 0 });
  expect(report.after?.pid).to.be.greaterThan(0);
}

/** The step ended with 0, and the service is well after it. */
function succeeds(step: string): PackageReport {
  const report = told.one(step);
  expect(report.exitCode, report.said).to.equal(0);
  isWell(report);
  return report;
}

/** Each switching-on is one sale, whatever processes came and went. */
function losesNoSale({ absence, said }: PackageReport): void {
  expect(absence?.gaps, said).to.deep.equal([]);
  for (const room of ROOMS) {
    const rises = absence === undefined ? [] : drivesOf(absence, room);
    expect(rises.length).to.be.greaterThan(1);
    expect(absence && rowsOf(absence, room), `room ${room}`).to.have.length(rises.length);
  }
}

function isWell(report: PackageReport, state = "installed"): void {
  expect(report.after?.health, report.said).to.equal(0);
  expect(report.after?.state, report.said).to.equal(state);
}

describe("The package on a machine that it is not for", () => {
  const REFUSED: readonly (readonly [string, string, RegExp])[] = [
    [
      "for another processor, in dpkg's words",
      "other processor",
      /package architecture \(\w+\) does not match system/,
    ],
    [
      "on a kernel that is too old",
      "old kernel",
      /^flanco: This kernel, Linux 2\.6\.\d+\S*, is too old: 5\.10 and later/,
    ],
    ["where glibc is too old, before anything is unpacked", "old glibc", /pre-depends on libc6 \(>= 2\.34\)/],
    [
      "where the disk is full",
      "full disk",
      /^flanco: The disk has \d+ MiB free, and installing takes \d+ MiB: make room/,
    ],
  ];
  for (const [where, step, line] of REFUSED) {
    it(`is refused ${where}`, () => {
      expect(refuses(step, line).left).to.deep.equal([]);
    });
  }
});

describe("The package", () => {
  it("installs, starts the service, and shows its address and the one-time link", () => {
    const { said } = succeeds("installed");
    expect(said).to.contain("flanco is ready.");
    expect(said).to.match(/http:\/\/localhost:8080\/primer-uso#\S+/);
  });

  it("works without a GPIO chip, and says that there is none", () => {
    expect(told.one("no chip").said.trim()).to.equal("No GPIO chip was found.");
  });

  it("refuses an upgrade that the disk has no room for, and the service works on", () => {
    worksOn(refuses("full disk at upgrade", /^flanco: The disk has \d+ MiB free/));
  });

  it("refuses an upgrade over settings with a mistake, names it, and the service works on", () => {
    const line =
      /^flanco: \/etc\/flanco\/flanco\.toml: https_prot: there is no such setting.* Nothing was changed\.$/;
    const report = refuses("broken settings", line);
    expect(report.after?.pid, report.said).to.equal(report.before?.pid);
    expect(report.after?.pid).to.be.greaterThan(0);
  });

  it("goes back from a version that has changed the ledger and does not work, and records again what that one had", () => {
    const report = refuses("went back", /the new version does not work: going back to 0\.0\.1$/);
    expect(report.said).to.contain("the ledger is the file of before");
    losesNoSale(report);
    isWell(report, "half-configured");
    expect(report.left?.filter((name) => /^flanco\.db\.failed-\d+$/.test(name))).to.have.length(1);
    expect(report.left?.filter((name) => name.includes("schema-"))).to.deep.equal([]);
    refuses("configured anew", /0\.0\.1 is installed, though dpkg has it otherwise/);
  });

  it("upgrades while edges come, to another schema, and none is lost or counted twice", () => {
    const report = succeeds("upgraded");
    expect(report.said).to.contain("upgraded from 0.0.1; it works");
    losesNoSale(report);
    expect(report.left?.filter((name) => name.includes("schema-"))).to.have.length(1);
  });

  it("refuses a version that does not know the ledger's schema, before anything is harmed", () => {
    worksOn(
      refuses(
        "downgrade",
        /^flanco: The ledger was written by a newer flanco \(schema \d+; this version knows \d+\)/,
      ),
    );
    expect(told.one("verified").exitCode, told.one("verified").said).to.equal(0);
  });

  it("is there by itself after a restart of the machine, and records", () => {
    expect(
      succeeds("restarted")
        .rows?.map((row) => row.room)
        .sort(),
    ).to.deep.equal([...ROOMS]);
  });

  it("has every acknowledged sale once after a power cut", () => {
    const report = succeeds("power came back");
    const acknowledged = told.all("acknowledged").map(({ acknowledgedMs }) => acknowledgedMs);
    expect(acknowledged).to.have.length.of.at.least(SALES);
    const posted = report.rows?.filter((row) => row.origin === "posted").map((row) => row.createdMs) ?? [];
    expect(new Set(posted).size, "none twice").to.equal(posted.length);
    expect(posted).to.include.members(acknowledged);
  });

  it("runs as before after a power cut, or dpkg's end, while files are unpacked", () => {
    for (const step of ["cut while unpacking", "killed while unpacking"]) {
      const { after, said } = told.one(step);
      expect(after?.health, said).to.equal(0);
      expect(after?.pid).to.be.greaterThan(0);
    }
    succeeds("installed after all");
  });

  it("goes back by itself at the next start, after a power cut with a version in place that does not start", () => {
    const report = told.one("cut while configuring");
    isWell(report, "half-configured");
    expect(report.said).to.contain("going back to 0.0.4");
  });

  it("keeps the records when it is removed, starts with them when it is there again, and keeps a last backup when it is purged", () => {
    const removed = told.one("removed");
    expect(removed.exitCode, removed.said).to.equal(0);
    expect(removed.left).to.include("flanco.db");
    expect(succeeds("installed after its removal").said).to.contain("flanco is ready.");
    const purged = told.one("purged");
    expect(purged.exitCode, purged.said).to.equal(0);
    expect(purged.left).to.have.length(1);
    expect(purged.left?.[0]).to.match(/^flanco-last-\d+$/);
    expect(purged.said).to.contain(`/var/lib/${purged.left?.[0]}`);
  });

  it("is installed where a port is taken, says so, and works once that is free", () => {
    const taken = told.one("port taken");
    expect(taken.exitCode, taken.said).to.equal(0);
    expect(taken.said).to.match(
      /^flanco: installed, and does not work yet\. The .*8443.* is in use by another program\./m,
    );
    isWell(told.one("port free"));
  });
});
