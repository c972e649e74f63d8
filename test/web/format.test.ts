import { expect } from "chai";
import { DAY_MS, HOUR_MS, MAX_TIME_MS } from "../../src/domain/clock.ts";
import { dayReader, daysBefore, monthAfter, monthOf, monthsUpTo } from "../../src/web/format/day.ts";
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
    expect(daysBefore("2026-03-30", 1)).to.equal("2026-03-29");
    expect(daysBefore("2024-03-01", 1)).to.equal("2024-02-29");
    expect(daysBefore("2026-01-01", 1)).to.equal("2025-12-31");
  });
});

describe("The page's format", () => {
  const format = createFormat("es-ES", "Europe/Madrid");

  it("writes amounts with two decimals and no currency while none is known, as the locale does", () => {
    expect(format.money(1234.5)).to.equal("1.234,50");
    expect(createFormat("en-US", "Europe/Madrid").money(1234.5)).to.equal("1,234.50");
  });

  it("writes amounts in the gateway's currency, exactly", () => {
    const euros = createFormat("es-ES", "Europe/Madrid", { code: "EUR", decimals: 2 });
    expect(plain(euros.money(1234.5))).to.equal("1.234,50 €");
    expect(plain(euros.money(0.333333))).to.equal("0,333333 €");
    expect(plain(createFormat("en-US", undefined, { code: "JPY", decimals: 0 }).money(1200))).to.equal(
      "¥1,200",
    );
  });

  it("writes amounts as they would be typed", () => {
    expect(format.typedMoney(1234.5)).to.equal("1234,50");
    expect(createFormat("en-GB", undefined).typedMoney(0.000001)).to.equal("0.000001");
    expect(createFormat("es", undefined, { code: "CLP", decimals: 0 }).typedMoney(4500)).to.equal("4500");
  });

  it("rounds amounts where there is little room", () => {
    const euros = createFormat("es-ES", "Europe/Madrid", { code: "EUR", decimals: 2 });
    expect(plain(euros.shortMoney(999.5))).to.equal("1.000 €");
    expect(plain(euros.shortMoney(12_400))).to.equal("12,4 mil €");
  });

  it("names calendar days without moving them to another zone", () => {
    const far = createFormat("es-ES", "Pacific/Auckland");
    expect(far.dayName("2026-11-21", "long")).to.equal("sábado, 21 de noviembre");
    expect(far.dayName("2026-11-01", "longMonth")).to.equal("noviembre de 2026");
    expect(far.dayName("2026-11-21", "numeric")).to.equal("21/11/2026");
  });

  it("writes shares and sizes", () => {
    expect(plain(format.percent(0.184))).to.equal("18 %");
    expect(plain(format.bytes(8_388_608))).to.equal("8,4 MB");
    expect(plain(format.bytes(0))).to.equal("0 B");
  });

  it("keeps a number and its unit on one line", () => {
    expect(format.bytes(9_000_000)).to.equal("9\u00a0MB");
    expect(format.duration(65 * 60_000)).to.equal("1\u00a0h 5\u00a0min");
  });

  it("writes times in the gateway's zone", () => {
    expect(format.time(SPRING_NIGHT_MS)).to.equal("00:30");
  });

  it("tells the two passes of an hour that the clocks repeat apart, and names no zone outside of them", () => {
    const secondMs = Date.UTC(2026, 9, 25, 1, 30);
    const firstMs = secondMs - HOUR_MS;
    expect(format.exactTime(firstMs)).to.equal("02:30:00 CEST");
    expect(format.exactTime(secondMs)).to.equal("02:30:00 CET");
    expect(format.moment(firstMs, secondMs)).to.equal("02:30 CEST");
    expect(format.moment(secondMs, secondMs + DAY_MS)).to.match(/^25 oct,? 02:30 CET$/);
    expect(format.time(firstMs - HOUR_MS)).to.equal("01:30");
    expect(format.time(secondMs + HOUR_MS)).to.equal("03:30");
    expect(format.time(Date.UTC(2026, 9, 25, 1, 59))).to.equal("02:59 CET");
    expect(format.time(Date.UTC(2026, 9, 25, 2))).to.equal("03:00");
    expect(format.time(MAX_TIME_MS - 1)).to.match(/^\d\d:59$/);
  });

  it("adds the day to a moment of another day, and the year to one of another year", () => {
    const nextMorning = SPRING_NIGHT_MS + 36 * HOUR_MS;
    expect(format.moment(SPRING_NIGHT_MS, SPRING_NIGHT_MS)).to.equal("00:30");
    expect(format.moment(SPRING_NIGHT_MS, nextMorning)).to.match(/^29 mar,? 00:30$/);
    const nextYear = SPRING_NIGHT_MS + 300 * DAY_MS;
    expect(format.moment(SPRING_NIGHT_MS, nextYear)).to.match(/^29 mar 2026,? 00:30$/);
  });

  it("knows the next day after one of 23 hours", () => {
    const nextDay = format.day(SPRING_NIGHT_MS + 23 * HOUR_MS);
    expect(daysBefore(nextDay, 1)).to.equal(format.day(SPRING_NIGHT_MS));
  });

  it("writes durations by their two largest units", () => {
    expect(plain(format.duration(12_400))).to.equal("12 s");
    expect(plain(format.duration(59 * 60_000 + 59_000))).to.equal("59 min");
    expect(plain(format.duration(65 * 60_000))).to.equal("1 h 5 min");
    expect(plain(format.duration(3 * HOUR_MS))).to.equal("3 h");
    expect(plain(format.duration(-5))).to.equal("0 s");
  });

  it("does without a time zone that the browser does not know", () => {
    expect(createFormat("es", "Mars/Olympus").iso(0)).to.equal("1970-01-01T00:00:00.000Z");
  });
});

describe("The month of a report", () => {
  it("goes on and back across years", () => {
    expect(monthAfter("2026-12", 1)).to.equal("2027-01");
    expect(monthAfter("2026-01", -1)).to.equal("2025-12");
    expect(monthAfter("2026-03", -27)).to.equal("2023-12");
    expect(monthOf("2026-11-21")).to.equal("2026-11");
  });

  it("is one of the last three years, or an older one that was asked for", () => {
    const months = monthsUpTo("2026-11", "2026-05");
    expect(months).to.have.length(36);
    expect([months[0], months[35]]).to.deep.equal(["2026-11", "2023-12"]);
    expect(monthsUpTo("2026-11", "2019-01").at(-1)).to.equal("2019-01");
  });

  it("reads the moments that it writes for a field, on the days when clocks change too", () => {
    const madrid = createFormat("es-ES", "Europe/Madrid");
    for (const iso of [
      "2026-03-29T01:59+01:00",
      "2026-03-29T03:00+02:00",
      "2026-10-25T03:00+01:00",
      "2026-11-21T18:40+01:00",
    ]) {
      expect(madrid.momentOf(madrid.typedMoment(Date.parse(iso))), iso).to.equal(Date.parse(iso));
    }
    expect(madrid.typedMoment(Date.parse("2026-11-21T18:40+01:00"))).to.equal("2026-11-21T18:40");
    expect(madrid.momentOf("")).to.equal(undefined);
  });
});
