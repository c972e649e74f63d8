import { MINUTE_MS } from "../domain/clock.ts";
import { type Day, type Month, monthOf } from "../domain/day.ts";
import {
  type GoneDevice,
  MAX_CHOICES,
  MAX_COMPARED,
  MAX_GONE,
  type NamedSales,
  NOTHING_SOLD,
  type OverviewFilter,
  type Sales,
  type Seller,
} from "../domain/overview.ts";
import { momentsSoFar } from "../ledger/nouns/calendar.ts";
import { holds, type Range, type Ranges, type SalesByLocation } from "../ledger/nouns/rollup-sum.ts";
import type { LaterSums } from "./later-sums.ts";
import { type CompanyView, fieldOf } from "./record-search.ts";
import { MAX_PARTS } from "./sum-schema.ts";

const HALF_HOUR_MS = 30 * MINUTE_MS;
const HALF_HOURS_PER_PERIOD = 24;
const ALL: OverviewFilter = { location: null, deviceId: null, within: null };

/** A row of sums. PostgreSQL gives 64-bit integers as texts. */
interface SoldRow {
  readonly count: string;
  readonly total: string;
}

/**
 * A range of months, days or half hours that is added up
 * under a number, of the gateways in one zone or of all.
 */
interface Part {
  readonly tag: number;
  readonly zone?: string;
  readonly unit: "month" | "day" | "half_hour";
  /** The range by the schema's numbers, both ends included. */
  readonly range: Range<number>;
}

/** A time before or after whole half hours, whose entries are added up one by one. */
interface Rest {
  readonly tag: number;
  readonly zone: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/**
 * What was sold in the ranges that `columnsOf` gives, by gateway, location and device. No condition on a row of
 * sums computes anything, so that the index is used also where a policy hides the rows of other companies.
 */
function partsSql(which: string): string {
  return `SELECT r.tag, g.gateway, s.location, s.device, s.counts[s.last] - coalesce(s.counts[s.first - 1], 0) AS count,
         s.totals_micros[s.last] - coalesce(s.totals_micros[s.first - 1], 0) AS total
    FROM flanco.gateway g
    CROSS JOIN unnest(@tags::integer[], @zones::text[], @units::text[], @since::bigint[], @sinceParts::integer[],
                      @until::bigint[], @untilParts::integer[])
      r(tag, zone, unit, since, since_part, until, until_part)
    CROSS JOIN LATERAL (
      SELECT m.location, m.device, m.counts, m.totals_micros, CASE m.period WHEN r.since THEN r.since_part ELSE 1 END AS first,
             CASE m.period WHEN r.until THEN r.until_part ELSE ${MAX_PARTS} END AS last
        FROM flanco.sum m WHERE m.company = g.company AND m.gateway = g.gateway AND m.unit = r.unit
         AND m.period BETWEEN r.since AND r.until AND ${which} OFFSET 0) s
   WHERE g.company = @company AND (r.zone IS NULL OR r.zone = g.time_zone)`;
}
/** Rows of one location and one device. The row for the whole gateway has no names. */
const FITS =
  "(@location::text IS NULL OR m.location = @location) AND (@device::text IS NULL OR m.device = @device)";
const PARTS = partsSql(FITS);
const NAMED = "m.location <> ''";
const PARTS_OF_EACH = partsSql(NAMED);
const COUNT_AND_TOTAL =
  "coalesce(sum(p.count), 0)::bigint AS count, coalesce(sum(p.total), 0)::bigint AS total";
const SUM = `SELECT ${COUNT_AND_TOTAL} FROM (${PARTS}) p`;
const BY_GATEWAY = `SELECT p.gateway, p.tag, ${COUNT_AND_TOTAL} FROM (${PARTS}) p GROUP BY 1, 2`;
const DISTINCT = `WITH p AS MATERIALIZED (SELECT location, device, sum(count) AS count FROM (${PARTS_OF_EACH}) p GROUP BY 1, 2)
  SELECT (SELECT count(*) FROM (SELECT FROM p GROUP BY location HAVING sum(count) > 0) l) AS locations,
         (SELECT count(*) FROM (SELECT FROM p GROUP BY device HAVING sum(count) > 0) d) AS devices`;

/** A row for each of these periods, each of one of these units, with the sums of each of its parts. */
const PERIODS = `SELECT r.unit, r.period, ${["counts", "totals_micros"]
  .map(
    (column) =>
      `ARRAY[${Array.from({ length: MAX_PARTS }, (_, part) => `sum(s.${column}[${part + 1}])`).join(", ")}]::bigint[] AS ${column}`,
  )
  .join(", ")}
    FROM flanco.gateway g
    CROSS JOIN unnest(@units::text[], @periods::bigint[]) r(unit, period)
    CROSS JOIN LATERAL (
      SELECT m.counts, m.totals_micros FROM flanco.sum m WHERE m.company = g.company AND m.gateway = g.gateway
         AND m.unit = r.unit AND m.period = r.period
         AND ${FITS} OFFSET 0) s
   WHERE g.company = @company GROUP BY 1, 2`;

/**
 * Sums of the period have the tag 0, those of the period before
 * have 1, those of what is offered beside 2. The filter is for the locations alone.
 * A location that has only given money back is listed too.
 */
const SELLERS = `WITH p AS MATERIALIZED (
    SELECT location, device, coalesce(sum(count) FILTER (WHERE tag = 0), 0) AS count, coalesce(sum(total) FILTER (WHERE tag = 0), 0) AS total,
           coalesce(sum(count) FILTER (WHERE tag = 1), 0) AS count_before, coalesce(sum(total) FILTER (WHERE tag = 1), 0) AS total_before,
           coalesce(sum(count) FILTER (WHERE tag IN (0, 2)), 0) AS count_offered, coalesce(sum(total) FILTER (WHERE tag IN (0, 2)), 0) AS total_offered
      FROM (${PARTS_OF_EACH}) p GROUP BY 1, 2)
  (SELECT p.location, NULL AS device, ${COUNT_AND_TOTAL}, sum(p.count_before)::bigint AS "countBefore", sum(p.total_before)::bigint AS "totalBefore"
     FROM p WHERE (@location::text IS NULL OR p.location = @location) AND (@device::text IS NULL OR p.device = @device)
    GROUP BY 1 HAVING sum(p.count) > 0 OR sum(p.total) <> 0 ORDER BY total DESC, p.location COLLATE "C" LIMIT ${MAX_COMPARED})
  UNION ALL
  (SELECT p.location, p.device, NULL, NULL, NULL, NULL FROM p WHERE p.count_offered > 0 OR p.total_offered <> 0
    ORDER BY p.count_offered DESC, p.location COLLATE "C", p.device COLLATE "C" LIMIT ${MAX_CHOICES})`;

/** The SQL of whether a device's id is one that a gateway makes. Clients may post others. */
export const IS_MADE_ID = "device ~ '^[0-9a-f]{24}$'";

/** Those of the devices that sales.ts does not list, each with its name at the location where it began to sell last. */
const GONE = `SELECT device AS "deviceId", (array_agg(name ORDER BY since_ms DESC))[1] AS name FROM flanco.device
   WHERE company = @company AND device = ANY (@devices::text[]) AND NOT ${IS_MADE_ID}
   GROUP BY 1 ORDER BY array_position(@devices::text[], device) LIMIT ${MAX_GONE}`;

/** The first month of each gateway with sales that count, and in it the first day. */
const FIRST_DAY = `SELECT min(s.period * 100 + d.day) AS day
    FROM flanco.gateway g
    CROSS JOIN LATERAL (SELECT m.period, m.counts FROM flanco.sum m WHERE m.company = g.company AND m.gateway = g.gateway
       AND m.unit = 'day' AND m.location = '' AND m.counts[${MAX_PARTS}] > 0 ORDER BY m.period LIMIT 1) s
    CROSS JOIN generate_series(1, ${MAX_PARTS}) d(day)
   WHERE g.company = @company AND s.counts[d.day] > 0`;

/** The whole half hours of each moment, and the entries before and after them. */
const SO_FAR = `SELECT p.tag, p.location, ${COUNT_AND_TOTAL} FROM (
    SELECT tag, location, count, total FROM (${partsSql(`${NAMED} AND ${FITS}`)}) h
    UNION ALL
    SELECT r.tag, ${fieldOf("e.text::jsonb", "locationName")}, (e.refund_of IS NULL)::integer, e.valor_micros
      FROM unnest(@restTags::integer[], @restZones::text[], @restSince::bigint[], @restUntil::bigint[]) r(tag, zone, since, until)
     CROSS JOIN LATERAL (SELECT * FROM flanco.entry m WHERE m.company = @company AND m.effective_ms >= r.since AND m.effective_ms < r.until OFFSET 0) e
      JOIN flanco.gateway g ON g.company = e.company AND g.gateway = e.gateway AND g.time_zone = r.zone
     WHERE e.voided_by IS NULL
       AND (@location::text IS NULL OR ${fieldOf("e.text::jsonb", "locationName")} = @location)
       AND (@device::text IS NULL OR ${fieldOf("e.text::jsonb", "deviceId")} = @device)
  ) p GROUP BY 1, 2`;

/** The sums of a company. A day is the local day of each gateway. */
export class CompanySums implements LaterSums {
  readonly #view: CompanyView;

  constructor(view: CompanyView) {
    this.#view = view;
  }

  async firstDay(): Promise<Day | null> {
    const [row] = await this.#view.query<{ day: string | null }>(FIRST_DAY);
    return row?.day == null ? null : Number(row.day);
  }

  async sums({ months, days }: Ranges, filter: OverviewFilter): Promise<ReadonlyMap<Day | Month, Sales>> {
    const periods = [
      ...periodsOf(months, (month) => Math.floor(month / 100)).map((year) => ["month", year] as const),
      ...periodsOf(days, monthOf).map((month) => ["day", month] as const),
    ];
    const values = {
      units: periods.map(([unit]) => unit),
      periods: periods.map(([, period]) => period),
      ...namesOf(filter),
    };
    const rows = await this.#view.query<{
      period: string;
      counts: readonly string[];
      totals_micros: readonly string[];
    }>(PERIODS, values);
    const found = rows.flatMap(({ period, counts, totals_micros }) =>
      counts.map((count, index): [number, Sales] => [
        Number(period) * 100 + index + 1,
        {
          count: Number(count) - Number(counts[index - 1] ?? 0),
          totalMicros: BigInt(totals_micros[index] ?? 0) - BigInt(totals_micros[index - 1] ?? 0),
        },
      ]),
    );
    return new Map(found.filter(([period]) => holds({ months, days }, period)));
  }

  async sellers(own: Ranges, before: Ranges, offered: Ranges, { location, deviceId }: OverviewFilter) {
    const parts = [...partsOf(0, own), ...partsOf(1, before), ...partsOf(2, offered)];
    const rows = await this.#view.query<
      SoldRow & { location: string; device: string | null; countBefore: string; totalBefore: string }
    >(SELLERS, { ...columnsOf(parts), location, device: deviceId });
    const locations: NamedSales[] = [];
    const choices: Seller[] = [];
    for (const { location, device, countBefore, totalBefore, ...sold } of rows) {
      const before = { count: countBefore, total: totalBefore };
      if (device === null) locations.push({ name: location, ...toSold(sold), before: toSold(before) });
      else choices.push({ locationName: location, deviceId: device });
    }
    return { locations, choices };
  }

  goneDevices(deviceIds: readonly string[]): Promise<readonly GoneDevice[]> {
    return this.#view.query<GoneDevice>(GONE, { devices: deviceIds });
  }

  async distinct(ranges: Ranges) {
    const values = columnsOf(partsOf(0, ranges));
    const [row] = await this.#view.query<{ locations: string; devices: string }>(DISTINCT, values);
    return { locations: Number(row?.locations ?? 0), devices: Number(row?.devices ?? 0) };
  }

  /** Sums from the midnights of each gateway's own zone. */
  async soFar(
    days: readonly Day[],
    today: Day,
    nowMs: number,
    filter: OverviewFilter,
  ): Promise<readonly SalesByLocation[]> {
    const wholes: Part[] = [];
    const rests: Rest[] = [];
    for (const calendar of this.#view.calendars) {
      const zone = calendar.timeZone;
      days.forEach((day, tag) => {
        const [sinceMs, untilMs] = momentsSoFar(calendar, day, today, nowMs);
        const range = { from: Math.ceil(sinceMs / HALF_HOUR_MS), to: Math.floor(untilMs / HALF_HOUR_MS) - 1 };
        if (range.from > range.to) {
          rests.push({ tag, zone, sinceMs, untilMs });
          return;
        }
        wholes.push({
          tag,
          zone,
          unit: "half_hour",
          range: { from: partOf(range.from), to: partOf(range.to) },
        });
        rests.push(
          { tag, zone, sinceMs, untilMs: range.from * HALF_HOUR_MS },
          { tag, zone, sinceMs: (range.to + 1) * HALF_HOUR_MS, untilMs },
        );
      });
    }
    const rows = await this.#view.query<SoldRow & { tag: number; location: string }>(SO_FAR, {
      ...columnsOf(wholes),
      location: filter.location,
      device: filter.deviceId,
      restTags: rests.map(({ tag }) => tag),
      restZones: rests.map(({ zone }) => zone),
      restSince: rests.map(({ sinceMs }) => sinceMs),
      restUntil: rests.map(({ untilMs }) => untilMs),
    });
    return days.map(
      (_, tag) => new Map(rows.filter((row) => row.tag === tag).map((row) => [row.location, toSold(row)])),
    );
  }

  /** What was sold on these days. */
  async sum(ranges: Ranges, filter: OverviewFilter): Promise<Sales> {
    const values = { ...columnsOf(partsOf(0, ranges)), ...namesOf(filter) };
    const [row] = await this.#view.query<SoldRow>(SUM, values);
    return row === undefined ? NOTHING_SOLD : toSold(row);
  }

  /** What each gateway has sold in each of these ranges; `time` is the index of the ranges. */
  async byGateway(times: readonly Ranges[]): Promise<readonly (Sales & { gateway: number; time: number })[]> {
    const parts = times.flatMap((ranges, tag) => partsOf(tag, ranges));
    const rows = await this.#view.query<SoldRow & { gateway: number; tag: number }>(BY_GATEWAY, {
      ...columnsOf(parts),
      ...namesOf(ALL),
    });
    return rows.map((row) => ({ gateway: row.gateway, time: row.tag, ...toSold(row) }));
  }
}

/** The names of the rows that are added up; without a filter those of the whole gateway. */
function namesOf({ location, deviceId }: OverviewFilter) {
  return { location: location ?? (deviceId === null ? "" : null), device: deviceId };
}

function partsOf(tag: number, { months, days }: Ranges): readonly Part[] {
  const parts = [
    ...months.map((range): Part => ({ tag, unit: "month", range })),
    ...days.map((range): Part => ({ tag, unit: "day", range })),
  ];
  return parts.filter(({ range }) => range.from <= range.to);
}

/** The ranges as `partsSql` takes them: each end as a period and its part. */
function columnsOf(parts: readonly Part[]) {
  return {
    tags: parts.map(({ tag }) => tag),
    zones: parts.map(({ zone }) => zone ?? null),
    units: parts.map(({ unit }) => unit),
    since: parts.map(({ range }) => Math.floor(range.from / 100)),
    sinceParts: parts.map(({ range }) => range.from % 100),
    until: parts.map(({ range }) => Math.floor(range.to / 100)),
    untilParts: parts.map(({ range }) => range.to % 100),
  };
}

/** The periods of which these ranges have parts. */
function periodsOf(ranges: readonly Range<number>[], periodOf: (part: number) => number): readonly number[] {
  const found = new Set<number>();
  for (const { from, to } of ranges) {
    for (let period = periodOf(from); period <= periodOf(to); period += 1) {
      if (period < 10_000 || (period % 100 >= 1 && period % 100 <= 12)) found.add(period);
    }
  }
  return [...found];
}

/** The schema's number of a half hour since 1970. */
function partOf(halfHour: number): number {
  return Math.floor(halfHour / HALF_HOURS_PER_PERIOD) * 100 + (halfHour % HALF_HOURS_PER_PERIOD) + 1;
}

function toSold({ count, total }: SoldRow): Sales {
  return { count: Number(count), totalMicros: BigInt(total) };
}
