import { expect } from "chai";
import { append } from "../../src/central/append.ts";
import { addGateway, companyOf, initialise } from "../../src/central/company.ts";
import { type Connection, connect, parseAddress } from "../../src/central/database.ts";
import { companyOverview } from "../../src/central/overview.ts";
import type { Overview, OverviewPeriod, OverviewRequest } from "../../src/domain/overview.ts";
import type { NewRecord } from "../../src/domain/record.ts";
import { newRecord, TestLedger } from "../store/ledger.ts";
import { TestChain } from "./chain.ts";
import { Postgres } from "./postgres.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 2, 29, 10);
const ZONE = "Europe/Madrid";
const PERIODS: readonly OverviewPeriod[] = ["day", "week", "month", "year"];

/** The same sales in one gateway's ledger, and of three gateways in the company's database. */
describe("an overview of the company's database", () => {
  const database = new Postgres(["fsync=off"]);
  const ledger = new TestLedger();
  let admin: Connection;
  let userId = "";

  before(async () => {
    await database.start();
    await ledger.open(ZONE);
    admin = await database.connect();
    await initialise(admin, "Televida", ZONE);
    const { id } = await ledger.addUser();
    userId = id;
    const company = await companyOf(admin, undefined);
    for (const gateway of [0, 1, 2]) {
      const { role, password } = await addGateway(admin, company, `clinic-${gateway}`);
      const chain = new TestChain();
      for (let sale = 0; sale < 250; sale += 1) {
        const record: Partial<NewRecord> = {
          locationName: ["Ángel", "B", 'C "1"'][(sale + gateway) % 3] ?? "",
          deviceId: ["1", "2", "10"][sale % 3] ?? "",
          valorMicros: ((sale * 7919 + gateway) % 9_000_000) - 1_000_000,
          // Four a day, into two years, some in the hours when the clocks change.
          createdTimeMs: NOW_MS - Math.floor((sale * sale) / 90) * DAY_MS - (sale % 24) * 3_600_000 - gateway,
        };
        chain.sell(record);
        const { recordId } = await ledger.writer.addRecord(userId, newRecord(record), null);
        if (sale % 11 === 0) {
          chain.void(chain.position);
          await ledger.writer.voidRecord(recordId, "tested");
        }
      }
      const connection = await connect(parseAddress(database.url(role)), () => password);
      expect((await append(connection, chain.batch(), NOW_MS)).outcome).to.equal("taken");
      await connection.close();
    }
  });

  after(async () => {
    await admin?.close();
    await ledger.remove();
    await database.stop();
  });

  /** In the order of names where sums are equal, both stores agree. */
  async function both(request: OverviewRequest): Promise<readonly [Overview, Overview]> {
    const company = await companyOf(admin, undefined);
    return [
      await companyOverview(admin, company, request, NOW_MS),
      ledger.reader.overview(userId, request, NOW_MS),
    ];
  }

  for (const period of PERIODS) {
    it(`of a ${period} is that of one ledger with the sales of all clinics`, async () => {
      for (const at of [null, 20260131, 20251231, 20250228]) {
        for (const [location, deviceId] of [
          [null, null],
          ["Ángel", null],
          [null, "10"],
          ['C "1"', "2"],
        ] as const) {
          const [central, own] = await both({ period, at, filter: { location, deviceId } });
          expect(central).to.deep.equal(own);
        }
      }
      const [{ count }] = await both({
        period: "year",
        at: null,
        filter: { location: null, deviceId: null },
      });
      expect(count).to.be.greaterThan(100);
    });
  }
});
