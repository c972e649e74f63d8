import { expect } from "chai";
import { dayBefore, dayReader } from "../../src/web/format/day.ts";
import { createFormat } from "../../src/web/format/format.ts";

/** 2026-03-29 00:30 in Madrid, an hour and a half before the clocks go forward. */
const SPRING_NIGHT_MS = Date.UTC(2026, 2, 28, 23, 30);

function plain(text: string): string {
  return text.replace(/\s/g, " ");
}

describe("A calendar day", () => {
  it("is that of the time zone", () => {
    expect(dayReader("Europe/Madrid")(SPRING_NIGHT_MS)).to.equal("2026-03-29");
    expect(dayReader("America/Bogota")(SPRING_NIGHT_MS)).to.equal("2026-03-28");
  });

  it("comes after the day before, across months, years and days without an hour", () => {
    expect(dayBefore("2026-03-30")).to.equal("2026-03-29");
    expect(dayBefore("2024-03-01")).to.equal("2024-02-29");
    expect(dayBefore("2026-01-01")).to.equal("2025-12-31");
  });
});

describe("The page's format", () => {
  const format = createFormat("es-ES", "Europe/Madrid");

  it("writes amounts with two decimals and no currency, as the locale does", () => {
    expect(format.money(1234.5)).to.equal("1.234,50");
    expect(createFormat("en-US", "Europe/Madrid").money(1234.5)).to.equal("1,234.50");
    expect(format.shortMoney(999.5)).to.equal("999,50");
    expect(plain(format.shortMoney(1240))).to.equal("1,2 mil");
  });

  it("writes times in the gateway's zone", () => {
    expect(format.time(SPRING_NIGHT_MS)).to.equal("00:30");
  });

  it("adds the day to a moment of another day", () => {
    const nextMorning = SPRING_NIGHT_MS + 36 * 3_600_000;
    expect(format.moment(SPRING_NIGHT_MS, SPRING_NIGHT_MS)).to.equal("00:30");
    expect(format.moment(SPRING_NIGHT_MS, nextMorning)).to.match(/^29 mar,? 00:30$/);
  });

  it("knows today and yesterday on a day of 23 hours", () => {
    const nextDay = SPRING_NIGHT_MS + 23 * 3_600_000;
    expect(format.daysAgo(SPRING_NIGHT_MS, SPRING_NIGHT_MS)).to.equal(0);
    expect(format.daysAgo(SPRING_NIGHT_MS, nextDay)).to.equal(1);
    expect(format.daysAgo(SPRING_NIGHT_MS, nextDay + 24 * 3_600_000)).to.equal(undefined);
  });

  it("writes durations by their two largest units", () => {
    expect(plain(format.duration(12_400))).to.equal("12 s");
    expect(plain(format.duration(59 * 60_000 + 59_000))).to.equal("59 min");
    expect(plain(format.duration(65 * 60_000))).to.equal("1 h 5 min");
    expect(plain(format.duration(3 * 3_600_000))).to.equal("3 h");
    expect(plain(format.duration(-5))).to.equal("0 s");
  });

  it("does without a time zone that the browser does not know", () => {
    expect(createFormat("es", "Mars/Olympus").iso(0)).to.equal("1970-01-01T00:00:00.000Z");
  });
});
