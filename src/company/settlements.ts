import { type ClinicMonth, settledFigures } from "../contract/clinic.ts";
import { type ClosedSettlement, closedSettlement } from "../contract/settlement.ts";
import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import { formatMonth, type Month } from "../domain/day.ts";
import { FlancoError } from "../domain/error.ts";
import { NOTHING_SOLD } from "../domain/overview.ts";
import { toSoldAnswer } from "../http/overview.ts";
import type { WatchedClinic } from "./clinic.ts";
import type { CompanyQuery } from "./connection-pool.ts";
import { idOf, placeOf } from "./entry-id.ts";
import { CompanySums } from "./sums.ts";

/** The newest months that are offered. */
const MAX_MONTHS = 120;

const MONTHS = `SELECT DISTINCT month FROM flanco.settlement WHERE company = @company ORDER BY month DESC LIMIT ${MAX_MONTHS}`;

/** Newest first of each gateway, so that one of a ledger that a restore has replaced comes after the one that counts. */
const OF_MONTH = `SELECT s.gateway, s.account, ${idOf("s.gateway", "s.branch", "s.position")} AS id, encode(e.hash, 'hex') AS hash,
         s.content, s.here_sales AS "hereSales", s.here_micros AS "hereMicros"
    FROM flanco.settlement s JOIN flanco.entry e USING (company, gateway, branch, position)
   WHERE s.company = @company AND s.month = @month ORDER BY id DESC`;

interface SettlementRow {
  readonly gateway: number;
  readonly account: string;
  readonly id: string;
  readonly hash: string;
  /** As the gateway wrote it, in whatever version. */
  readonly content: unknown;
  readonly hereSales: string;
  readonly hereMicros: string;
}

type ClinicSettlement = NonNullable<ClinicMonth["clinics"][number]["settlement"]>;

/** What each clinic has settled of a month, beside what the company's database has of it, and who has not closed it. */
export async function monthOfClinics(
  query: CompanyQuery,
  clinics: readonly WatchedClinic[],
  month: Month,
): Promise<ClinicMonth> {
  const gateways = await query<{ gateway: number; name: string }>(
    "SELECT gateway, name FROM flanco.gateway WHERE company = @company ORDER BY name",
  );
  const days = { months: [{ from: month, to: month }], days: [] };
  const sold = await new CompanySums({ query, calendars: [] }).byGateway([days]);
  const settled = await query<SettlementRow>(OF_MONTH, { month: formatMonth(month) });
  const months = await query<{ month: string }>(MONTHS);
  return {
    month: formatMonth(month),
    months: months.map((row) => row.month),
    clinics: gateways.flatMap(({ gateway, name }) => {
      const known = clinics.find((clinic) => clinic.name === name);
      // It was added between the two reads.
      if (known === undefined) return [];
      const now = sold.find((one) => one.gateway === gateway) ?? NOTHING_SOLD;
      const clinic = { name, states: known.states, waiting: Math.max(0, known.newest - known.position) };
      const own = settled.filter((row) => row.gateway === gateway);
      const all = own.length === 0 ? [null] : own.map((row, index) => toSettlement(row, own.slice(0, index)));
      return all.map((settlement, index) => ({
        ...clinic,
        now: index === 0 ? toSoldAnswer(now) : null,
        settlement,
      }));
    }),
  };
}

function toSettlement(row: SettlementRow, newer: readonly SettlementRow[]): ClinicSettlement {
  const figures = settledFigures.safeParse(row.content, { jitless: true }).data ?? null;
  const net = BigInt(row.hereMicros);
  return {
    id: Number(row.id),
    hash: row.hash,
    isReplaced: newer.some(({ account }) => account === row.account),
    figures,
    differs: figures && {
      sales: figures.totals.sales - Number(row.hereSales),
      revenue: valorFromMicros(BigInt(microsFromValor(figures.totals.net)) - net),
    },
  };
}

/** The place of an entry with this number over all gateways. */
const PLACE = placeOf("@id::bigint");

/** One settlement in full, as the gateway has it. Rejects with `not_found` where the company has no such entry. */
export async function clinicSettlement(query: CompanyQuery, id: number): Promise<ClosedSettlement> {
  const [row] = await query<Omit<ClosedSettlement, "month" | "content"> & { content: string }>(
    `SELECT (f ->> 10)::integer AS number, (f ->> 2)::float8 AS time, f ->> 7 AS who, f ->> 8 AS "from", hash, (f ->> 9)::jsonb ->> 'report' AS content
       FROM (SELECT e.text::jsonb AS f, encode(e.hash, 'hex') AS hash FROM flanco.settlement s JOIN flanco.entry e USING (company, gateway, branch, position)
              WHERE s.company = @company AND s.gateway = ${PLACE.gateway} AND s.branch = ${PLACE.branch} AND s.position = ${PLACE.position}) e`,
    { id },
  );
  if (row === undefined) throw new FlancoError("not_found", "The company has no such settlement.");
  const content = closedSettlement.shape.content.safeParse(JSON.parse(row.content), { jitless: true }).data;
  if (content !== undefined) return { ...row, month: content.month, content };
  throw new FlancoError(
    "too_new",
    "The settlement is of another version of flanco than the company's page.",
    {
      hint: "Bring the page's machine up to date, or open it on the clinic's gateway.",
    },
  );
}
