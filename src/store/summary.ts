import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import type { Id } from "../domain/id.ts";
import type { Period, Summary } from "../domain/summary.ts";
import { type Day, daysUntil, type LocalCalendar, monthsOfYear, weekdayOf } from "./calendar.ts";

/** The contract's own spellings: a runtime's Spanish locale may say "sept". */
const WEEKDAYS = ["dom", "lun", "mar", "mié", "jue", "vie", "sáb"];
const MONTHS = ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];
const DAYS_PER_WEEK = 7;
/** Longer than any local day (24 h and the largest change of offset). */
const LONGEST_DAY_MS = 50 * 3_600_000;

interface RollupRow {
  readonly period: bigint;
  readonly locationName: string;
  readonly deviceId: string;
  readonly count: bigint;
  readonly units: bigint;
  readonly micros: bigint;
}

interface LaterRow {
  readonly locationName: string;
  readonly deviceId: string;
  readonly micros: number;
  readonly timeMs: number;
}

/** One place of the contract's chart, and what was sold in it. */
interface Bar {
  readonly period: number;
  readonly name: string;
}

export function summaryReader(db: Database, calendar: LocalCalendar) {
  const byDay = db.prepare<[Id, number, number], RollupRow>(rollupSql("rollup_day", "day")).safeIntegers();
  const byMonth = db
    .prepare<[Id, number, number], RollupRow>(rollupSql("rollup_month", "month"))
    .safeIntegers();
  const later = db.prepare<[Id, number, number], LaterRow>(
    `SELECT location_name AS locationName, device_id AS deviceId, micros, effective_ms AS timeMs
       FROM record WHERE user_id = ? AND effective_ms > ? AND effective_ms < ? AND voided_by IS NULL`,
  );

  function week(userId: Id, nowMs: number): Summary | undefined {
    const today = calendar.dayOf(nowMs);
    const bars = daysUntil(today, DAYS_PER_WEEK).map((day) => ({
      period: day,
      name: WEEKDAYS[weekdayOf(day)] ?? "",
    }));
    const rows = byDay.all(userId, bars[0]?.period ?? today, today);
    return summarise(bars, [...rows, ...minusLaterToday(userId, nowMs, today)]);
  }

  /**
   * The week ends now, and a client's clock may run ahead: what was posted for later today is taken
   * off again. Rows of today after now are few by nature, and found by index.
   */
  function minusLaterToday(userId: Id, nowMs: number, today: Day): RollupRow[] {
    return later
      .all(userId, nowMs, nowMs + LONGEST_DAY_MS)
      .filter((row) => calendar.dayOf(row.timeMs) === today)
      .map(({ locationName, deviceId, micros }) => ({
        period: BigInt(today),
        locationName,
        deviceId,
        count: -1n,
        units: 0n,
        micros: BigInt(-micros),
      }));
  }

  function year(userId: Id, nowMs: number): Summary | undefined {
    const months = monthsOfYear(calendar.dayOf(nowMs));
    const bars = months.map((month, index) => ({ period: month, name: MONTHS[index] ?? "" }));
    return summarise(bars, byMonth.all(userId, months[0] ?? 0, months.at(-1) ?? 0));
  }

  // One transaction: sums and what is taken off them again see the same commit.
  const read = db.transaction((userId: Id, period: Period, nowMs: number) =>
    period === "semanal" ? week(userId, nowMs) : year(userId, nowMs),
  );
  return {
    summary: (userId: Id, period: Period, nowMs: number): Summary | undefined => read(userId, period, nowMs),
  };
}

function rollupSql(table: string, period: string): string {
  return `SELECT ${period} AS period, location_name AS locationName, device_id AS deviceId, count, units, micros
            FROM ${table} WHERE user_id = ? AND ${period} BETWEEN ? AND ?`;
}

function summarise(bars: readonly Bar[], rows: readonly RollupRow[]): Summary | undefined {
  const totals = new Map(bars.map((bar) => [bar.period, 0n]));
  const counts = { all: 0n, byLocation: new Map<string, bigint>(), byDevice: new Map<string, bigint>() };
  for (const row of rows) {
    const period = Number(row.period);
    const micros = row.units * BigInt(MICROS_PER_UNIT) + row.micros;
    totals.set(period, (totals.get(period) ?? 0n) + micros);
    counts.all += row.count;
    counts.byLocation.set(row.locationName, (counts.byLocation.get(row.locationName) ?? 0n) + row.count);
    counts.byDevice.set(row.deviceId, (counts.byDevice.get(row.deviceId) ?? 0n) + row.count);
  }
  if (counts.all === 0n) return undefined;
  const chart = bars.map((bar) => ({ name: bar.name, totalMicros: totals.get(bar.period) ?? 0n }));
  return {
    totalMicros: chart.reduce((sum, entry) => sum + entry.totalMicros, 0n),
    count: Number(counts.all),
    locations: present(counts.byLocation),
    devices: present(counts.byDevice),
    chart,
  };
}

function present(counts: ReadonlyMap<string, bigint>): number {
  return [...counts.values()].filter((count) => count > 0n).length;
}
