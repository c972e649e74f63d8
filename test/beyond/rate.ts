// Prints how many entries a second the company's database takes on this machine, clients included.
//
//   node test/beyond/rate.ts [GATEWAYS] [ENTRIES OF EACH]
import { DAY_MS } from "../../src/domain/clock.ts";
import { CompanyDatabase } from "./postgres.ts";
import { SimulatedGateway } from "./simulated-gateway.ts";

/** Gateways whose calls are under way at once. */
const AT_ONCE = 8;
const LAST_MS = Date.UTC(2026, 10, 21);

const gatewayCount = Number(process.argv[2] ?? 1_000);
const entryCount = Number(process.argv[3] ?? 400);
const database = await new CompanyDatabase([
  `max_connections=${gatewayCount + 20}`,
  "shared_buffers=512MB",
]).start();
try {
  const { admin } = database;
  const company = await database.company();
  const gateways: SimulatedGateway[] = [];
  for (let index = 0; index < gatewayCount; index += 1) {
    const file = database.directory.file(`password-${index}`);
    const gateway = await SimulatedGateway.add(
      admin,
      company,
      `clinic-${index}`,
      (role) => database.url(role),
      file,
    );
    // Three devices, some sales a day.
    gateway.chain.sellMany(entryCount, (sale) => ({
      deviceId: String(sale % 3).padStart(24, "0"),
      room: String(100 + (sale % 40)),
      createdTimeMs: LAST_MS - Math.floor((entryCount - sale) / 60) * DAY_MS,
    }));
    await gateway.deliver(new AbortController().signal, 1);
    gateways.push(gateway);
  }
  const waiting = gateways.values();
  let calls = 0;
  const beganMs = performance.now();
  const lane = async () => {
    for (const gateway of waiting) {
      while (gateway.waiting > 0) {
        await gateway.deliver(new AbortController().signal);
        calls += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const seconds = (performance.now() - beganMs) / 1_000;
  const entries = gatewayCount * (entryCount - 1);
  console.log(`${gatewayCount} gateways, ${entries} entries in ${calls} calls: ${seconds.toFixed(1)} s`);
  console.log(`${Math.round(entries / seconds)} entries a second`);
  const [size] = await database.query("SELECT pg_database_size('company') AS bytes", "company");
  const [rows] = await database.query("SELECT count(*) AS entries FROM flanco.entry", "company");
  console.log(
    `${Math.round(Number(size?.["bytes"]) / Number(rows?.["entries"]))} bytes an entry on the disk`,
  );
  await Promise.all(gateways.map((gateway) => gateway.close()));
} finally {
  await database.stop();
}
