import type { Database } from "better-sqlite3";
import type { Day, Month } from "../../domain/day.ts";
import type { Id } from "../../domain/id.ts";
import {
  MAX_CHOICES,
  MAX_PLACES,
  NOTHING_SOLD,
  type OverviewFilter,
  type Sold,
} from "../../domain/overview.ts";
import { type LocalCalendar, momentsSoFar } from "../ledger/calendar.ts";
import { type Ranges, type RowBudget, rollupSums } from "./rollup-sum.ts";
import type { SumSource } from "./sum-source.ts";

/** Records of the beginning of a day that are added up: the newest of a day that has more. */
const MAX_RECORDS = 20_000;

interface AskedUntil extends OverviewFilter {
  readonly userId: Id;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Gives the sums of an account, from the ledger's rollups. Call all reads of one answer within one transaction. */
export function rollupSource(db: Database, calendar: LocalCalendar, budget: RowBudget) {
  const sums = rollupSums(db, budget);
  const firstDay = db
    .prepare<[Id], Day>("SELECT day FROM rollup_day WHERE user_id = ? AND count > 0 ORDER BY day LIMIT 1")
    .pluck();
  const soldUntil = db
    .prepare<[AskedUntil], { totalMicros: bigint; count: bigint }>(
      `SELECT coalesce(sum(valor_micros), 0) AS totalMicros, count(*) AS count
         FROM (SELECT valor_micros, location_name, device_id, voided_by FROM record INDEXED BY record_by_time
                WHERE user_id = @userId AND effective_ms >= @fromMs AND effective_ms < @untilMs
                ORDER BY effective_ms DESC LIMIT ${MAX_RECORDS})
        WHERE voided_by IS NULL AND (@location IS NULL OR location_name = @location)
          AND (@deviceId IS NULL OR device_id = @deviceId)`,
    )
    .safeIntegers();

  return (userId: Id): SumSource => ({
    firstDay: () => firstDay.get(userId) ?? null,
    sums({ months, days }: Ranges, filter): ReadonlyMap<Day | Month, Sold> {
      const found = [
        ...months.map((range) => sums.months(userId, range, filter)),
        ...days.map((range) => sums.days(userId, range, filter)),
      ];
      return new Map(found.flatMap((each) => [...each]));
    },
    sellers(own, before, filter) {
      const places = sums.places(userId, own, filter, { limit: MAX_PLACES });
      const names = places.map(({ name }) => name);
      const placesBefore = new Map(
        sums
          .places(userId, before, filter, { limit: MAX_PLACES, names })
          .map(({ name, ...sold }) => [name, sold]),
      );
      const both = { months: [...own.months, ...before.months], days: [...own.days, ...before.days] };
      return {
        places: places.map((place) => ({ ...place, before: placesBefore.get(place.name) ?? NOTHING_SOLD })),
        choices: sums.choices(userId, both, MAX_CHOICES),
      };
    },
    distinct: (ranges) => sums.distinct(userId, ranges),
    soFar: (days, today, nowMs, filter) =>
      days.map((day) => {
        const [fromMs, untilMs] = momentsSoFar(calendar, day, today, nowMs);
        budget.spendRecords(userId, fromMs, untilMs);
        const found = soldUntil.get({ userId, fromMs, untilMs, ...filter });
        return found === undefined ? NOTHING_SOLD : { ...found, count: Number(found.count) };
      }),
  });
}
