import { expect } from "chai";
import fc from "fast-check";
import {
  addDays,
  dateFromDay,
  formatDay,
  lastDayOf,
  monthOf,
  parseDay,
  parseMoment,
  parseMonth,
  yearBefore,
} from "../../src/domain/day.ts";

describe("a day", () => {
  it("is parsed from its text and formatted as the same text", () => {
    const date = fc.date({
      min: new Date("0001-01-01"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (moment) => {
        const text = moment.toISOString().slice(0, 10);
        const day = parseDay(text) ?? 0;
        expect(formatDay(day)).to.equal(text);
        expect(dateFromDay(day)).to.deep.equal(new Date(text));
      }),
    );
  });

  it("is not a text of another form, nor a day that its month lacks", () => {
    for (const text of ["2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31"])
      expect(parseDay(text), text).to.equal(undefined);
    for (const text of ["2026-1-01", "20260101", "", " 2026-01-01"])
      expect(parseDay(text), text).to.equal(undefined);
  });

  it("with a time is a moment, unless its month lacks it", () => {
    expect(parseMoment("2026-02-28T09:00:00.5Z")).to.equal(Date.UTC(2026, 1, 28, 9, 0, 0, 500));
    expect(parseMoment("2026-02-28T09:00:00+01:00")).to.equal(Date.UTC(2026, 1, 28, 8));
    for (const text of ["2026-02-30T09:00Z", "2026-02-28T25:00Z", "2026-02-28 then", "28/02/2026", "7", ""])
      expect(parseMoment(text), text).to.equal(undefined);
  });

  it("is not one of a year whose year before has no text", () => {
    expect([parseDay("0000-12-31"), parseMonth("0000-12")]).to.deep.equal([undefined, undefined]);
    expect(formatDay(yearBefore(parseDay("0001-01-01") ?? 0))).to.equal("0000-01-01");
  });

  it("has the same day in the year before, except for the 29th of February", () => {
    expect(yearBefore(20260311)).to.equal(20250311);
    expect(yearBefore(20240229)).to.equal(20230228);
    expect(yearBefore(20250228)).to.equal(20240228);
    expect(yearBefore(20260131)).to.equal(20250131);
  });

  it("is the last of its month when the next day is the first of another", () => {
    for (let day = 20230101; day < 20270101; day = addDays(day, 1)) {
      const isLast = monthOf(addDays(day, 1)) !== monthOf(day);
      expect(lastDayOf(monthOf(day)) === day).to.equal(isLast);
    }
  });

  it("has a month of twelve", () => {
    expect(parseMonth("2026-12")).to.equal(202612);
    for (const text of ["2026-00", "2026-13", "2026-1", "2026-01-01", ""]) {
      expect(parseMonth(text)).to.equal(undefined);
    }
  });
});
