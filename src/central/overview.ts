import type { Overview, OverviewFilter, OverviewRequest, Sold } from "../domain/overview.ts";
import { LocalCalendar } from "../store/ledger/calendar.ts";
import { MAX_RECORDS, type OverviewSource, overviewOf, readLater } from "../store/read/overview.ts";
import type { Range, Ranges, Seller } from "../store/read/rollup-sum.ts";
import type { Company } from "./company.ts";
import type { Connection } from "./database.ts";

/** Sums of 64-bit integers, as texts. */
interface SoldRow {
  readonly count: string;
  readonly total: string;
}

const COUNT_AND_TOTAL = `sum(p.count)::bigint AS count, sum(p.total_micros)::bigint AS total`;

/** The sums of a range, gateway by gateway: each is one stretch of the key. `$1` is the company, then location and device. */
function partsOf(period: "day" | "month", from: number, to: number): string {
  return `SELECT s.${period} AS period, s.location, s.device, s.count, s.total_micros
    FROM flanco.gateway g CROSS JOIN LATERAL (
      SELECT * FROM flanco.sum_${period} m WHERE m.company = g.company AND m.gateway = g.gateway
         AND m.${period} BETWEEN $${from} AND $${to} OFFSET 0) s
   WHERE g.company = $1 AND ($2::text IS NULL OR s.location = $2) AND ($3::text IS NULL OR s.device = $3)`;
}

const BY_DAY = `SELECT p.period, ${COUNT_AND_TOTAL} FROM (${partsOf("day", 4, 5)}) p GROUP BY 1`;
const BY_MONTH = `SELECT p.period, ${COUNT_AND_TOTAL} FROM (${partsOf("month", 4, 5)}) p GROUP BY 1`;
/** Two ranges of months and two of days, from `$4` to `$11`. */
const PARTS = [
  ...[4, 6].map((from) => partsOf("month", from, from + 1)),
  ...[8, 10].map((from) => partsOf("day", from, from + 1)),
].join(" UNION ALL ");
const PLACES = `SELECT p.location AS name, ${COUNT_AND_TOTAL} FROM (${PARTS}) p
   WHERE $12::text[] IS NULL OR p.location = ANY ($12) GROUP BY 1 HAVING sum(p.count) > 0
   ORDER BY total DESC, p.location COLLATE "C" LIMIT $13`;
const CHOICES = `SELECT p.location AS "locationName", p.device AS "deviceId" FROM (${PARTS}) p
   GROUP BY 1, 2 HAVING sum(p.count) > 0
   ORDER BY sum(p.count) DESC, p.location COLLATE "C", p.device COLLATE "C" LIMIT $12`;
const FIRST_DAY = `SELECT min(s.day) AS day FROM flanco.gateway g CROSS JOIN LATERAL (
    SELECT day FROM flanco.sum_day m WHERE m.company = g.company AND m.gateway = g.gateway ORDER BY day LIMIT 1) s
   WHERE g.company = $1`;
const SOLD_UNTIL = `SELECT count(*) AS count, coalesce(sum(e.valor_micros), 0)::bigint AS total
    FROM flanco.gateway g CROSS JOIN LATERAL (
      SELECT valor_micros, voided_by, text FROM flanco.entry m WHERE m.company = g.company AND m.gateway = g.gateway
         AND m.effective_ms >= $4 AND m.effective_ms < $5 ORDER BY effective_ms DESC LIMIT ${MAX_RECORDS}) e
   WHERE g.company = $1 AND e.voided_by IS NULL
     AND ($2::text IS NULL OR e.text::jsonb ->> 3 = $2) AND ($3::text IS NULL OR e.text::jsonb ->> 5 = $3)`;

const NO_RANGE = { from: 1, to: 0 };

/** What all clinics of a company have sold, beside the time before: `overview` of a gateway's ledger. */
export async function companyOverview(
  connection: Connection,
  { company, timeZone }: Company,
  request: OverviewRequest,
  nowMs: number,
): Promise<Overview> {
  // All the parts see the same commit.
  await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  // To compile a statement takes longer than any of these takes.
  await connection.query("SET LOCAL jit = off");
  try {
    const source = sourceOf(connection, company);
    return await readLater(overviewOf(source, new LocalCalendar(timeZone), request, nowMs));
  } finally {
    await connection.query("COMMIT");
  }
}

function sourceOf(connection: Connection, company: number): OverviewSource {
  const asked = ({ location, deviceId }: OverviewFilter) => [company, location, deviceId];
  const byPeriod = async (sql: string, range: Range<number>, filter: OverviewFilter) => {
    if (range.from > range.to) return new Map<number, Sold>();
    const values = [...asked(filter), range.from, range.to];
    const rows = await connection.query<SoldRow & { period: string }>(sql, values);
    return new Map(rows.map((row) => [Number(row.period), toSold(row)]));
  };
  const ALL = { location: null, deviceId: null };
  return {
    days: (range, filter) => byPeriod(BY_DAY, range, filter),
    months: (range, filter) => byPeriod(BY_MONTH, range, filter),
    async firstDay() {
      const [row] = await connection.query<{ day: string | null }>(FIRST_DAY, [company]);
      return row?.day == null ? null : Number(row.day);
    },
    async places(ranges, filter, { limit, names }) {
      const values = [...asked(filter), ...bounds(ranges), names ?? null, limit];
      const rows = await connection.query<SoldRow & { name: string }>(PLACES, values);
      return rows.map((row) => ({ name: row.name, ...toSold(row) }));
    },
    choices: (ranges, limit) =>
      connection.query<{ locationName: string; deviceId: string }>(CHOICES, [
        ...asked(ALL),
        ...bounds(ranges),
        limit,
      ]) satisfies Promise<readonly Seller[]>,
    async soldUntil(fromMs, untilMs, filter) {
      const [row] = await connection.query<SoldRow>(SOLD_UNTIL, [...asked(filter), fromMs, untilMs]);
      return row === undefined ? { totalMicros: 0n, count: 0 } : toSold(row);
    },
  };
}

function toSold({ count, total }: SoldRow): Sold {
  return { count: Number(count), totalMicros: BigInt(total) };
}

function bounds({ months, days }: Ranges): readonly number[] {
  const ranges = [months[0], months[1], days[0], days[1]].map((range) => range ?? NO_RANGE);
  return ranges.flatMap(({ from, to }) => [from, to]);
}
