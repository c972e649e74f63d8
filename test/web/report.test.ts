import { expect } from "chai";
import type { GapReason } from "../../src/domain/gap.ts";
import { incidentsOf, lackingOf, missingOf } from "../../src/web/report/incidents.ts";

const SECOND_MS = 1_000;

function gap(
  line: string,
  fromS: number,
  toS: number,
  missedRises: number | null = null,
  reason: GapReason = missedRises === null ? "outage" : "overflow",
) {
  return {
    number: fromS,
    line,
    fromTime: fromS * SECOND_MS,
    toTime: toS * SECOND_MS,
    missed: missedRises,
    missedRises,
    added: 0,
    reason,
  };
}

describe("The incidents of a report", () => {
  it("are one for all the lines of a restart, from the first that was left to the last that was taken up", () => {
    const restart = [
      gap("SIM2", 101, 141),
      gap("SIM0", 100, 140),
      gap("SIM1", 100, 142),
      gap("SIM0", 150, 160),
    ];
    expect(incidentsOf(restart)).to.deep.equal([
      {
        fromTime: 100_000,
        toTime: 160_000,
        lines: ["SIM0", "SIM1", "SIM2"],
        missedRises: null,
        isOutage: true,
        gaps: [...restart].sort((one, other) => one.fromTime - other.fromTime),
      },
    ]);
  });

  it("are told apart by time, oldest first, and by whether it is known what was lost", () => {
    const incidents = incidentsOf([
      gap("A", 1_000, 1_001),
      gap("B", 10, 11, 2),
      gap("A", 12, 13, 1),
      gap("A", 10, 12),
    ]);
    const brief = incidents.map(({ fromTime, lines, missedRises }) => [fromTime, lines.join(), missedRises]);
    expect(brief).to.deep.equal([
      [10_000, "B,A", 3],
      [10_000, "A", null],
      [1_000_000, "A", null],
    ]);
    expect(incidentsOf([])).to.deep.equal([]);
  });

  it("do not call a line unwatched whose signals were lost, when their number is not known", () => {
    const incidents = incidentsOf([
      gap("A", 10, 11),
      gap("B", 11, 12, null, "overflow"),
      gap("A", 12, 13, null, "swallowed"),
    ]);
    expect(incidents.map(({ lines, isOutage }) => [lines.join(), isOutage])).to.deep.equal([
      ["A", true],
      ["B,A", false],
    ]);
  });
});

describe("The gaps that a sale by hand is added to", () => {
  const lost = (fromS: number, missedRises: number | null, added: number) => ({
    ...gap("SIM0", fromS, fromS + 1, missedRises),
    added,
  });

  it("are those that still lack one: what one has too many makes up for no other", () => {
    const [full, open] = [lost(1, 1, 2), lost(2, 1, 0)];
    expect([full, open].map(missingOf)).to.deep.equal([0, 1]);
    expect(lackingOf([full, open])).to.deep.equal([open]);
  });

  it("are all of them where nothing is known to be missing", () => {
    const unknown = [lost(1, null, 0), lost(2, 1, 1)];
    expect(lackingOf(unknown)).to.deep.equal(unknown);
  });
});
