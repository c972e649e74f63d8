// Prints how long the panel of a company with 100,000,000 sales takes. The sums are those of all sales; of the entries those of the
// days are stored that the panel reads: the ones that today, this week, this month and this year so far are compared with.
//
//   node test/beyond/panel.ts
import { companyOf, initialise } from "../../src/central/company.ts";
import { companyOverview } from "../../src/central/overview.ts";
import { LocalCalendar } from "../../src/store/ledger/calendar.ts";
import { Postgres } from "./postgres.ts";

const GATEWAYS = 300;
/** As many as one statement fills. */
const AT_ONCE = 30;
const DAYS = 1_000;
const DEVICES = 4;
/** Of a device on a day: 300 × 1,000 × 4 × 84 are 100,800,000. */
const SALES = 84;
const ROUNDS = Number(process.argv[2] ?? 200);
const ZONE = "Europe/Madrid";
const NOW_MS = Date.UTC(2026, 10, 21, 19);
const DAY_MS = 86_400_000;

const calendar = new LocalCalendar(ZONE);
const today = new Date(NOW_MS).toISOString().slice(0, 10);
const database = await new Postgres(["shared_buffers=1GB", "fsync=off", "max_wal_size=4GB"]).start();
try {
  const admin = await database.connect();
  await initialise(admin, "Televida", ZONE);
  await admin.query(`INSERT INTO flanco.gateway (company, gateway, name, role, time_zone)
    SELECT 1, g, 'clinic-' || g, 'flanco_clinic-' || g, '${ZONE}' FROM generate_series(1, ${GATEWAYS}) g`);
  for (let first = 1; first <= GATEWAYS; first += AT_ONCE) {
    await admin.query(`INSERT INTO flanco.sum_day
      SELECT 1, g, to_char(DATE '${today}' - d, 'YYYYMMDD')::bigint, 'Clínica ' || g, lpad(v::text, 24, '0'), ${SALES},
             ${SALES} * 4500000
        FROM generate_series(${first}, ${first + AT_ONCE - 1}) g, generate_series(0, ${DAYS - 1}) d,
             generate_series(1, ${DEVICES}) v`);
  }
  await admin.query(`INSERT INTO flanco.sum_month
    SELECT company, gateway, day / 100, location, device, sum(count), sum(total_micros) FROM flanco.sum_day GROUP BY 1, 2, 3, 4, 5`);
  for (const ago of [1, 7, 31, 365]) {
    const beginMs = NOW_MS - ago * DAY_MS - 19 * 3_600_000;
    await admin.query(`INSERT INTO flanco.entry
      SELECT 1, g, 1, ${ago} * 1000000 + n, 4500000, ${beginMs} + n * ${Math.floor(DAY_MS / (SALES * DEVICES))}, NULL, NULL,
             sha256(n::text::bytea), '["sale",' || n || ',"' || repeat('0', 24) || '","Clínica ' || g || '","Pasillo","' ||
             lpad((n % ${DEVICES})::text, 24, '0') || '","101",4500000,0,"edge",0,"' || repeat('b', 36) || '","GPIO17",1,1,1]'
        FROM generate_series(1, ${GATEWAYS}) g, generate_series(0, ${SALES * DEVICES - 1}) n`);
  }
  await admin.query("VACUUM ANALYZE");
  const company = await companyOf(admin, undefined);
  const ask = (period: "week" | "month" | "year") =>
    companyOverview(admin, company, { period, at: null, filter: { location: null, deviceId: null } }, NOW_MS);
  const [total] = await admin.query<{ sales: string }>("SELECT sum(count) AS sales FROM flanco.sum_day");
  console.log(
    `${total?.sales} sales of ${GATEWAYS} gateways in ${DAYS} days, up to ${calendar.dayOf(NOW_MS)}`,
  );
  for (const period of ["week", "month", "year"] as const) {
    await ask(period);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const beganMs = performance.now();
      await ask(period);
      times.push(performance.now() - beganMs);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.ceil(share * ROUNDS) - 1] ?? 0).toFixed(0);
    console.log(`panel of a ${period}: median ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  }
  await admin.close();
} finally {
  await database.stop();
}
