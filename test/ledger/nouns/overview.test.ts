import { expect } from "chai";
import fc from "fast-check";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { MAX_CHOICES, type OverviewFilter, type OverviewPeriod } from "../../../src/domain/overview.ts";
import { LocalCalendar, momentsSoFar } from "../../../src/ledger/nouns/calendar.ts";
import { soldReader } from "../../../src/ledger/nouns/overview.ts";
import { forEachTest } from "../../rig/standing.ts";
import { nameOf, RawLedger, type Sale, USER, withRefunds } from "../raw-ledger.ts";
import { RULE_ZONES, ZoneDates } from "../zones.ts";

const ALL: OverviewFilter = { location: null, deviceId: null, within: null };
const ALL_OF_NOW = { at: null, filter: ALL };

/** The moments that an overview is asked for: ordinary ones, nights of changed clocks, and a leap day. */
const MOMENTS = [
  Date.UTC(2026, 10, 21, 12),
  Date.UTC(2026, 2, 29, 0, 59, 59, 999),
  Date.UTC(2026, 9, 25, 1, 30),
  Date.UTC(2027, 0, 1, 0, 30),
  Date.UTC(2024, 1, 29, 12),
  Date.UTC(2025, 1, 28, 12),
  Date.UTC(2011, 11, 31, 12),
];

describe("an overview", () => {
  const ledger = forEachTest(() => new RawLedger());

  /** Half of them are rolled up. */
  function store(sales: readonly Sale[], calendar: LocalCalendar): void {
    ledger.store(sales, calendar);
    ledger.rollUp(Math.ceil(sales.length / 2));
  }

  const reader = (calendar: LocalCalendar) => soldReader(ledger.db, calendar, ledger.budget);

  const sale = (nowMs: number) =>
    fc.record({
      location: fc.constantFrom("A", "B", "Ñ"),
      device: fc.constantFrom("1", "2", "10"),
      valorMicros: fc.integer({ min: -1e13, max: 1e13 }),
      timeMs: fc.oneof(
        fc.integer({ min: nowMs - 15 * DAY_MS, max: nowMs + 2 * DAY_MS }),
        fc.integer({ min: nowMs - 800 * DAY_MS, max: nowMs + 400 * DAY_MS }),
        fc.integer({ min: nowMs - 370 * DAY_MS, max: nowMs - 360 * DAY_MS }),
      ),
      voided: fc.boolean(),
    });
  const anyCase = fc.constantFrom(...MOMENTS).chain((nowMs) =>
    fc.record({
      nowMs: fc.constant(nowMs),
      sales: fc.array(sale(nowMs), { maxLength: 40 }).map(withRefunds),
      zone: fc.constantFrom(...RULE_ZONES),
      filter: fc.record({
        location: fc.constantFrom(null, null, "A", "nowhere"),
        deviceId: fc.constantFrom(null, null, "2"),
        within: fc.constantFrom(null, null, ["A"], ["A", "C"], []),
      }),
    }),
  );

  for (const period of ["day", "week", "month", "year"] as const) {
    it(`of a ${period} is what adding up gives for any records, filters and zones`, () => {
      fc.assert(
        fc.property(anyCase, ({ nowMs, sales, zone, filter }) => {
          const calendar = new LocalCalendar(zone);
          store(sales, calendar);
          const seen = sales.filter(
            ({ location }) => filter.within?.some((name) => name === location) ?? true,
          );
          const { spans, ...overview } = reader(calendar).overview(USER, { period, at: null, filter }, nowMs);
          expect(spans.map(({ name }) => name)).to.deep.equal(["day", "week", "month", "year"]);
          expect(overview).to.deep.equal(addUp(seen, period, filter, nowMs, new ZoneDates(zone), calendar));
        }),
        { numRuns: 80 },
      );
    });
  }

  it("compares a month that runs with the same days of the one before up to its last moment, then with all of that", () => {
    const calendar = new LocalCalendar("Europe/Madrid");
    store([], calendar);
    const compared = (now: string, at: number | null) => {
      const nowMs = Date.parse(now);
      const { before, spans } = reader(calendar).overview(USER, { period: "month", at, filter: ALL }, nowMs);
      return [before.to, spans.find(({ name }) => name === "month")?.before.to];
    };
    expect(compared("2026-11-30T23:59:59.999+01:00", null)).to.deep.equal([20261030, 20261030]);
    expect(compared("2026-12-01T00:00:00+01:00", 20261130)).to.deep.equal([20261031, 20261101]);
    expect(compared("2026-02-28T23:59:59.999+01:00", null)).to.deep.equal([20260128, 20260128]);
    expect(compared("2026-03-01T00:00:00+01:00", 20260228)).to.deep.equal([20260131, 20260201]);
    expect(compared("2026-03-31T12:00:00+02:00", null)).to.deep.equal([20260228, 20260228]);
    expect(compared("2028-02-29T23:59:59.999+01:00", null)).to.deep.equal([20280129, 20280129]);
    expect(compared("2028-03-01T00:00:00+01:00", 20280229)).to.deep.equal([20280131, 20280201]);
  });

  it(`offers no more than ${MAX_CHOICES} devices, those that sold most`, () => {
    const calendar = new LocalCalendar("UTC");
    const nowMs = Date.UTC(2026, 10, 21, 12);
    const one = { valorMicros: 1, timeMs: nowMs, voided: false };
    const seldom = Array.from({ length: 400 }, (_, index) => ({
      ...one,
      location: "A",
      device: String(1_000 + index),
    }));
    const often = Array.from({ length: 600 }, (_, index) => ({
      ...one,
      location: "B",
      device: String(index % 299),
    }));
    store([...seldom, ...often], calendar);
    for (const period of ["week", "year"] as const) {
      const { choices, count } = reader(calendar).overview(USER, { period, ...ALL_OF_NOW }, nowMs);
      expect(count).to.equal(1_000);
      expect(choices.locations).to.deep.equal(["A", "B"]);
      expect(choices.devices).to.have.lengthOf(MAX_CHOICES);
      expect(choices.devices.filter(({ locationName }) => locationName === "B")).to.have.lengthOf(299);
      expect(choices.devices.at(-1)).to.deep.equal({ deviceId: "298", locationName: "B" });
    }
  });
});

/** Adds up by the definition, record by record. */
function addUp(
  sales: readonly Sale[],
  period: OverviewPeriod,
  filter: OverviewFilter,
  nowMs: number,
  dates: ZoneDates,
  calendar: LocalCalendar,
) {
  const today = dates.dayOf(nowMs);
  const dayOf = ({ timeMs }: Sale) => dates.dayOf(timeMs);
  const counted = sales.filter(({ voided }) => !voided);
  const bounds = BOUNDS[period](today);
  const isAtBar = (start: number, one: Sale) =>
    period === "year" ? Math.floor(dayOf(one) / 100) === Math.floor(start / 100) : dayOf(one) === start;
  const isIn = (one: Sale) => bounds.bars.some((start) => isAtBar(start, one));
  const isOnDaysBefore = (one: Sale) => dayOf(one) >= bounds.before.from && dayOf(one) <= bounds.before.to;
  const [, untilMs] = momentsSoFar(calendar, bounds.before.to, today, nowMs);
  const isBefore = (one: Sale) =>
    isOnDaysBefore(one) && (dayOf(one) < bounds.before.to || one.timeMs < untilMs);
  const fits = (one: Sale) =>
    (filter.location === null || one.location === filter.location) &&
    (filter.deviceId === null || one.device === filter.deviceId);
  const own = counted.filter(fits);
  const pairs = new Map(
    counted
      .filter((one) => isIn(one) || isOnDaysBefore(one))
      .map(({ location, device }) => [`${location} ${device}`, { deviceId: device, locationName: location }]),
  );
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  const devices = [...pairs.values()].sort(
    (a, b) => compare(a.locationName, b.locationName) || compare(a.deviceId, b.deviceId),
  );
  const asked = counted.filter(({ device }) => device === filter.deviceId).map(({ device }) => device);
  const named = new Set([...asked, ...devices.map(({ deviceId }) => deviceId)]);
  const goneDevice = (deviceId: string) => {
    const lastDay = Math.max(...counted.filter(({ device }) => device === deviceId).map(dayOf));
    const newest = sales
      .filter((one) => one.device === deviceId && dayOf(one) === lastDay)
      .reduce((best, one) => (one.timeMs >= best.timeMs ? one : best));
    return { deviceId, name: nameOf(newest) };
  };
  return {
    from: bounds.from,
    to: today,
    ...soldOf(own.filter(isIn)),
    before: { ...bounds.before, ...soldOf(own.filter(isBefore)) },
    chart: bounds.bars.map((start, index) => ({
      start,
      ...soldOf(own.filter((one) => isAtBar(start, one))),
      before: soldOf(own.filter((one) => isBefore(one) && isAtBar(bounds.barsBefore[index] ?? 0, one))),
    })),
    otherLocations: null,
    locations: [...new Set(own.filter(isIn).map(({ location }) => location))]
      .map((name) => {
        const there = own.filter(({ location }) => location === name);
        return { name, ...soldOf(there.filter(isIn)), before: soldOf(there.filter(isBefore)) };
      })
      .sort((a, b) => Number(b.totalMicros - a.totalMicros) || (a.name < b.name ? -1 : 1)),
    choices: {
      locations: [...new Set([...pairs.values()].map(({ locationName }) => locationName))].sort(compare),
      devices,
      gone: [...named].map(goneDevice),
    },
  };
}

function soldOf(sales: readonly Sale[]) {
  return {
    totalMicros: sales.reduce((sum, { valorMicros }) => sum + BigInt(valorMicros), 0n),
    count: sales.filter(({ refund }) => refund !== true).length,
  };
}

/** A day that is so many days from another, by UTC's calendar. */
function shifted(day: number, days: number): number {
  const date = new Date(
    Date.UTC(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, (day % 100) + days),
  );
  return Number(date.toISOString().slice(0, 10).replaceAll("-", ""));
}

const BOUNDS = { day: dayBounds, week: weekBounds, month: monthBounds, year: yearBounds };

function dayBounds(today: number) {
  const yesterday = shifted(today, -1);
  return { from: today, bars: [today], barsBefore: [yesterday], before: { from: yesterday, to: yesterday } };
}

function weekBounds(today: number) {
  const bars = [-6, -5, -4, -3, -2, -1, 0].map((days) => shifted(today, days));
  const barsBefore = bars.map((day) => shifted(day, -7));
  const before = { from: shifted(today, -13), to: shifted(today, -7) };
  return { from: shifted(today, -6), bars, barsBefore, before };
}

function monthBounds(today: number) {
  const first = Math.floor(today / 100) * 100 + 1;
  const firstBefore = Math.floor(shifted(first, -1) / 100) * 100 + 1;
  const daysOf = (from: number, days: number) => Array.from({ length: days }, (_, index) => from + index);
  const length = shifted(first, 31) % 100 === 1 ? 31 : 31 - ((shifted(first, 31) % 100) - 1);
  const bars = daysOf(first, length);
  const to = Math.min(firstBefore + today - first, shifted(first, -1));
  const barsBefore = daysOf(firstBefore, length);
  return { from: first, bars, barsBefore, before: { from: firstBefore, to } };
}

function yearBounds(today: number) {
  const year = Math.floor(today / 10_000);
  const bars = Array.from({ length: 12 }, (_, month) => year * 10_000 + (month + 1) * 100 + 1);
  const sameDay = today % 10_000 === 229 ? 228 : today % 10_000;
  return {
    from: year * 10_000 + 101,
    bars,
    barsBefore: bars.map((day) => day - 10_000),
    before: { from: (year - 1) * 10_000 + 101, to: (year - 1) * 10_000 + sameDay },
  };
}
