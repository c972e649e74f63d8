import { expect } from "chai";
import { type LaterSums, whenRead } from "../../src/company/later-sums.ts";
import { NOTHING_SOLD } from "../../src/domain/overview.ts";
import { ALL } from "../../src/ledger/nouns/rollup-sum.ts";

const RANGES = { months: [], days: [{ from: 20261101, to: 20261102 }] };

describe("Sums that answer later", () => {
  const asked: string[] = [];
  const later: LaterSums = {
    firstDay: async () => {
      asked.push("firstDay");
      return 20261101;
    },
    sums: async ({ days }) => {
      asked.push("sums");
      return new Map(days.map(({ from }) => [from, { totalMicros: 5n, count: 2 }]));
    },
    sellers: () => Promise.reject(new Error("the database is away")),
    goneDevices: async () => [],
    distinct: async () => ({ locations: 1, devices: 1 }),
    soFar: async () => [],
  };

  beforeEach(() => asked.splice(0));

  it("are each read once, and give what sums that answer at once would", async () => {
    const sold = await whenRead(later, (sums) => {
      const first = sums.firstDay();
      return sums.sums(RANGES, ALL).get(first ?? 0) ?? NOTHING_SOLD;
    });
    expect(sold).to.deep.equal({ totalMicros: 5n, count: 2 });
    expect(asked).to.deep.equal(["firstDay", "sums"]);
  });

  it("fail as their database fails, and as the computation does", async () => {
    const failure = async (compute: Parameters<typeof whenRead>[1]) =>
      String(await whenRead(later, compute).catch((error: unknown) => error));
    expect(await failure((sums) => sums.sellers(RANGES, RANGES, RANGES, ALL))).to.include("is away");
    const wrong = () => {
      throw new Error("no such day");
    };
    expect(await failure(wrong)).to.include("no such day");
  });
});
