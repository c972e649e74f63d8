import type { Database } from "better-sqlite3";
import { monthOf } from "../../domain/day.ts";
import type { Id } from "../../domain/id.ts";
import type { LocalCalendar } from "../ledger/calendar.ts";
import { addSumTo, addTo, keyOf, type RollupTable, type Sum, type Sums } from "../ledger/rollup.ts";
import type { Findings, NewFinding } from "./finding.ts";

/** Records read at a time. */
const PAGE = 2_000;

type Row = [
  position: number,
  userId: Id,
  locationName: string,
  deviceId: string,
  valorMicros: number,
  timeMs: number,
];

/** Adds the records that count up again: every stored rollup that differs from what they say is a finding. */
export function checkRollups(db: Database, calendar: LocalCalendar, findings: Findings): void {
  const days = addedUp(db, calendar);
  for (const table of ["rollup_day", "rollup_month"] as const) {
    const sums = table === "rollup_day" ? new Map(days) : monthsOf(days);
    for (const stored of readSums(db, table)) {
      const key = keyOf(stored);
      const sum = sums.get(key);
      sums.delete(key);
      if (textOf(sum) !== textOf(stored)) findings.add(difference(findings, table, stored, stored, sum));
    }
    for (const sum of sums.values()) findings.add(difference(findings, table, sum, undefined, sum));
  }
}

function addedUp(db: Database, calendar: LocalCalendar): Sums {
  const days: Sums = new Map();
  const page = db
    .prepare<[number, number], Row>(
      `SELECT record_id, user_id, location_name, device_id, valor_micros, effective_ms
         FROM record WHERE record_id > ? AND voided_by IS NULL ORDER BY record_id LIMIT ?`,
    )
    .raw();
  let last = Number.MIN_SAFE_INTEGER;
  for (let rows = page.all(last, PAGE); rows.length > 0; rows = page.all(last, PAGE)) {
    for (const [position, userId, locationName, deviceId, valorMicros, timeMs] of rows) {
      addTo(days, calendar.dayOf(timeMs), { userId, locationName, deviceId, valorMicros, timeMs }, 1);
      last = position;
    }
  }
  return days;
}

/** A month is its days: adding each record up once is half the work. */
function monthsOf(days: Sums): Sums {
  const months: Sums = new Map();
  for (const sum of days.values()) addSumTo(months, monthOf(sum.period), sum);
  return months;
}

/** A sum whose records were all subtracted again is as good as none. */
function textOf(sum: Pick<Sum, "count" | "totalMicros"> | undefined): string {
  return `${sum?.count ?? 0} records, ${sum?.totalMicros ?? 0n} millionths`;
}

function difference(
  findings: Findings,
  table: RollupTable,
  { userId, period, locationName, deviceId }: Sum,
  stored: Sum | undefined,
  computed: Sum | undefined,
): NewFinding {
  const sum = `${table} ${period}, ${locationName}, device ${deviceId}`;
  const sales = (stored?.count ?? 0) - (computed?.count ?? 0);
  const micros = (stored?.totalMicros ?? 0n) - (computed?.totalMicros ?? 0n);
  return {
    ...{ kind: "sum", from: 0, to: 0 },
    what: `${sum}: holds ${textOf(stored)}; the records say ${textOf(computed)}.`,
    // Not by what it holds: later sales of that day or month leave it the same finding.
    mark: `${userId}${sum}: ${sales}, ${micros}`,
    costs: [findings.costOf(userId, sales, micros)],
  };
}

function* readSums(db: Database, table: RollupTable): Generator<Sum> {
  const period = table === "rollup_day" ? "day" : "month";
  const statement = db
    .prepare<[], Record<keyof Sum, string | bigint>>(
      `SELECT user_id AS userId, ${period} AS period, location_name AS locationName, device_id AS deviceId,
              count, total_micros AS totalMicros FROM ${table}`,
    )
    .safeIntegers();
  for (const row of statement.iterate()) {
    yield {
      userId: String(row.userId),
      period: Number(row.period),
      locationName: String(row.locationName),
      deviceId: String(row.deviceId),
      count: Number(row.count),
      totalMicros: BigInt(row.totalMicros),
    };
  }
}
