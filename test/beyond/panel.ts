// Prints how long the panel of a company with 100,000,000 sales takes. The sums by day and month are those of all sales; of the entries
// and the sums by half hour those of the days are stored that the panel reads: the ones that today, this week, this month and this
// year so far are compared with.
//
//   node test/beyond/panel.ts

import { readFileSync } from "node:fs";
import { companySales } from "../../src/company/sales.ts";
import { DAY_MS, HOUR_MS } from "../../src/domain/clock.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { CompanyDatabase } from "./postgres.ts";

const GATEWAYS = 300;
/** As many as one statement fills. */
const AT_ONCE = 30;
const DAYS = 1_000;
const DEVICES = 4;
/** Of a device on a day: 300 × 1,000 × 4 × 84 are 100,800,000. */
const SALES = 84;
/** Days ago: today, and what today, this week, this month and this year are compared with. */
const READ_DAYS = [0, 1, 7, 31, 365];
const ROUNDS = Number(process.argv[2] ?? 200);
const ZONE = "Europe/Madrid";
/** In the last minute of an hour: as many entries as there may be are read beside the sums. */
const NOW_MS = Date.UTC(2026, 10, 21, 18, 59);

const calendar = new LocalCalendar(ZONE);
const database = await new CompanyDatabase(["shared_buffers=1GB", "fsync=off", "max_wal_size=4GB"]).start();
try {
  const { admin } = database;
  await admin.query(`INSERT INTO flanco.gateway (company, gateway, name, role, time_zone)
    SELECT 1, g, 'clinic-' || g, 'flanco_clinic-' || g, '${ZONE}' FROM generate_series(1, ${GATEWAYS}) g`);
  // What each device has sold, every day the same, as the schema has it.
  await admin.query(`CREATE TEMPORARY TABLE sold AS
    WITH sale AS (SELECT ms / 1800000 AS half_hour, to_char(timezone('${ZONE}', to_timestamp(ms / 1000)), 'YYYYMMDD')::bigint AS day
                    FROM generate_series(${NOW_MS - DAYS * DAY_MS}::bigint, ${NOW_MS}, ${Math.floor(DAY_MS / SALES)}) ms),
         part AS (SELECT unit, period, part, count(*) AS count FROM sale CROSS JOIN LATERAL (VALUES
                    ('month', day / 10000, day / 100 % 100), ('day', day / 100, day % 100), ('half_hour', half_hour / 24, half_hour % 24 + 1)) p(unit, period, part)
                   WHERE unit <> 'half_hour' OR period / 2 IN (${READ_DAYS.flatMap((ago) => [ago, ago + 1])
                     .map((ago) => Math.floor(NOW_MS / DAY_MS) - ago)
                     .join(", ")}) GROUP BY 1, 2, 3)
    SELECT unit, period, array_agg(count ORDER BY n) AS counts, array_agg(count * 4500000 ORDER BY n) AS totals
      FROM (SELECT unit, period, n, coalesce(sum(count) FILTER (WHERE part <= n), 0)::bigint AS count FROM part, generate_series(1, 31) n GROUP BY 1, 2, 3) s
     GROUP BY 1, 2`);
  for (let first = 1; first <= GATEWAYS; first += AT_ONCE) {
    await admin.query(`INSERT INTO flanco.sum SELECT 1, g, unit, period, 'Clínica ' || g, lpad(v::text, 24, '0'), counts, totals
        FROM generate_series(${first}, ${first + AT_ONCE - 1}) g, generate_series(1, ${DEVICES}) v, pg_temp.sold`);
  }
  await admin.query(`INSERT INTO flanco.sum SELECT 1, g, unit, period, '', '', ARRAY(SELECT c * ${DEVICES} FROM unnest(counts) c),
        ARRAY(SELECT t * ${DEVICES} FROM unnest(totals) t) FROM generate_series(1, ${GATEWAYS}) g, pg_temp.sold`);
  await admin.query(`INSERT INTO flanco.device SELECT 1, g, 'Clínica ' || g, lpad(v::text, 24, '0'), 'Pasillo ' || v, 0
      FROM generate_series(1, ${GATEWAYS}) g, generate_series(1, ${DEVICES}) v`);
  for (const ago of READ_DAYS) {
    const beginMs = NOW_MS - ago * DAY_MS - 19 * HOUR_MS;
    await admin.query(`INSERT INTO flanco.entry
      SELECT 1, g, 1, (${DAYS} - ${ago}) * 1000 + n, 4500000, ${beginMs} + n * ${Math.floor(DAY_MS / (SALES * DEVICES))} + g, NULL, NULL,
             sha256(n::text::bytea), '["sale",' || n || ',"' || repeat('0', 24) || '","Clínica ' || g || '","Pasillo","' ||
             lpad((n % ${DEVICES} + 1)::text, 24, '0') || '","101",4500000,0,"edge",0,"' || repeat('b', 36) || '","GPIO17",1,1,1]'
        FROM generate_series(1, ${GATEWAYS}) g, generate_series(1, ${SALES * DEVICES}) n`);
  }
  await admin.query("VACUUM ANALYZE");
  const sales = companySales({ use: (run) => run(admin) }, await database.company());
  const anywhere = { location: null, deviceId: null, within: null };
  const any = { ...anywhere, from: null, to: null, room: null, roomPart: null };
  const overview = (period: "week" | "month" | "year") => () =>
    sales.overview("", { period, at: null, filter: anywhere }, NOW_MS);
  const records = (filter: typeof any | { readonly location: string }) => () =>
    sales.findRecords("", { filter: { ...any, ...filter }, before: null, limit: 50 });
  const [total] = await admin.query<{ sales: string }>(
    "SELECT sum(counts[31]) AS sales FROM flanco.sum WHERE unit = 'day' AND location = ''",
  );
  console.log(
    `${total?.sales} sales of ${GATEWAYS} gateways in ${DAYS} days, up to ${calendar.dayOf(NOW_MS)}`,
  );
  const [backend] = await admin.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  /** Of the database's process and of this one, so far: what is left of an answer's time on a machine without other work. */
  const processorMs = () => {
    const [ns = "0"] = readFileSync(`/proc/${backend?.pid}/schedstat`, "latin1").split(" ");
    const { user, system } = process.cpuUsage();
    return Number(ns) / 1e6 + (user + system) / 1e3;
  };
  for (const [what, ask] of [
    ["panel of a week", overview("week")],
    ["panel of a month", overview("month")],
    ["panel of a year", overview("year")],
    ["page of records", records(any)],
    ["page of one location's records", records({ location: "Clínica 7" })],
  ] as const) {
    await ask();
    const times: number[] = [];
    const costs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [beganMs, usedMs] = [performance.now(), processorMs()];
      await ask();
      times.push(performance.now() - beganMs);
      costs.push(processorMs() - usedMs);
    }
    const at = (all: number[], share: number) =>
      `${(all.toSorted((a, b) => a - b)[Math.ceil(share * ROUNDS) - 1] ?? 0).toFixed(0)} ms`;
    console.log(
      `${what}: median ${at(times, 0.5)}, p99 ${at(times, 0.99)}; on the processors ${at(costs, 0.5)}, p99 ${at(costs, 0.99)}`,
    );
  }
} finally {
  await database.stop();
}
