import { ScriptFailure } from "../scripts/command.ts";
import { SUMMARY_PATH } from "./beside.ts";
import type { Claim, Pair } from "./claim.ts";
import { startFilled } from "./fill.ts";
import type { LoadProcess } from "./load-process.ts";
import type { Plan } from "./plan.ts";
import type { Server } from "./server.ts";

const AT_MOST_OF_FEW = 1.2;
/** Windows per pair of the other claims: a latency needs less time than a rate. */
const WINDOWS_SHARE = 4;

/** The latency of a yearly summary at many records against the same at few, each on its own instance. */
export async function measureGrowth(plan: Plan, load: LoadProcess): Promise<Claim> {
  const few = await startFilled(plan, "few", plan.fewRecords);
  const many = await startFilled(plan, "many", plan.manyRecords);
  const pairs: Pair[] = [];
  for (let turn = 0; turn <= plan.pairs; turn += 1) {
    const base = await medianMs(plan, load, few);
    const measured = await medianMs(plan, load, many);
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

async function medianMs(plan: Plan, load: LoadProcess, server: Server): Promise<number> {
  const result = await load.run({
    port: server.port,
    cookie: server.cookie,
    posts: null,
    summaries: { path: SUMMARY_PATH, connections: 1, perSecond: null },
    rampMs: plan.rampMs,
    windowMs: plan.windowMs / WINDOWS_SHARE,
  });
  if (result.summaries === null) throw new ScriptFailure("the load process asked for nothing");
  return result.summaries.latencyMs.median;
}
