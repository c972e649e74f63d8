import { expect } from "chai";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/clock.ts";
import { addDays } from "../../../src/domain/day.ts";
import { daysUntil, LocalCalendar, momentsSoFar } from "../../../src/ledger/nouns/calendar.ts";
import { ALL_ZONES, AWKWARD_MOMENTS, RULE_ZONES, ZoneDates } from "../zones.ts";

const LAST_TIME_MS = 8.64e15;

describe("the local calendar", () => {
  it("gives the day that Intl gives, in every zone, at every awkward moment", () => {
    for (const zone of ALL_ZONES) {
      const calendar = new LocalCalendar(zone);
      const reference = new ZoneDates(zone);
      for (const moment of AWKWARD_MOMENTS) {
        expect(calendar.dayOf(moment), `${zone} ${moment}`).to.equal(reference.dayOf(moment));
      }
    }
  });

  it("gives the day that Intl gives at any moment of a hundred years", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ALL_ZONES),
        fc.integer({ min: 0, max: Date.UTC(2070, 0, 1) }),
        (zone, moment) => {
          expect(new LocalCalendar(zone).dayOf(moment)).to.equal(new ZoneDates(zone).dayOf(moment));
        },
      ),
    );
  });

  it("has each day begin where the date changes, also next to a night of changed clocks", () => {
    for (const zone of RULE_ZONES) {
      const calendar = new LocalCalendar(zone);
      const reference = new ZoneDates(zone);
      for (let day = 20260901; day < 20270410; day = addDays(day, 1)) {
        const { fromMs, insideFromMs } = calendar.stretchOf(day, day);
        expect(insideFromMs, `${zone} ${day}`).to.equal(fromMs);
        expect(reference.dayOf(fromMs), `${zone} ${day}`).to.equal(day);
        expect(reference.dayOf(fromMs - 1), `${zone} ${day}`).to.equal(addDays(day, -1));
      }
    }
  });

  it("has every moment of a day in its stretch, and no other inside, where midnights are skipped or come twice", () => {
    for (const zone of RULE_ZONES) {
      const calendar = new LocalCalendar(zone);
      const reference = new ZoneDates(zone);
      for (const day of new Set(AWKWARD_MOMENTS.map((moment) => calendar.dayOf(moment)))) {
        const { fromMs, insideFromMs, insideUntilMs, untilMs } = calendar.stretchOf(day, day);
        const first = Math.max(0, fromMs - DAY_MS);
        for (let timeMs = first; timeMs < untilMs + DAY_MS; timeMs += 15 * MINUTE_MS) {
          const isOfDay = reference.dayOf(timeMs) === day;
          const message = `${zone} ${day} ${timeMs}`;
          if (isOfDay) expect(timeMs, message).to.be.within(fromMs, untilMs - 1);
          else expect(timeMs >= insideFromMs && timeMs < insideUntilMs, message).to.equal(false);
        }
      }
    }
  });

  describe("says what was so far of a day at this time of another one", () => {
    for (const [what, zone, day, now, hours] of [
      ["of any two days", "Europe/Madrid", 20261121, "2026-11-22T14:30+01:00", 14.5],
      ["on a day that gets an hour more", "Europe/Madrid", 20261024, "2026-10-25T00:30+02:00", 0.5],
      ["at the end of that day", "Europe/Madrid", 20261024, "2026-10-25T23:30+01:00", 23.5],
      ["on the day after it", "Europe/Madrid", 20261025, "2026-10-26T23:30+01:00", 24.5],
      ["a week after it, before that hour", "Europe/Madrid", 20261025, "2026-11-01T01:00+01:00", 1],
      ["in an hour that came twice", "America/New_York", 20261101, "2026-11-02T01:30-05:00", 2.5],
      ["and east of Greenwich", "Europe/Madrid", 20261025, "2026-10-26T02:30+01:00", 3.5],
      ["on a day that lacks an hour", "Europe/Madrid", 20270327, "2027-03-28T12:00+02:00", 12],
      ["on the day after that", "Europe/Madrid", 20270328, "2027-03-29T00:30+02:00", 0.5],
      ["at noon of the day after that", "Europe/Madrid", 20270328, "2027-03-29T12:00+02:00", 11],
      ["a day later still", "Europe/Madrid", 20270329, "2027-03-30T12:00+02:00", 12],
      ["on a day without a midnight", "America/Santiago", 20270904, "2027-09-05T01:30-03:00", 1.5],
      ["on the day after one", "America/Santiago", 20270905, "2027-09-06T01:30-03:00", 0.5],
      ["at quarters of an hour", "Asia/Kathmandu", 20261231, "2027-01-01T00:10+05:45", 1 / 6],
      ["before today has begun there", "Atlantic/Canary", 20261231, "2027-01-01T00:30+01:00", 0],
      ["once today is over there", "Pacific/Apia", 20261230, "2026-12-31T23:30Z", 24],
    ] as const) {
      it(what, () => {
        const today = Number(now.slice(0, "2026-11-22".length).replaceAll("-", ""));
        const calendar = new LocalCalendar(zone);
        const [fromMs, untilMs] = momentsSoFar(calendar, day, today, Date.parse(now));
        expect([fromMs, (untilMs - fromMs) / HOUR_MS]).to.deep.equal([
          calendar.stretchOf(day, day).fromMs,
          hours,
        ]);
      });
    }
  });

  it("has a day for the first and the last moment that the contract takes, and knows where that lies", () => {
    for (const zone of ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      const calendar = new LocalCalendar(zone);
      const last = calendar.dayOf(LAST_TIME_MS);
      expect(last).to.be.within(2757600912, 2757600913);
      expect(calendar.dayOf(0)).to.be.within(19691231, 19700101);
      const { fromMs, untilMs } = calendar.stretchOf(last, last);
      expect(LAST_TIME_MS).to.be.within(fromMs, untilMs - 1);
    }
  });

  it("counts days across the ends of months and years", () => {
    expect(daysUntil(20260302, 7)).to.deep.equal([
      20260224, 20260225, 20260226, 20260227, 20260228, 20260301, 20260302,
    ]);
    expect(daysUntil(20240301, 2)).to.deep.equal([20240229, 20240301]);
    expect(daysUntil(20270101, 2)).to.deep.equal([20261231, 20270101]);
  });
});
