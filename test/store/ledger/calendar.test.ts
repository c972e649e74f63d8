import { expect } from "chai";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/clock.ts";
import { addDays, monthOf, weekdayOf } from "../../../src/domain/day.ts";
import { daysUntil, LocalCalendar, momentsSoFar, monthsOfYear } from "../../../src/store/ledger/calendar.ts";
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

  it("answers the same from its cache", () => {
    const calendar = new LocalCalendar("America/St_Johns");
    const once = AWKWARD_MOMENTS.map((moment) => calendar.dayOf(moment));
    expect(AWKWARD_MOMENTS.map((moment) => calendar.dayOf(moment))).to.deep.equal(once);
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
    const hours = (zone: string, day: number, today: number, now: string) => {
      const [fromMs, untilMs] = momentsSoFar(new LocalCalendar(zone), day, today, Date.parse(now));
      return [new Date(fromMs).toISOString(), (untilMs - fromMs) / HOUR_MS];
    };

    for (const [what, zone, day, today, now, from, length] of [
      [
        "of any two days",
        "Europe/Madrid",
        20261121,
        20261122,
        "2026-11-22T14:30+01:00",
        "2026-11-20T23:00Z",
        14.5,
      ],
      [
        "on a day that gets an hour more",
        "Europe/Madrid",
        20261024,
        20261025,
        "2026-10-25T00:30+02:00",
        "2026-10-23T22:00Z",
        0.5,
      ],
      [
        "at the end of that day",
        "Europe/Madrid",
        20261024,
        20261025,
        "2026-10-25T23:30+01:00",
        "2026-10-23T22:00Z",
        23.5,
      ],
      [
        "on the day after it",
        "Europe/Madrid",
        20261025,
        20261026,
        "2026-10-26T23:30+01:00",
        "2026-10-24T22:00Z",
        24.5,
      ],
      [
        "a week after it, before the clocks changed",
        "Europe/Madrid",
        20261025,
        20261101,
        "2026-11-01T01:00+01:00",
        "2026-10-24T22:00Z",
        1,
      ],
      [
        "in an hour that came twice, west of Greenwich",
        "America/New_York",
        20261101,
        20261102,
        "2026-11-02T01:30-05:00",
        "2026-11-01T04:00Z",
        2.5,
      ],
      [
        "and east of it",
        "Europe/Madrid",
        20261025,
        20261026,
        "2026-10-26T02:30+01:00",
        "2026-10-24T22:00Z",
        3.5,
      ],
      [
        "on a day that lacks an hour",
        "Europe/Madrid",
        20270327,
        20270328,
        "2027-03-28T12:00+02:00",
        "2027-03-26T23:00Z",
        12,
      ],
      [
        "on the day after that",
        "Europe/Madrid",
        20270328,
        20270329,
        "2027-03-29T00:30+02:00",
        "2027-03-27T23:00Z",
        0.5,
      ],
      [
        "at noon of the day after that",
        "Europe/Madrid",
        20270328,
        20270329,
        "2027-03-29T12:00+02:00",
        "2027-03-27T23:00Z",
        11,
      ],
      [
        "a day later still",
        "Europe/Madrid",
        20270329,
        20270330,
        "2027-03-30T12:00+02:00",
        "2027-03-28T22:00Z",
        12,
      ],
      [
        "on a day without a midnight",
        "America/Santiago",
        20270904,
        20270905,
        "2027-09-05T01:30-03:00",
        "2027-09-04T04:00Z",
        1.5,
      ],
      [
        "on the day after one without a midnight",
        "America/Santiago",
        20270905,
        20270906,
        "2027-09-06T01:30-03:00",
        "2027-09-05T04:00Z",
        0.5,
      ],
      [
        "at quarters of an hour",
        "Asia/Kathmandu",
        20261231,
        20270101,
        "2027-01-01T00:10+05:45",
        "2026-12-30T18:15Z",
        1 / 6,
      ],
      [
        "before today has begun in this zone",
        "Atlantic/Canary",
        20261231,
        20270101,
        "2026-12-31T23:30Z",
        "2026-12-31T00:00Z",
        0,
      ],
      [
        "once today is over in this zone",
        "Pacific/Apia",
        20261230,
        20261231,
        "2026-12-31T23:30Z",
        "2026-12-29T11:00Z",
        24,
      ],
    ] as const) {
      it(what, () => {
        expect(hours(zone, day, today, now)).to.deep.equal([new Date(from).toISOString(), length]);
      });
    }
  });

  it("has a day for the first and the last moment that the contract takes", () => {
    for (const zone of ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      const calendar = new LocalCalendar(zone);
      expect(calendar.dayOf(LAST_TIME_MS)).to.be.within(2757600912, 2757600913);
      expect(calendar.dayOf(0)).to.be.within(19691231, 19700101);
    }
  });

  it("knows where the day of the last moment lies", () => {
    for (const zone of ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      const calendar = new LocalCalendar(zone);
      const day = calendar.dayOf(LAST_TIME_MS);
      const { fromMs, untilMs } = calendar.stretchOf(day, day);
      expect(fromMs).to.be.at.most(LAST_TIME_MS);
      expect(untilMs).to.be.above(LAST_TIME_MS);
    }
  });

  it("counts days across the ends of months and years", () => {
    expect(daysUntil(20260302, 7)).to.deep.equal([
      20260224, 20260225, 20260226, 20260227, 20260228, 20260301, 20260302,
    ]);
    expect(daysUntil(20240301, 2)).to.deep.equal([20240229, 20240301]);
    expect(daysUntil(20270101, 2)).to.deep.equal([20261231, 20270101]);
  });

  it("knows months and weekdays", () => {
    expect(monthsOfYear(20261121)[0]).to.equal(202601);
    expect(monthsOfYear(20261121).at(-1)).to.equal(202612);
    expect(monthOf(20261121)).to.equal(202611);
    expect(weekdayOf(20261121)).to.equal(6);
  });
});
