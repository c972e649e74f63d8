import { SUMMARY_PATH } from "./beside.ts";
import type { Claim, Pair } from "./claim.ts";
import { startFilled } from "./fill.ts";
import type { Plan } from "./plan.ts";
import type { Server } from "./server.ts";
import { drive } from "./wrk.ts";

const AT_MOST_OF_FEW = 1.2;

/** The latency of a yearly summary at many records against the same at few, each on its own instance. */
export async function measureGrowth(plan: Plan): Promise<Claim> {
  const few = await startFilled(plan, "few", plan.fewRecords);
  const many = await startFilled(plan, "many", plan.manyRecords);
  const pairs: Pair[] = [];
  for (let turn = 0; turn <= plan.pairs; turn += 1) {
    const base = await medianMs(few);
    const measured = await medianMs(many);
    if (turn > 0) pairs.push({ base, measured });
  }
  await few.stop();
  await many.stop();
  const count = (records: number): string => records.toLocaleString("en");
  return {
    title: `A yearly summary at ${count(plan.manyRecords)} records, one connection, median latency`,
    names: [`at ${count(plan.fewRecords)}`, `at ${count(plan.manyRecords)}`],
    unit: "ms",
    target: { bound: "at most", ratio: AT_MOST_OF_FEW },
    pairs,
    notes: ["flanco verify agrees with both ledgers"],
  };
}

async function medianMs(server: Server): Promise<number> {
  const { latencyMs } = await drive(server, { path: SUMMARY_PATH, connections: 1, seconds: 1 });
  return latencyMs.median;
}
