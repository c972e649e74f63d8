import { expect } from "chai";
import { type Clinic, isTroubled, watch } from "../../src/company/clinic.ts";
import type { GatewayReport } from "../../src/contract/clinic.ts";
import { DAY_MS, HOUR_MS } from "../../src/domain/clock.ts";

const NOW_MS = 1_795_000_000_000;
const REPORT: GatewayReport = {
  version: "0.9.0",
  clockTrusted: true,
  certificateEndsMs: null,
  disk: null,
  backupMs: null,
  remoteBackupMs: null,
  faults: [],
};
const GOOD: Clinic = {
  name: "malaga",
  timeZone: "Europe/Madrid",
  role: "flanco_malaga",
  seenMs: NOW_MS,
  position: 10,
  newest: 10,
  forkedAt: null,
  withheld: 0,
  untold: 0,
  clockOffMs: 0,
  currency: "EUR",
  ownZone: null,
  ownCurrency: null,
  report: REPORT,
  versionMs: NOW_MS - 30 * DAY_MS,
};

function withFaults(...codes: readonly string[]): Pick<Clinic, "report"> {
  const faults = codes.map((code) => ({ code, count: 1, sinceMs: NOW_MS, details: {} }));
  return { report: { ...REPORT, faults } };
}

describe("How a clinic's gateway fares", () => {
  const cases: Readonly<
    Record<string, readonly [change: Partial<Clinic>, states: string, troubled: boolean]>
  > = {
    "called just now": [{}, "good", false],
    "has sent all but three entries": [{ newest: 13 }, "behind", false],
    "called an hour ago": [{ seenMs: NOW_MS - HOUR_MS }, "good", false],
    "called longer ago": [{ seenMs: NOW_MS - HOUR_MS - 1 }, "silent", true],
    "never called, and tells nothing": [{ seenMs: null, report: null, versionMs: null }, "silent", true],
    "is full": [withFaults("disk_low"), "full", true],
    "has a note alone": [withFaults("disk_slow"), "good", false],
    "has a fault": [withFaults("backup_old"), "faulty", true],
    "has a fault of a newer version": [withFaults("roof_leaks"), "faulty", true],
    "has faults that the company sees itself": [withFaults("clock_off", "company_differs"), "good", false],
    "is forked, silent and full": [
      { forkedAt: 7, seenMs: null, ...withFaults("disk_full") },
      "forked, silent, full",
      true,
    ],
  };
  for (const [what, [change, states, troubled]] of Object.entries(cases)) {
    it(`that ${what}: ${states}`, () => {
      const [clinic] = watch([{ ...GOOD, ...change }], NOW_MS);
      expect(clinic?.states.join(", ")).to.equal(states);
      expect(isTroubled(clinic?.states ?? [])).to.equal(troubled);
    });
  }

  it("is old once another has had a newer version for two weeks", () => {
    const newer = { ...GOOD, name: "lugo", report: { ...REPORT, version: "0.10.0" } };
    const older = [GOOD, { ...GOOD, name: "soria", report: null, versionMs: null }];
    const newest = { ...GOOD, name: "vigo", report: { ...REPORT, version: "99.0.0" }, versionMs: NOW_MS };
    const oldAfter = (days: number) =>
      watch([...older, { ...newer, versionMs: NOW_MS - days * DAY_MS }, newest], NOW_MS).map(({ states }) =>
        states.join(),
      );
    expect(oldAfter(14)).to.deep.equal(["good", "old", "good", "good"]);
    expect(oldAfter(15), "whatever the newest is").to.deep.equal(["old", "old", "good", "good"]);
    expect(watch(older.slice(1), NOW_MS).map(({ states }) => states.join())).to.deep.equal(["good"]);
  });
});
