import { expect } from "chai";
import fc from "fast-check";
import { scaleOf } from "../../src/web/chart/scale.ts";
import { createFormat } from "../../src/web/format/format.ts";
import { panelTexts } from "../../src/web/messages/panel.ts";
import {
  comparisonOf,
  comparisonText,
  entryIndexOf,
  lastDayOf,
  neighbourOf,
} from "../../src/web/panel/period.ts";

function entries(...starts: readonly string[]) {
  return starts.map((start) => ({ start, revenue: 0, sales: 0, before: 0 }));
}

describe("The chart's scale", () => {
  it("goes from nothing to above the highest bar in round steps", () => {
    expect(scaleOf([48, 61.5, 0, 72]).ticks).to.deep.equal([0, 20, 40, 60, 80]);
    expect(scaleOf([0.3]).ticks.at(-1)).to.be.closeTo(0.3, 1e-9);
    expect(scaleOf([72]).place(40)).to.equal(0.5);
  });

  it("stands without sales", () => {
    expect(scaleOf([0, 0]).ticks).to.deep.equal([0, 1]);
    expect(scaleOf([]).place(0)).to.equal(0);
    expect(scaleOf([-1.5e-323]).place(0)).to.equal(1);
  });

  it("goes below nothing when more was given back than sold", () => {
    expect(scaleOf([-30, 50]).ticks).to.deep.equal([-40, -20, 0, 20, 40, 60]);
  });

  it("holds every value between its foot and its top, with few lines, whatever the values", () => {
    const value = fc.double({ min: -1e9, max: 1e9, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 12 }), (values) => {
        const { ticks, place } = scaleOf(values);
        for (const each of values) {
          expect(place(each)).to.be.within(-1e-9, 1 + 1e-9);
        }
        expect(ticks.length).to.be.within(2, 8);
        expect(ticks.some((tick) => Math.abs(tick) < 1e-9)).to.equal(true);
      }),
    );
  });
});

describe("The chart's days", () => {
  it("find the bar that holds today", () => {
    const year = entries("2026-01-01", "2026-02-01", "2026-03-01");
    expect(entryIndexOf(year, "2026-02-28")).to.equal(1);
    expect(entryIndexOf(year, "2026-03-01")).to.equal(2);
    expect(entryIndexOf(year, "2026-12-31")).to.equal(2);
  });

  it("lead to the period before and after", () => {
    const week = { period: "week", from: "2026-02-23", to: "2026-03-01" } as const;
    expect([neighbourOf(week, -1), neighbourOf(week, 1)]).to.deep.equal(["2026-02-22", "2026-03-08"]);
    const month = { period: "month", from: "2026-12-01", to: "2026-12-05" } as const;
    expect([neighbourOf(month, -1), neighbourOf(month, 1)]).to.deep.equal(["2026-11-30", "2027-01-01"]);
    const year = { period: "year", from: "2025-01-01", to: "2025-12-31" } as const;
    expect([neighbourOf(year, -1), neighbourOf(year, 1)]).to.deep.equal(["2024-12-31", "2026-01-01"]);
  });

  it("end a month on its last day", () => {
    expect(lastDayOf("2026-02-01")).to.equal("2026-02-28");
    expect(lastDayOf("2024-02-01")).to.equal("2024-02-29");
    expect(lastDayOf("2026-12-01")).to.equal("2026-12-31");
  });
});

const format = createFormat("es-ES", "Europe/Madrid");
const { compare } = panelTexts.es;

describe("The comparison with the period before", () => {
  for (const [current, before, text] of [
    [118, 100, "18 % más"],
    [50, 100, "50 % menos"],
    [0, 100, "100 % menos"],
    [500, 100, "×5"],
    [1_000, 1_001, "Igual"],
    [5, 0, ""],
    [0, 0, ""],
    [5, -3, ""],
  ] as const) {
    it(`says of ${current} after ${before}: ${text}`, () => {
      const said = comparisonText(comparisonOf(current, before), compare, format);
      expect(said.replace(/\s/g, " ")).to.equal(text);
    });
  }
});
