import { expect } from "chai";
import { ROOMS } from "../guest/report.ts";
import { provePackage } from "./guest.ts";
import type { PackageReport } from "./report.ts";

const PROOF_MS = 2_400_000;
let reports: readonly PackageReport[] = [];

before(async function () {
  this.timeout(PROOF_MS);
  reports = await provePackage();
});

function report<Step extends PackageReport["step"]>(step: Step): Extract<PackageReport, { step: Step }> {
  const found = reports.find((one): one is Extract<PackageReport, { step: Step }> => one.step === step);
  if (found === undefined) throw new Error(`The guest did not come to "${step}".`);
  return found;
}

describe("The package", () => {
  it("installs, starts the service, and shows its address and the one-time link", () => {
    const { exitCode, said } = report("installed");
    expect(exitCode, said).to.equal(0);
    expect(said).to.contain("flanco is ready.");
    expect(said).to.match(/http:\/\/localhost:8080\/primer-uso#\S+/);
  });

  it("upgrades while edges come, and none is lost or counted twice", () => {
    const { exitCode, said, absence, version } = report("upgraded");
    expect(exitCode, said).to.equal(0);
    expect(version).to.not.equal("");
    expect(absence.gaps).to.deep.equal([]);
    for (const room of ROOMS) {
      const rises = absence.drives.filter((drive) => drive.room === room && drive.high);
      const rows = absence.rows.filter((row) => row.room === room);
      expect(rows, `room ${room}`).to.have.length(rises.length);
    }
  });

  it("goes back by itself from a version that does not start, and says so", () => {
    const { exitCode, said, version, health, left } = report("broken");
    expect(exitCode).not.to.equal(0);
    expect(said).to.contain("going back to 0.0.2");
    expect(version).to.match(/^\d+\.\d+\.\d+$/);
    expect(health).to.equal(0);
    expect(left).to.deep.equal(["flanco"]);
    expect(report("verified").exitCode, report("verified").said).to.equal(0);
  });

  it("keeps the records when it is removed, and a last backup when it is purged", () => {
    const removed = report("removed");
    expect(removed.exitCode, removed.said).to.equal(0);
    expect(removed.left).to.include("flanco.db");
    const purged = report("purged");
    expect(purged.exitCode, purged.said).to.equal(0);
    expect(purged.left).to.have.length(1);
    expect(purged.left[0]).to.match(/^flanco-last-\d+$/);
    expect(purged.said).to.contain(`/var/lib/${purged.left[0]}`);
  });
});
