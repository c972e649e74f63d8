import { expect } from "chai";
import { SUMMARY_PATH } from "../../bench/beside.ts";
import { startFilled } from "../../bench/fill.ts";
import { planFor } from "../../bench/plan.ts";
import { forSuite } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const RECORDS = 64;

describe("The benchmark's flanco", () => {
  const directory = forSuite(() => new TemporaryDirectory());

  it("starts with the records that it is filled with, and answers requests", async () => {
    const server = await startFilled(planFor(true, directory.path), "filled", RECORDS);
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}${SUMMARY_PATH}`, {
        headers: { cookie: server.cookie },
      });
      const { data } = (await answer.json()) as {
        data: { dataForChart: readonly { readonly total: number }[] };
      };
      // Every eight records bring nine.
      expect(data.dataForChart.reduce((sum, { total }) => sum + total, 0)).to.equal((RECORDS / 8) * 9);
    } finally {
      await server.stop();
    }
  });
});
