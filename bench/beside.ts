import { join } from "node:path";
import type { Claim, Pair } from "./claim.ts";
import { fillLedger } from "./fill.ts";
import { prepareFlanco, startFlanco, verifyFlanco } from "./flanco-process.ts";
import type { LoadProcess } from "./load-process.ts";
import type { Plan } from "./plan.ts";
import { post } from "./posts.ts";
import { checkRows } from "./server.ts";

const AT_LEAST_OF_ALONE = 0.8;
const SUMMARIES_PER_SECOND = 100;
const SUMMARY_CONNECTIONS = 4;
export const SUMMARY_PATH = "/api/data?period=anual";

/**
 * Posts beside a stream of summaries against posts alone, on one running flanco. The stream is paced: in
 * a closed loop summaries and posts would share one processor by how many connections each has, which
 * says nothing of whether reading holds writing up.
 */
export async function measureBeside(plan: Plan, load: LoadProcess): Promise<Claim> {
  const setting = { directory: join(plan.directory, "beside") };
  const password = prepareFlanco(setting);
  await fillLedger(setting.directory, plan.fewRecords);
  const flanco = { server: await startFlanco(setting, password), acknowledged: 0 };
  const stream = {
    path: SUMMARY_PATH,
    connections: SUMMARY_CONNECTIONS,
    perSecond: SUMMARIES_PER_SECOND,
  };
  const pairs: Pair[] = [];
  await post(plan, load, flanco, true, stream);
  for (let turn = 0; turn < plan.pairs; turn += 1) {
    const base = await post(plan, load, flanco, false);
    const measured = await post(plan, load, flanco, false, stream);
    pairs.push({ base: base.perSecond, measured: measured.perSecond });
  }
  await flanco.server.stop();
  const rows = checkRows(flanco, plan.fewRecords);
  verifyFlanco(setting);
  return {
    title: `Posts beside ${SUMMARIES_PER_SECOND} yearly summaries a second, paced, on ${SUMMARY_CONNECTIONS} connections`,
    names: ["alone", "beside"],
    unit: "posts/s",
    target: { bound: "at least", ratio: AT_LEAST_OF_ALONE },
    pairs,
    notes: [`the ledger holds exactly the ${rows} acknowledged and seeded records; flanco verify agrees`],
  };
}
