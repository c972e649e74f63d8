import { expect } from "chai";
import { decideFork, pageAccess, setZone } from "../../src/company/company.ts";
import { companySales } from "../../src/company/sales.ts";
import { append } from "../../src/notify/central-sink.ts";
import type { Connection } from "../../src/notify/database.ts";
import { ANY } from "../ledger/records-of.ts";
import { TestChain } from "./chain.ts";
import { CompanyDatabase } from "./postgres.ts";

/** A month of the test, in Unix milliseconds. */
const SPAN = [1_000, 2_000] as const;
const MONTH = "1970-01";

describe("a settlement in the company's database", () => {
  const database = new CompanyDatabase(["fsync=off"]);
  before(() => database.start());
  after(() => database.stop());

  const send = async (connection: Connection, chain: TestChain, after = 0, limit?: number) =>
    (await append(connection, chain.batch(after, limit), Date.now())).outcome;

  /** Sales and net sum of the month up to each settlement's mark, as the database has them. */
  async function noted(name: string): Promise<readonly string[]> {
    const rows = await database.admin.query<Record<string, unknown>>(
      `SELECT s.branch, s.position, here_sales, here_micros FROM flanco.settlement s JOIN flanco.gateway USING (company, gateway)
        WHERE name = @name ORDER BY s.branch, s.position`,
      { name },
    );
    return rows.map((row) => Object.values(row).join(" "));
  }

  /** A month that was closed while entries came that its settlement does not have. */
  function aClosedMonth(): TestChain {
    const chain = new TestChain();
    const sell = (createdTimeMs: number, valorMicros: number, overrides = {}) =>
      chain.sell({ createdTimeMs, valorMicros, ...overrides });
    const first = sell(1_100, 1);
    const placed = sell(9_000, 2, { provisional: 1 });
    const unplaced = sell(1_200, 4, { provisional: 1 });
    sell(1_300, 8, { userId: "1".repeat(24) });
    chain.move(placed, 1_999);
    chain.void(sell(1_400, 16));
    chain.refund(first, 32, { createdTimeMs: 1_500 });
    sell(2_000, 64);
    const mark = sell(1_000, 128, { origin: "by_hand", reason: "hueco" });
    chain.move(unplaced, 2_500);
    chain.void(first);
    sell(1_600, 256);
    chain.close(MONTH, SPAN, mark);
    chain.void(mark);
    return chain;
  }
  const HERE = 1 + 2 + 4 - 32 + 128;

  it("stands beside what is here of its month up to its mark, however the entries come", async () => {
    const chain = aClosedMonth();
    for (const [name, limit] of [
      ["at-once", 1_000],
      ["one-by-one", 1],
    ] as const) {
      const connection = await database.connectAs(await database.addGateway(name));
      for (let sent = 0; sent < chain.position; sent += limit) {
        expect(await send(connection, chain, sent, limit)).to.equal("taken");
      }
      expect(await noted(name), name).to.deep.equal([`1 14 4 ${HERE}`]);
      await setZone(database.admin, await database.company(), name, "Pacific/Auckland");
      expect(await noted(name), "added up again").to.deep.equal([`1 14 4 ${HERE}`]);
    }
  });

  it("of a restored ledger shows what the company has beside it, and goes with the branch", async () => {
    const company = await database.company();
    const connection = await database.connectAs(await database.addGateway("restored"));
    const chain = aClosedMonth();
    await send(connection, chain);
    const restored = chain.restoredAt(8);
    restored.sell({ createdTimeMs: 1_700, valorMicros: 512 });
    restored.close(MONTH, SPAN, 9);
    await send(connection, restored, 7);
    await decideFork(database.admin, company, "restored", "accept");
    await send(connection, restored, 8);
    // The first ledger has sold 128 and 256 since, and voided 1 and 128: the restored one knows nothing of that.
    const both = [`1 14 4 ${HERE}`, `2 10 3 ${2 - 32 + 256 + 512}`];
    expect(await noted("restored")).to.deep.equal(both);
    await setZone(database.admin, company, "restored", "Europe/Madrid");
    expect(await noted("restored")).to.deep.equal(both);
    await decideFork(database.admin, company, "restored", "undo");
    expect(await noted("restored")).to.deep.equal(both.slice(0, 1));
  });

  it("leaves each refund with the sale of its own ledger, where two ledgers gave one number to two sales", async () => {
    const company = await database.company();
    const connection = await database.connectAs(await database.addGateway("twice"));
    const chain = new TestChain().sellMany(2, (sale) => ({ room: `R${sale}`, createdTimeMs: 1 + sale }));
    const restored = chain.restoredAt(1).sellMany(1, () => ({ room: "R2", createdTimeMs: 3 }));
    for (const [ledger, ofFirst, ofSecond] of [
      [chain, 1, 2],
      [restored, 4, 8],
    ] as const) {
      ledger.refund(1, ofFirst, { room: "back", createdTimeMs: 9 });
      ledger.void(ledger.refund(1, 16, { room: "back", createdTimeMs: 9 }));
      ledger.refund(2, ofSecond, { room: "back", createdTimeMs: 9 });
    }
    expect(await send(connection, chain)).to.equal("taken");
    expect(await send(connection, restored, 1)).to.equal("fork");
    await decideFork(database.admin, company, "twice", "accept");
    expect(await send(connection, restored, 1)).to.equal("taken");
    const page = await database.connectAs(await pageAccess(database.admin, company, "flanco_page"));
    const sales = companySales({ use: (run) => run(page) }, company);
    const { records } = await sales.findRecords("", {
      ...{ filter: { ...ANY, roomPart: "r" }, before: null, limit: 10 },
    });
    expect(records.map(({ room, refundedMicros }) => [room, refundedMicros])).to.deep.equal([
      ["R2", 8],
      ["R1", 2],
      ["R0", 5],
    ]);
  });
});
