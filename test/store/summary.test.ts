import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { expect } from "chai";
import fc from "fast-check";
import { monthOf } from "../../src/domain/day.ts";
import type { Period } from "../../src/domain/summary.ts";
import { daysUntil, LocalCalendar, monthsOfYear } from "../../src/store/calendar.ts";
import { openForWriting } from "../../src/store/open.ts";
import { RollupWriter, rebuildRollups } from "../../src/store/rollup.ts";
import { summaryReader } from "../../src/store/summary.ts";
import { ALL_ZONES, AWKWARD_MOMENTS, ZoneDates } from "./zones.ts";

interface Sale {
  readonly location: string;
  readonly device: string;
  readonly micros: number;
  readonly timeMs: number;
}

const USER = "u".repeat(24);

/** A summary as plain numbers, or undefined. */
interface Expected {
  readonly total: bigint;
  readonly count: number;
  readonly locations: number;
  readonly devices: number;
  readonly chart: readonly bigint[];
}

/** Adds up by the definition, record by record. */
function addUp(
  sales: readonly Sale[],
  period: Period,
  nowMs: number,
  dates: ZoneDates,
): Expected | undefined {
  const today = dates.dayOf(nowMs);
  const places = period === "semanal" ? daysUntil(today, 7) : monthsOfYear(today);
  const placeOf = (sale: Sale) =>
    period === "semanal" ? dates.dayOf(sale.timeMs) : monthOf(dates.dayOf(sale.timeMs));
  const counted = sales.filter(
    (sale) => places.includes(placeOf(sale)) && (period === "anual" || sale.timeMs <= nowMs),
  );
  if (counted.length === 0) return undefined;
  const sum = (some: readonly Sale[]) => some.reduce((total, sale) => total + BigInt(sale.micros), 0n);
  return {
    total: sum(counted),
    count: counted.length,
    locations: new Set(counted.map((sale) => sale.location)).size,
    devices: new Set(counted.map((sale) => sale.device)).size,
    chart: places.map((place) => sum(counted.filter((sale) => placeOf(sale) === place))),
  };
}

describe("a summary", () => {
  let directory: string;
  let db: Database;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "flanco-summary-"));
    db = openForWriting(join(directory, "flanco.db"));
  });

  afterEach(() => {
    db.close();
    rmSync(directory, { recursive: true });
  });

  function store(sales: readonly Sale[]): void {
    const insert = db.prepare(
      `INSERT INTO record (user_id, location_name, device_name, device_id, room, micros, created_ms,
                           effective_ms, origin)
       VALUES (?, ?, 'd', ?, '1', ?, ?, ?, 'posted')`,
    );
    db.transaction(() => {
      db.exec("DELETE FROM record");
      for (const { location, device, micros, timeMs } of sales)
        insert.run(USER, location, device, micros, timeMs, timeMs);
    })();
  }

  function rollUp(zone: string): LocalCalendar {
    const calendar = new LocalCalendar(zone);
    db.transaction(() => rebuildRollups(db, calendar, () => {}))();
    return calendar;
  }

  function read(calendar: LocalCalendar, period: Period, nowMs: number): Expected | undefined {
    const summary = summaryReader(db, calendar).summary(USER, period, nowMs);
    if (summary === undefined) return undefined;
    const { totalMicros, count, locations, devices, chart } = summary;
    return { total: totalMicros, count, locations, devices, chart: chart.map((entry) => entry.totalMicros) };
  }

  it("is what adding up record by record gives, in every zone, on days of changed clocks and at ends of years", function () {
    this.timeout(60_000);
    const sales = AWKWARD_MOMENTS.map((timeMs, index) => ({
      location: `L${index % 3}`,
      device: `D${index % 5}`,
      micros: (index % 2 === 0 ? 1 : -1) * (index + 1) * 100_001,
      timeMs,
    }));
    store(sales);
    for (const zone of ALL_ZONES) {
      const calendar = rollUp(zone);
      const dates = new ZoneDates(zone);
      for (const nowMs of AWKWARD_MOMENTS.slice(5).filter((_, index) => index % 3 === 0)) {
        for (const period of ["semanal", "anual"] as const) {
          const label = `${zone} ${period} ${new Date(nowMs).toISOString()}`;
          expect(read(calendar, period, nowMs), label).to.deep.equal(addUp(sales, period, nowMs, dates));
        }
      }
    }
  });

  it("is what adding up gives for any records, in any order of storing", function () {
    this.timeout(60_000);
    const nowMs = Date.UTC(2027, 0, 2, 5);
    const sale = fc.record({
      location: fc.constantFrom("A", "B", "Ñ"),
      device: fc.constantFrom("1", "2"),
      micros: fc.integer({ min: -1e15, max: 1e15 }),
      timeMs: fc.integer({ min: nowMs - 9 * 86_400_000, max: nowMs + 2 * 86_400_000 }),
    });
    fc.assert(
      fc.property(fc.array(sale, { maxLength: 30 }), fc.constantFrom(...ALL_ZONES), (sales, zone) => {
        const calendar = new LocalCalendar(zone);
        const dates = new ZoneDates(zone);
        store(sales);
        db.transaction(() => {
          db.exec("DELETE FROM rollup_day; DELETE FROM rollup_month");
          const rollups = new RollupWriter(db, calendar);
          for (const { location, device, micros, timeMs } of sales) {
            rollups.add({
              userId: USER,
              locationName: location,
              deviceId: device,
              micros,
              timeMs,
            });
            if (timeMs % 3 === 0) rollups.flush();
          }
          rollups.flush();
        })();
        for (const period of ["semanal", "anual"] as const) {
          expect(read(calendar, period, nowMs)).to.deep.equal(addUp(sales, period, nowMs, dates));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("stays exact where one 64-bit sum of millionths would overflow", () => {
    const timeMs = Date.UTC(2026, 5, 1);
    const rollups = new RollupWriter(db, new LocalCalendar("UTC"));
    const entry = {
      userId: USER,
      locationName: "A",
      deviceId: "1",
      micros: 999_999_999_999_999,
      timeMs,
    } as const;
    const COUNT = 20_000;
    db.transaction(() => {
      for (let index = 0; index < COUNT; index += 1) rollups.add(entry);
      rollups.flush();
    })();
    const summary = read(new LocalCalendar("UTC"), "anual", timeMs);
    expect(summary?.total).to.equal(999_999_999_999_999n * BigInt(COUNT));
  });

  it("names the days and months as the contract spells them", () => {
    store([{ location: "A", device: "1", micros: 1, timeMs: Date.UTC(2026, 10, 21) }]);
    const reader = summaryReader(db, rollUp("UTC"));
    const nowMs = Date.UTC(2026, 10, 21, 12);
    const names = (period: Period) => reader.summary(USER, period, nowMs)?.chart.map((entry) => entry.name);
    expect(names("semanal")).to.deep.equal(["dom", "lun", "mar", "mié", "jue", "vie", "sáb"]);
    expect(names("anual")).to.deep.equal([
      "ene",
      "feb",
      "mar",
      "abr",
      "may",
      "jun",
      "jul",
      "ago",
      "sep",
      "oct",
      "nov",
      "dic",
    ]);
  });
});
