import { expect } from "chai";
import { gatewayReport } from "../../src/contract/clinic.ts";
import { makeFault, toldFault } from "../../src/domain/fault.ts";
import { reportOf } from "../../src/notify/gateway-report.ts";
import { Appliance } from "../rig/appliance.ts";
import { forSuite } from "../rig/standing.ts";

describe("What a gateway tells its company", () => {
  const appliance = forSuite(() => Appliance.open());

  it("has each fault once by its code, as PostgreSQL takes it and the company's page reads it", async () => {
    const status = await appliance.status.status();
    const failed = ["GPIO17", "GPIO18"].map((line) =>
      toldFault(
        makeFault("line_failed", 12.5, { line, message: `no\u0000 ${"\ud800"}line${"x".repeat(999)}` }),
        "UTC",
      ),
    );
    const disk = { freeBytes: 1, totalBytes: 2, ledgerBytes: 3, logBytes: 4, card: null };
    const report = reportOf({ ...status, disk, faults: failed }, 1_800_000_000_000);
    expect(gatewayReport.parse(JSON.parse(JSON.stringify(report)))).to.deep.equal(report);
    for (const hostile of [{ version: "\u001b[2J" }, { backupMs: 9e15 }, { faults: [{ code: "<b>" }] }]) {
      expect(
        gatewayReport.safeParse({ ...report, ...hostile }).success,
        Object.keys(hostile).join(),
      ).to.equal(false);
    }
    const [first] = report.faults;
    const reversed = { ...report, faults: [{ ...first, details: { line: "\u202e71OIPG" } }] };
    expect(gatewayReport.parse(reversed).faults[0]?.details).to.deep.equal({ line: "71OIPG" });
    const details = { line: "GPIO17", message: `no line${"x".repeat(193)}` };
    expect(report).to.deep.equal({
      version: status.version,
      clockTrusted: true,
      certificateEndsMs: 1_800_000_000_000,
      disk: { freeBytes: 1, totalBytes: 2, lifeUsedPercent: null },
      backupMs: null,
      remoteBackupMs: null,
      faults: [{ code: "line_failed", count: 2, sinceMs: 13, details }],
    });
  });
});
