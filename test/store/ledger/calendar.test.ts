import { expect } from "chai";
import fc from "fast-check";
import { monthOf, weekdayOf } from "../../../src/domain/day.ts";
import { daysUntil, LocalCalendar, monthsOfYear } from "../../../src/store/ledger/calendar.ts";
import { ALL_ZONES, AWKWARD_MOMENTS, ZoneDates } from "../zones.ts";

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
