// Prints how long one gateway's forwarder takes to send a week of sales to the company's database, as after a week without a network.
//
//   node test/beyond/catch-up.ts [SALES A DAY]

import { writeFileSync } from "node:fs";
import { DAY_MS } from "../../src/domain/clock.ts";
import { CentralSink } from "../../src/notify/central-sink.ts";
import { EntryFeed } from "../../src/notify/entry-feed.ts";
import { Forwarder } from "../../src/notify/forwarder.ts";
import { systemClock, systemTimers } from "../../src/platform/machine.ts";
import { KeptLog } from "../http/fakes.ts";
import { newRecord, TestLedger } from "../ledger/test-ledger.ts";
import { until } from "../rig/until.ts";
import { CompanyDatabase } from "./postgres.ts";

const DAYS = 7;
/** As many as the ledger's queue takes. */
const AT_ONCE = 500;

const perDay = Number(process.argv[2] ?? 10_000);
const database = await new CompanyDatabase().start();
const ledger = await new TestLedger().open("Europe/Madrid");
try {
  const { role, password } = await database.addGateway("malaga");
  const passwordFile = database.directory.file("password");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const { id } = await ledger.addUser();
  const beginMs = Date.now() - DAYS * DAY_MS;
  for (let first = 0; first < DAYS * perDay; first += AT_ONCE) {
    const sales = Array.from({ length: Math.min(AT_ONCE, DAYS * perDay - first) }, (_, index) =>
      newRecord({
        deviceId: String(index % 30).padStart(24, "0"),
        room: String(100 + (index % 500)),
        createdTimeMs: Math.floor(beginMs + ((first + index) * DAY_MS) / perDay),
      }),
    );
    await Promise.all(sales.map((sale) => ledger.writer.addRecord(id, sale, null)));
  }
  const clock = systemClock;
  const feed = new EntryFeed({
    chain: ledger.reader,
    settled: () => ledger.writer.ping(),
    clock,
    file: `${ledger.directory}/forward/central.json`,
  });
  const forwarder = new Forwarder({ clock, timers: systemTimers, log: new KeptLog() });
  forwarder.add(
    feed,
    new CentralSink({
      url: database.url(role),
      passwordFile,
      clock,
      timers: systemTimers,
      own: { timeZone: "Europe/Madrid", currency: "EUR" },
    }),
  );
  const beganMs = performance.now();
  forwarder.open();
  await until("all is sent", () => feed.progress().waiting === 0, 600_000);
  const seconds = (performance.now() - beganMs) / 1_000;
  await forwarder.close();
  const [row] = await database.admin.query<{ entries: string }>(
    "SELECT count(*) AS entries FROM flanco.entry",
  );
  console.log(
    `${row?.entries} entries of ${DAYS} days in ${seconds.toFixed(1)} s: ${Math.round((DAYS * DAY_MS) / 1_000 / seconds)} times real time`,
  );
} finally {
  await ledger.remove();
  await database.stop();
}
