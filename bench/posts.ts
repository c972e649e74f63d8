import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";
import { compileLibrary } from "../scripts/compile-library.ts";
import type { Claim, Pair } from "./claim.ts";
import { prepareFlanco, startFlanco, verifyFlanco } from "./flanco-process.ts";
import { startFloor } from "./floor-process.ts";
import type { Answered, Job, LoadProcess } from "./load-process.ts";
import type { Plan } from "./plan.ts";
import { checkRows, type Measured, type Server } from "./server.ts";

const AT_LEAST_OF_FLOOR = 0.5;
const AT_LEAST_OF_SLOW_FLOOR = 0.8;

/** Durable posts with a session against the floor, with `delayMs` added to each sync of both servers. */
export async function measurePosts(plan: Plan, load: LoadProcess, delayMs = 0): Promise<Claim> {
  const folder = join(plan.directory, `posts-${delayMs}`);
  const preload = delayMs === 0 ? undefined : slowSync(plan, delayMs);
  const flancoSetting = { directory: join(folder, "flanco"), preload };
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
  const leastMs = Math.min(...least);
  if (leastMs < delayMs) {
    throw new ScriptFailure(`a post was acknowledged after ${leastMs} ms, sooner than a sync takes`);
  }
  const delay = delayMs === 0 ? "" : `, ${delayMs} ms added to each sync`;
  return {
    title: `Durable posts with a session, ${plan.connections} connections in a closed loop${delay}`,
    names: ["floor", "flanco"],
    unit: "posts/s",
    target: { bound: "at least", ratio: delayMs === 0 ? AT_LEAST_OF_FLOOR : AT_LEAST_OF_SLOW_FLOOR },
    pairs,
    notes: [
      `every post acknowledged with 201; the ledgers hold exactly those: floor ${rows[0]}, flanco ${rows[1]}`,
      `flanco verify: ${records} records, file and rollups are right`,
      `quickest acknowledgement: ${leastMs.toFixed(2)} ms`,
    ],
  };
}

/** Compiles the library that adds `delayMs` to every fsync and fdatasync of a process that preloads it. */
function slowSync({ directory }: Plan, delayMs: number): string {
  const library = join(directory, `slow-sync-${delayMs}ms.so`);
  compileLibrary(join(import.meta.dirname, "slow-sync.c"), library, [`-DDELAY_MS=${delayMs}`]);
  return library;
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
  if (result.posts === null) throw new ScriptFailure("the load process posted nothing");
  measured.acknowledged += result.posts.acknowledged;
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
