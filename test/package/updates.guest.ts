import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { writeImage } from "../../scripts/guest/disk-root.ts";
import { StepReports } from "../guest/told.ts";
import { ToldMachine } from "../guest/told-machine.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { CUT_HERE } from "./report.ts";
import type { NightReport, Reports } from "./updates-report.ts";
import { buildSources } from "./versions.ts";

const NIGHTS_MS = 7_200_000;
const SCRIPT = join(import.meta.dirname, "inside", "updates.ts");
const told = new StepReports<Reports>();

describe("Updates that come by night, on a read-only root", () => {
  const directory = new TemporaryDirectory();

  before(async function () {
    this.timeout(NIGHTS_MS);
    const files = await buildSources("file:/srv/flanco");
    const removable = directory.file("var.img");
    mkdirSync(directory.file("empty"));
    writeImage(directory.file("empty"), removable, "1400M");
    await ToldMachine.use({ suite: "bookworm", script: SCRIPT, files, removable, told }, async (machine) => {
      await machine.run("prepared");
      await machine.run("nights", { timeoutMs: NIGHTS_MS, isCut: (step) => step === CUT_HERE });
      await machine.run("cut", { timeoutMs: NIGHTS_MS });
    });
  });

  after(() => directory.remove());

  /** The gateway works on with this version, whatever the night brought. */
  function worksWith(step: string, version?: string): NightReport {
    const report = told.one(step);
    expect(report, report.said).to.include({ isWell: true, isRootClosed: true });
    if (version !== undefined) expect(report.version, report.said).to.equal(version);
    return report;
  }

  function failsBy(step: string, reason: string, version?: string): NightReport {
    const report = worksWith(step, version);
    expect(report.updates?.failure?.reason, report.said).to.equal(reason);
    const [newest] = report.audit.filter(({ kind }) => kind === "update_failed");
    expect(newest?.details["reason"]).to.equal(reason);
    return report;
  }

  it("bring Debian's fixes, and nothing from a source that another has signed", () => {
    const { audit, updates } = failsBy("stranger", "source", "0.0.1");
    expect(audit.find(({ kind }) => kind === "updated")?.details["packages"]).to.equal("mended 2");
    expect(updates?.failure?.message).to.match(/NO_PUBKEY|not signed|Release file/);
  });

  it("leave the disk's last room to the sales", () => {
    failsBy("full", "space", "0.0.1");
  });

  it("bring a new version, once a backup was proved, and leave the root read-only", () => {
    const { updates, audit, beganMs, backupMs, state, said } = worksWith("updated", "0.0.2");
    expect(updates?.failure, said).to.equal(null);
    expect(updates?.succeededMs).to.be.at.least(beganMs);
    expect(audit[0]?.details).to.deep.equal({ from: "0.0.1", to: "0.0.2", packages: "flanco 0.0.2" });
    expect(backupMs).to.be.within(beganMs, updates?.ranMs ?? 0);
    expect(state).to.equal("installed");
  });

  it("go back from a version that does not work, and a fault says so", () => {
    const { updates, faults } = failsBy("broken", "version", "0.0.2");
    expect(updates?.failure?.version).to.equal("0.0.3");
    expect(faults).to.include("updates_failing");
  });

  it("are told of as interrupted after a power cut, and the gateway works as before", () => {
    failsBy("interrupted", "interrupted");
  });

  it("bring the next version the night after, also over one that did not work", () => {
    const { updates, state, said } = worksWith("mended", "0.0.4");
    expect(updates?.failure, said).to.equal(null);
    expect(state).to.equal("installed");
  });
});
