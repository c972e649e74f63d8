import { hash } from "node:crypto";
import type { ClinicMonth } from "../contract/clinic.ts";
import type { ClosedSettlement } from "../contract/settlement.ts";
import type { Day, Month } from "../domain/day.ts";
import type { Device } from "../domain/device.ts";
import type { Id } from "../domain/id.ts";
import type { Location } from "../domain/location.ts";
import {
  type NamedSales,
  NOTHING_SOLD,
  type OverviewPeriod,
  type Sales,
  type SalesOfDays,
} from "../domain/overview.ts";
import type { SalesReads } from "../domain/sales.ts";
import { LocalCalendar } from "../ledger/nouns/calendar.ts";
import { comparedDays, overviewOf, summaryOf } from "../ledger/nouns/overview.ts";
import { ALL_DAYS, addUp, splitDays } from "../ledger/nouns/rollup-sum.ts";
import type { WatchedClinic } from "./clinic.ts";
import type { Company } from "./company.ts";
import { type CompanyQuery, companyQuery, type Database } from "./connection-pool.ts";
import { whenRead } from "./later-sums.ts";
import { CompanyRecords, type CompanyView } from "./record-search.ts";
import { clinicSettlement, monthOfClinics } from "./settlements.ts";
import { CompanySums, IS_MADE_ID } from "./sums.ts";

/** What all clinics have sold in a period, and each, the highest sum first, beside the same days before. */
interface Comparison extends SalesOfDays {
  readonly before: SalesOfDays;
  readonly clinics: readonly NamedSales[];
}

/** What a company has sold, and its clinics side by side. The account that is asked for is the company. */
export interface CompanySales extends SalesReads {
  /**
   * The sales of all clinics in a period, up to today, beside the
   * same days before. `at` is a day of the period; null is today.
   */
  compare(period: OverviewPeriod, at: Day | null, nowMs: number): Promise<Comparison>;
  /** What each clinic has settled of a month. */
  settlements(clinics: readonly WatchedClinic[], month: Month): Promise<ClinicMonth>;
  /** By the number of its entry over all gateways. Rejects with `not_found`. */
  settlement(id: number): Promise<ClosedSettlement>;
}

/** The most locations or devices of one list. */
const MAX_LISTED = 5_000;
/** The longest time of one statement. After it the request fails, and its connection is free again. */
const STATEMENT_MS = 10_000;
const DIGITS_OF_ID = 24;

/**
 * Begins a transaction in which all parts of an answer see the same
 * commit. Compiling a statement (jit) would take longer than running it.
 */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL jit = off; SET LOCAL statement_timeout = ${STATEMENT_MS}`;

/** Reads the company's sales from its database. Each answer is of one commit, and delays no gateway. */
export function companySales(database: Database, { company, timeZone }: Company): CompanySales {
  const calendar = new LocalCalendar(timeZone);
  const read = <T>(run: (query: CompanyQuery) => Promise<T>): Promise<T> =>
    database.use(async (connection) => {
      await connection.query(BEGIN);
      const answer = await run(companyQuery(connection, company));
      await connection.query("COMMIT");
      return answer;
    });
  /** Calendars by zone, kept because a calendar caches offsets. */
  const calendars = new Map([[timeZone, calendar]]);
  const viewOf = async (query: CompanyQuery): Promise<CompanyView> => {
    const zones = await query<{ zone: string }>(
      "SELECT DISTINCT time_zone AS zone FROM flanco.gateway WHERE company = @company",
    );
    for (const { zone } of zones) if (!calendars.has(zone)) calendars.set(zone, new LocalCalendar(zone));
    const own = zones.flatMap(({ zone }) => calendars.get(zone) ?? []);
    // A company that has no gateway yet has no sales on its own days.
    return { query, calendars: own.length === 0 ? [calendar] : own };
  };
  const readSums = <T>(run: (sums: CompanySums) => Promise<T>) =>
    read(async (query) => run(new CompanySums(await viewOf(query))));
  const readRecords = <T>(run: (records: CompanyRecords) => Promise<T>) =>
    read(async (query) => run(new CompanyRecords(await viewOf(query))));
  return {
    summary: (_userId, period, nowMs) =>
      readSums((sums) => whenRead(sums, (now) => summaryOf(now, calendar, period, nowMs))),
    overview: (_userId, request, nowMs) =>
      readSums((sums) => whenRead(sums, (now) => overviewOf(now, calendar, request, nowMs))),
    firstDay: () => readSums((sums) => sums.firstDay()),
    sumRecords: (_userId, { from, to, ...place }) =>
      readSums((sums) => sums.sum(splitDays({ from: from ?? ALL_DAYS.from, to: to ?? ALL_DAYS.to }), place)),
    findRecords: (_userId, search) => readRecords((records) => records.find(search)),
    findMoved: (_userId, search) => readRecords((records) => records.findMoved(search)),
    mark: () => readRecords((records) => records.mark()),
    chainHead: () => read(headOf),
    devices: (userId) => read((query) => devicesOf(query, userId)),
    locations: (userId) => read((query) => locationsOf(query, userId)),
    // Gaps are no entries of the chain.
    gaps: () => [],
    wirings: () => [],
    settlements: (of, month) => read((query) => monthOfClinics(query, of, month)),
    settlement: (id) => read((query) => clinicSettlement(query, id)),
    localTime: (timeMs) => calendar.localTime(timeMs),
    compare: (period, at, nowMs) =>
      read(async (query) => {
        const { own, before } = comparedDays(period, at, calendar.dayOf(nowMs));
        const names = await query<{ gateway: number; name: string }>(
          "SELECT gateway, name FROM flanco.gateway WHERE company = @company",
        );
        const sums = new CompanySums({ query, calendars: [] });
        const sold = await sums.byGateway([splitDays(own), splitDays(before)]);
        const of = (time: number) =>
          new Map(sold.filter((each) => each.time === time).map((each) => [each.gateway, each]));
        const [now, then] = [of(0), of(1)];
        const clinics = names.map(({ gateway, name }) => ({
          name,
          ...soldOf(now.get(gateway)),
          before: soldOf(then.get(gateway)),
        }));
        return {
          ...own,
          ...addUp(now.values()),
          before: { ...before, ...addUp(then.values()) },
          clinics: clinics.sort(inOrder),
        };
      }),
  };
}

function soldOf({ count, totalMicros }: Sales = NOTHING_SOLD): Sales {
  return { count, totalMicros };
}

/** The highest sum first. */
function inOrder(a: NamedSales, b: NamedSales): number {
  if (a.totalMicros !== b.totalMicros) return a.totalMicros > b.totalMicros ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/**
 * A hash over the newest entries of all branches of all gateways,
 * which covers all their entries as a ledger's head covers its own.
 */
async function headOf(query: CompanyQuery): Promise<string> {
  const heads = await query<{ head: string }>(
    `SELECT concat_ws(' ', gateway, branch, e.position, encode(e.hash, 'hex')) AS head
       FROM flanco.branch b CROSS JOIN LATERAL (SELECT position, hash FROM flanco.entry e WHERE e.company = b.company
              AND e.gateway = b.gateway AND e.branch = b.branch ORDER BY e.position DESC LIMIT 1) e
      WHERE company = @company ORDER BY gateway, branch`,
  );
  return hash("sha256", heads.map(({ head }) => head).join("\n"));
}

/**
 * The devices of gateways that have sold, each where it began to sell last, by location
 * and name. Their rooms and levels are not known. A device that a client has named
 * itself is none of them: as on a gateway, it is found where it has sold.
 */
async function devicesOf(query: CompanyQuery, userId: Id): Promise<readonly Device[]> {
  const rows = await query<{ location: string; device: Id; name: string; sinceMs: string }>(
    `SELECT * FROM (
       SELECT DISTINCT ON (device) location, device, name, since_ms AS "sinceMs" FROM flanco.device
        WHERE company = @company AND ${IS_MADE_ID} ORDER BY device, since_ms DESC) d
      ORDER BY location COLLATE "C", name COLLATE "C", device COLLATE "C" LIMIT ${MAX_LISTED}`,
  );
  return rows.map(({ location, device, name, sinceMs }) => ({
    id: device,
    userId,
    dId: device,
    name,
    selected: false,
    actuators: [],
    locationId: idOfName(location),
    locationName: location,
    createdTimeMs: Number(sinceMs),
    revision: 0,
  }));
}

/** The locations that have sold, by name. */
async function locationsOf(query: CompanyQuery, userId: Id): Promise<readonly Location[]> {
  const rows = await query<{ name: string; sinceMs: string }>(
    `SELECT location AS name, min(since_ms) AS "sinceMs" FROM flanco.device WHERE company = @company
      GROUP BY 1 ORDER BY location COLLATE "C" LIMIT ${MAX_LISTED}`,
  );
  const devices = Map.groupBy(await devicesOf(query, userId), ({ locationName }) => locationName);
  return rows.map(({ name, sinceMs }) => ({
    id: idOfName(name),
    userId,
    name,
    description: "",
    revision: 0,
    createdTimeMs: Number(sinceMs),
    devices: (devices.get(name) ?? []).map(({ id, dId, name }) => ({ id, dId, name })),
  }));
}

/** An id for a location, which is known by its name alone. */
function idOfName(name: string): Id {
  return hash("sha256", name).slice(0, DIGITS_OF_ID);
}
