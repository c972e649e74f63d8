import { expect } from "chai";
import fc from "fast-check";
import { MAX_VALOR, microsFromValor } from "../../../src/domain/amount.ts";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { monthOf } from "../../../src/domain/day.ts";
import { FlancoError } from "../../../src/domain/error.ts";
import type { Period } from "../../../src/domain/overview.ts";
import { daysUntil, LocalCalendar, monthsOfYear } from "../../../src/ledger/nouns/calendar.ts";
import { soldReader } from "../../../src/ledger/nouns/overview.ts";
import { forEachTest } from "../../rig/standing.ts";
import { RawLedger, type Sale, USER, withRefunds } from "../raw-ledger.ts";
import { AWKWARD_MOMENTS, RULE_ZONES, ZoneDates } from "../zones.ts";

/** Records of the largest valor that one sum holds. */
const MOST_OF_LARGEST = 900_000;
const LARGEST = BigInt(microsFromValor(MAX_VALOR));

/** A summary as plain numbers, or undefined. */
interface ExpectedSummary {
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
): ExpectedSummary | undefined {
  const today = dates.dayOf(nowMs);
  const periods = period === "semanal" ? daysUntil(today, 7) : monthsOfYear(today);
  const periodOf = (sale: Sale) =>
    period === "semanal" ? dates.dayOf(sale.timeMs) : monthOf(dates.dayOf(sale.timeMs));
  const counted = sales.filter((sale) => periods.includes(periodOf(sale)));
  if (counted.length === 0) return undefined;
  const sum = (some: readonly Sale[]) => some.reduce((total, sale) => total + BigInt(sale.valorMicros), 0n);
  const sold = counted.filter(({ refund }) => refund !== true);
  return {
    total: sum(counted),
    count: sold.length,
    locations: new Set(sold.map((sale) => sale.location)).size,
    devices: new Set(sold.map((sale) => sale.device)).size,
    chart: periods.map((one) => sum(counted.filter((sale) => periodOf(sale) === one))),
  };
}

describe("a summary", () => {
  const ledger = forEachTest(() => new RawLedger());

  function read(calendar: LocalCalendar, period: Period, nowMs: number): ExpectedSummary | undefined {
    const summary = soldReader(ledger.db, calendar, ledger.budget).summary(USER, period, nowMs);
    if (summary === undefined) return undefined;
    const { totalMicros, count, locations, devices, chart } = summary;
    return { total: totalMicros, count, locations, devices, chart: chart.map((entry) => entry.totalMicros) };
  }

  it("is what adding up gives for any records, in zones of every rule, on days of changed clocks and at ends of years, whichever are rolled up", () => {
    const anyCase = fc.constantFrom(Date.UTC(2027, 0, 2, 5), ...AWKWARD_MOMENTS.slice(5)).chain((nowMs) => {
      const sale = fc.record({
        location: fc.constantFrom("A", "a", "Ñ"),
        device: fc.constantFrom("1", "2"),
        valorMicros: fc.integer({ min: -1e13, max: 1e13 }),
        timeMs: fc.oneof(
          fc.constantFrom(...AWKWARD_MOMENTS),
          fc.integer({ min: nowMs - 9 * DAY_MS, max: nowMs + 2 * DAY_MS }),
        ),
      });
      return fc.tuple(
        fc.constant(nowMs),
        fc.array(sale, { maxLength: 30 }).map(withRefunds),
        fc.constantFrom(...RULE_ZONES),
      );
    });
    fc.assert(
      fc.property(anyCase, ([nowMs, sales, zone]) => {
        const calendar = new LocalCalendar(zone);
        const dates = new ZoneDates(zone);
        ledger.store(sales, calendar);
        for (const [index, { timeMs }] of sales.entries()) {
          if (timeMs % 3 === 0) ledger.rollUp(index + 1);
        }
        for (const period of ["semanal", "anual"] as const) {
          expect(read(calendar, period, nowMs)).to.deep.equal(addUp(sales, period, nowMs, dates));
        }
      }),
      { numRuns: 200 },
    );
  });

  describe("whose sum leaves 64 bits", () => {
    const timeMs = Date.UTC(2026, 5, 1);
    const calendar = new LocalCalendar("UTC");

    /** Stores a sum of all but one record of the largest valor that one sum holds. */
    function fillUp(locationName: string, sign: 1 | -1 = 1): void {
      const total = BigInt(sign) * BigInt(MOST_OF_LARGEST - 1) * LARGEST;
      ledger.db
        .prepare("INSERT INTO rollup_month VALUES (?, 202606, ?, '1', ?, ?)")
        .run(USER, locationName, MOST_OF_LARGEST - 1, total);
    }

    /** Rolls up so many records of the largest valor beside that sum. */
    function add(count: number, sign: 1 | -1): void {
      const sale = { location: "A", device: "1", valorMicros: Number(LARGEST) * sign, timeMs };
      ledger.store(Array<Sale>(count).fill(sale), calendar);
      fillUp("A", sign);
      ledger.rollUp();
    }

    for (const sign of [1, -1] as const) {
      it(`is refused when it is written, never rounded (${sign > 0 ? "above" : "below"} zero)`, () => {
        const most = BigInt(sign) * 9_000_000_000_000_000_000n;
        add(1, sign);
        expect(read(calendar, "anual", timeMs)?.total).to.equal(most);
        // The first sum lies beyond 64 bits, the second only beyond what is allowed.
        for (const count of [30_000, 2]) {
          expect(() => add(count, sign))
            .to.throw(FlancoError)
            .with.property("code", "conflict");
        }
        expect(read(calendar, "anual", timeMs)?.total).to.equal(most + BigInt(sign) * LARGEST);
      });
    }

    it("is exact where it is read over several locations", () => {
      ledger.store([], calendar);
      for (const name of ["A", "B"]) fillUp(name);
      const each = BigInt(MOST_OF_LARGEST - 1) * LARGEST;
      expect(read(calendar, "anual", timeMs)?.total).to.equal(2n * each);
    });
  });
});
