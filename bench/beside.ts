import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";
import { SECOND_MS } from "../src/domain/clock.ts";
import type { Claim, Pair } from "./claim.ts";
import { fillLedger } from "./fill.ts";
import { prepareFlanco, startFlanco, verifyFlanco } from "./flanco-process.ts";
import type { Plan } from "./plan.ts";
import { checkRows, type Server } from "./server.ts";
import { post } from "./wrk.ts";

const AT_LEAST_OF_ALONE = 0.9;
const CONNECTIONS = 64;
const SUMMARIES_PER_SECOND = 100;
export const SUMMARY_PATH = "/api/data?period=anual";

/**
 * Posts beside a stream of summaries against posts alone, on one running flanco. The stream is paced: in
 * a closed loop summaries and posts would share one processor by how many connections each has, which
 * says nothing of whether reading holds writing up.
 */
export async function measureBeside(plan: Plan): Promise<Claim> {
  const setting = { directory: join(plan.directory, "beside") };
  const password = prepareFlanco(setting);
  await fillLedger(setting.directory, plan.fewRecords);
  const flanco = await startFlanco(setting, password);
  const pairs: Pair[] = [];
  await post(flanco, CONNECTIONS, plan.warmUpSeconds);
  for (let turn = 0; turn < plan.pairs; turn += 1) {
    const base = await post(flanco, CONNECTIONS, plan.windowSeconds);
    const summaries = streamSummaries(flanco);
    const measured = await post(flanco, CONNECTIONS, plan.windowSeconds);
    await summaries.stop();
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
    notes: [`the ledger holds the ${rows} acknowledged and seeded records; flanco verify agrees`],
  };
}

/** Asks for summaries at that pace until it is stopped. Then throws ScriptFailure unless each was answered. */
function streamSummaries({ port, cookie }: Server): { stop(): Promise<void> } {
  const answers: Promise<number>[] = [];
  const ask = async (): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}${SUMMARY_PATH}`, { headers: { cookie } });
    await answer.arrayBuffer();
    return answer.status;
  };
  const timer = setInterval(() => answers.push(ask()), SECOND_MS / SUMMARIES_PER_SECOND);
  return {
    stop: async () => {
      clearInterval(timer);
      const failed = (await Promise.all(answers)).filter((status) => status !== 200).length;
      if (failed > 0) throw new ScriptFailure(`${failed} of ${answers.length} summaries were refused`);
    },
  };
}
