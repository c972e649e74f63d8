import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";
import { type Claim, type Pair, spreadOf } from "./claim.ts";
import { prepareFlanco, startFlanco, verifyFlanco } from "./flanco-process.ts";
import { startPeer } from "./peer-process.ts";
import type { Plan } from "./plan.ts";
import { checkRows, processorTime, type Server } from "./server.ts";
import { slowSync } from "./slow-sync.ts";
import { type LoadResult, post } from "./wrk.ts";

/** What is promised at each number of connections, of the floor. */
const OF_FLOOR: readonly (readonly [connections: number, ratio: number])[] = [
  [1, 0.6],
  [8, 0.45],
  [64, 0.45],
];
const OF_SLOW_FLOOR: typeof OF_FLOOR = [
  [1, 0.95],
  [8, 0.9],
  [64, 0.9],
];
const OF_ECHO = 0.65;
const MOST_CONNECTIONS = 64;

/** One window of posts, and the processor time that the server took for each. */
interface Window extends LoadResult {
  readonly mainUs: number;
  readonly allUs: number;
}

/** Durable posts with a session against the floor, with `delayMs` added to each sync of both servers. */
export async function measurePosts(plan: Plan, delayMs = 0): Promise<readonly Claim[]> {
  const folder = join(plan.directory, `posts-${delayMs}`);
  const preload = delayMs === 0 ? undefined : slowSync(plan, delayMs);
  const flancoSetting = { directory: join(folder, "flanco"), preload };
  const password = prepareFlanco(flancoSetting);
  const floor = await startPeer("floor", { directory: join(folder, "floor"), preload });
  const flanco = await startFlanco(flancoSetting, password);
  for (const server of [floor, flanco]) await post(server, MOST_CONNECTIONS, plan.warmUpSeconds);

  const claims: Claim[] = [];
  for (const [connections, ratio] of delayMs === 0 ? OF_FLOOR : OF_SLOW_FLOOR) {
    const delay = delayMs === 0 ? "" : `, ${delayMs} ms added to each sync`;
    claims.push(
      await compare(plan, floor, flanco, connections, {
        title: `Durable posts with a session, closed loop on ${connections} connections${delay}`,
        ratio,
        delayMs,
        isDrawn: true,
      }),
    );
  }
  if (delayMs === 0) claims.push(await measureEcho(plan, flanco));

  await floor.stop();
  await flanco.stop();
  const rows = [checkRows(floor), checkRows(flanco)];
  const { records } = verifyFlanco(flancoSetting);
  const note = `every post acknowledged with success is in the ledger: floor ${rows[0]}, flanco ${rows[1]} records; flanco verify: ${records} records, file and rollups are right`;
  return claims.map((claim, index) =>
    index === claims.length - 1 ? { ...claim, notes: [...claim.notes, note] } : claim,
  );
}

async function measureEcho(plan: Plan, flanco: Server): Promise<Claim> {
  const echo = await startPeer("echo", { directory: join(plan.directory, "echo") });
  await post(echo, MOST_CONNECTIONS, plan.warmUpSeconds);
  const claim = await compare(plan, echo, flanco, MOST_CONNECTIONS, {
    title: `Durable posts with a session against a Koa server that stores nothing, ${MOST_CONNECTIONS} connections`,
    ratio: OF_ECHO,
    delayMs: 0,
    isDrawn: false,
  });
  await echo.stop();
  return claim;
}

interface Comparison {
  readonly title: string;
  readonly ratio: number;
  /** Added to each sync. */
  readonly delayMs: number;
  /** Whether it is a point of the pictures. */
  readonly isDrawn: boolean;
}

/** Throws ScriptFailure when a post is acknowledged sooner than a sync takes. */
async function compare(
  plan: Plan,
  base: Server,
  flanco: Server,
  connections: number,
  { title, ratio, delayMs, isDrawn }: Comparison,
): Promise<Claim> {
  const pairs: Pair[] = [];
  const windows: readonly [base: Window[], flanco: Window[]] = [[], []];
  for (let turn = 0; turn < plan.pairs; turn += 1) {
    const first = await measure(base, connections, plan.windowSeconds);
    const second = await measure(flanco, connections, plan.windowSeconds);
    windows[0].push(first);
    windows[1].push(second);
    pairs.push({ base: first.perSecond, measured: second.perSecond });
  }
  const quickestMs = Math.min(...windows.flat().map(({ latencyMs }) => latencyMs.min));
  if (quickestMs < delayMs) {
    throw new ScriptFailure(`a post was acknowledged after ${quickestMs} ms, sooner than a sync takes`);
  }
  return {
    title,
    names: [base.name, flanco.name],
    unit: "posts/s",
    target: { bound: "at least", ratio },
    pairs,
    notes: [describeWindows(base, windows[0]), describeWindows(flanco, windows[1])],
    ...(isDrawn && {
      point: { connections, delayMs, servers: [drawn(base, windows[0]), drawn(flanco, windows[1])] },
    }),
  };
}

async function measure(server: Server, connections: number, seconds: number): Promise<Window> {
  const before = processorTime(server);
  const answered = await post(server, connections, seconds);
  const after = processorTime(server);
  return {
    ...answered,
    mainUs: (after.main - before.main) / answered.requests,
    allUs: (after.all - before.all) / answered.requests,
  };
}

function drawn({ name }: Server, windows: readonly Window[]) {
  return {
    name,
    perSecond: medianOf(windows, ({ perSecond }) => perSecond),
    p99Ms: medianOf(windows, ({ latencyMs }) => latencyMs.p99),
  };
}

function medianOf(windows: readonly Window[], of: (window: Window) => number): number {
  return spreadOf(windows.map(of)).median;
}

function describeWindows({ name }: Server, windows: readonly Window[]): string {
  const median = (of: (window: Window) => number): number => medianOf(windows, of);
  return [
    `${name}, medians: latency ${median(({ latencyMs }) => latencyMs.median).toFixed(2)} ms`,
    `p99 ${median(({ latencyMs }) => latencyMs.p99).toFixed(2)} ms`,
    `processor ${median(({ allUs }) => allUs).toFixed(0)} µs a post, ${median(({ mainUs }) => mainUs).toFixed(0)} of it the main thread's`,
  ].join(", ");
}
