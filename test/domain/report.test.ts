import { expect } from "chai";
import { MAX_REPORTED_ROOMS, Report } from "../../src/domain/report.ts";
import { aStoredRecord } from "./record-entry.ts";

const SALE = aStoredRecord({ valorMicros: 2_000_000 });

describe("A report", () => {
  function reportOf(rooms: Iterable<string>): Report {
    const report = new Report();
    for (const room of rooms) report.add({ ...SALE, room });
    return report;
  }

  it("lists the rooms that sold last, and adds the others up", () => {
    const all = Array.from({ length: MAX_REPORTED_ROOMS + 500 }, (_, index) => `${index}`);
    const report = reportOf([...all, ...all]);
    expect(report.rooms().map(({ room }) => room)).to.deep.equal(all.slice(0, MAX_REPORTED_ROOMS));
    expect(report.rooms()[0]).to.include({ count: 2, totalMicros: 4_000_000n });
    expect(report.others()).to.deep.include({ count: 1_000, totalMicros: 2_000_000_000n });
    expect(report.totals()).to.include({
      count: 2 * all.length,
      totalMicros: BigInt(2 * all.length) * 2_000_000n,
    });
  });

  it("lists fewer rooms with long names, so that it stays below a megabyte", () => {
    const report = reportOf(Array.from({ length: 2_000 }, (_, index) => `${index}`.padEnd(200, "豪")));
    const text = JSON.stringify(report.rooms(), (_name, value: unknown) =>
      typeof value === "bigint" ? Number(value) : value,
    );
    expect(Buffer.byteLength(text)).to.be.below(1_000_000);
    expect(report.others()).not.to.equal(null);
  });

  it("has no others where all rooms are listed", () => {
    const report = reportOf(Array.from({ length: MAX_REPORTED_ROOMS }, (_, index) => `${index}`));
    expect(report.others()).to.equal(null);
  });
});
