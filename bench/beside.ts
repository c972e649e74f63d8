import { join } from "node:path";
import { type Claim, type Pair, spreadOf } from "./claim.ts";
import { fillLedger } from "./fill.ts";
import { prepareFlanco, startFlanco, verifyFlanco } from "./flanco-process.ts";
import type { Plan } from "./plan.ts";
import { checkRows } from "./server.ts";
import { drive, type LoadResult, post } from "./wrk.ts";

const AT_LEAST_OF_ALONE = 0.9;
const CONNECTIONS = 64;
const SUMMARIES_PER_SECOND = 100;
export const SUMMARY_PATH = "/api/data?period=anual";

/**
 * Posts beside a stream of summaries against posts alone, on one running flanco. The stream is paced: in
 * a closed loop summaries and posts would share one processor by how many connections each has, which
 * says nothing of whether reading holds writing up. Wrk asks for them too, because what a client takes of the processors
 * is missing to the posts as well.
 */
export async function measureBeside(plan: Plan): Promise<Claim> {
  const setting = { directory: join(plan.directory, "beside") };
  const password = prepareFlanco(setting);
  await fillLedger(setting.directory, plan.fewRecords);
  const flanco = await startFlanco(setting, password);
  const pairs: Pair[] = [];
  const summaries: LoadResult[] = [];
  await post(flanco, CONNECTIONS, plan.warmUpSeconds);
  for (let turn = 0; turn < plan.pairs; turn += 1) {
    const base = await post(flanco, CONNECTIONS, plan.windowSeconds);
    const [measured, answered] = await Promise.all([
      post(flanco, CONNECTIONS, plan.windowSeconds),
      drive(flanco, {
        path: SUMMARY_PATH,
        connections: 1,
        seconds: plan.windowSeconds,
        pace: SUMMARIES_PER_SECOND,
      }),
    ]);
    summaries.push(answered);
    pairs.push({ base: base.perSecond, measured: measured.perSecond });
  }
  await flanco.stop();
  const rows = checkRows(flanco, plan.fewRecords);
  verifyFlanco(setting);
  return {
    title: `Posts on ${CONNECTIONS} connections beside ${SUMMARIES_PER_SECOND} yearly summaries a second, paced`,
    names: ["alone", "beside"],
    unit: "posts/s",
    target: { bound: "at least", ratio: AT_LEAST_OF_ALONE },
    pairs,
    notes: [
      describe(summaries),
      `the ledger holds the ${rows} acknowledged and seeded records; flanco verify agrees`,
    ],
  };
}

function describe(summaries: readonly LoadResult[]): string {
  const median = (of: (window: LoadResult) => number): number => spreadOf(summaries.map(of)).median;
  return [
    `summaries, medians: ${median(({ perSecond }) => perSecond).toFixed(0)} a second`,
    `latency ${median(({ latencyMs }) => latencyMs.median).toFixed(2)} ms`,
    `p99 ${median(({ latencyMs }) => latencyMs.p99).toFixed(2)} ms`,
  ].join(", ");
}
