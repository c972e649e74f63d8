import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";
import type { Claim } from "./claim.ts";
import { prepareFlanco, startFlanco, verifyFlanco } from "./flanco-process.ts";
import { startFloor } from "./floor-process.ts";
import type { Answered, Job } from "./job.ts";
import { checkRows } from "./ledger-count.ts";
import type { LoadProcess } from "./load-process.ts";
import type { Plan } from "./plan.ts";
import type { Pair } from "./ratio.ts";
import { type Measured, noteAcknowledged, type Server } from "./server.ts";

/** What is added to each sync of both servers. */
export interface SlowSync {
  readonly library: string;
  readonly delayMs: number;
}

const AT_LEAST_OF_FLOOR = 0.5;
const AT_LEAST_OF_SLOW_FLOOR = 0.8;

/** Durable posts with a session against the floor, on the disk as it is or with slower syncs. */
export async function measurePosts(plan: Plan, load: LoadProcess, slowSync?: SlowSync): Promise<Claim> {
  const folder = join(plan.directory, slowSync === undefined ? "posts" : "slow-posts");
  const preload = slowSync?.library;
  const flancoSetting = { directory: join(folder, "flanco"), preload, profiles: plan.profiles };
  const password = prepareFlanco(flancoSetting);
  const floor = { server: await startFloor({ directory: join(folder, "floor"), preload }), acknowledged: 0 };
  const flanco = { server: await startFlanco(flancoSetting, password), acknowledged: 0 };

  const pairs: Pair[] = [];
  const least: number[] = [];
  for (let turn = 0; turn <= plan.pairs; turn += 1) {
    const warmUp = turn === 0;
    const base = await post(plan, load, floor, warmUp);
    const measured = await post(plan, load, flanco, warmUp);
    least.push(base.latencyMs.min, measured.latencyMs.min);
    if (!warmUp) pairs.push({ base: base.perSecond, measured: measured.perSecond });
  }

  await floor.server.stop();
  await flanco.server.stop();
  const rows = [checkRows(floor), checkRows(flanco)];
  const { records } = verifyFlanco(flancoSetting);
  if (slowSync !== undefined && Math.min(...least) < slowSync.delayMs) {
    throw new ScriptFailure(
      `a post was acknowledged after ${Math.min(...least)} ms, sooner than a sync takes`,
    );
  }
  const delay = slowSync === undefined ? "" : `, ${slowSync.delayMs} ms added to each sync`;
  return {
    title: `Durable posts with a session, ${plan.connections} connections in a closed loop${delay}`,
    names: ["floor", "flanco"],
    unit: "posts/s",
    target: {
      bound: "at least",
      ratio: slowSync === undefined ? AT_LEAST_OF_FLOOR : AT_LEAST_OF_SLOW_FLOOR,
    },
    pairs,
    notes: [
      `every post acknowledged with 201; the ledgers hold exactly those: floor ${rows[0]}, flanco ${rows[1]}`,
      `flanco verify: ${records} records, file and rollups are right`,
      ...(slowSync === undefined ? [] : [`quickest acknowledgement: ${Math.min(...least).toFixed(2)} ms`]),
    ],
  };
}

/** One window of posts to one server. */
export async function post(
  plan: Plan,
  load: LoadProcess,
  measured: Measured,
  warmUp: boolean,
  summaries: Job["summaries"] = null,
): Promise<Answered> {
  const result = await load.run({ ...jobFor(plan, measured.server, warmUp), summaries });
  noteAcknowledged(measured, result);
  if (result.posts === null) throw new ScriptFailure("the load process posted nothing");
  return result.posts;
}

function jobFor(plan: Plan, server: Server, warmUp: boolean): Job {
  return {
    port: server.port,
    cookie: server.cookie,
    posts: { path: server.postPath, connections: plan.connections },
    summaries: null,
    rampMs: plan.rampMs,
    windowMs: warmUp ? plan.warmUpMs : plan.windowMs,
  };
}
