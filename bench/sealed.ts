import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { runCommand, ScriptFailure } from "../scripts/command.ts";
import { freePort } from "../scripts/ports.ts";
import { buildBinary } from "../scripts/release/binary.ts";
import { isOwn, PROCESSORS } from "../scripts/release/processor.ts";
import { SECOND_MS } from "../src/domain/clock.ts";
import type { Claim, Pair } from "./claim.ts";
import { wireLines, withWriter } from "./fill.ts";
import { flancoEnvironment, ledgerIn, prepareFlanco } from "./flanco-process.ts";
import type { Plan } from "./plan.ts";
import { processorTime, startCommand } from "./server.ts";

const LINES = 32;
const AT_MOST_OF_BARE = 2;
const PROMISED_IDLE_PERCENT = 0.2;
const PROMISED_MEGABYTES = 95;
/** The page's files are compressed, and the first collections of garbage have been, by then. */
const SETTLED_MS = 20_000;
const ASK_EVERY_MS = 2;
const START_DEADLINE_MS = 30_000;

/** The sealed program with its wired lines: its start beside a bare server's, and what it takes while nothing happens. */
export async function measureSealed(plan: Plan): Promise<readonly Claim[]> {
  const binary = await sealedIn(plan.directory);
  const setting = { directory: join(plan.directory, "sealed") };
  prepareFlanco(setting);
  await withWriter(ledgerIn(setting.directory), (writer, userId) => wireLines(writer, userId, LINES));
  const flanco = async () => {
    const port = await freePort();
    const httpsPort = await freePort();
    return startedIn("flanco", [binary, "serve"], port, {
      ...flancoEnvironment(setting),
      FLANCO_HOST: "127.0.0.1",
      FLANCO_HTTP_PORT: String(port),
      FLANCO_HTTPS_PORT: String(httpsPort),
      FLANCO_GPIO_DRIVER: "simulated",
      FLANCO_SIMULATED_LINES: String(LINES),
      FLANCO_LOG_LEVEL: "error",
      // As its unit has it.
      MALLOC_ARENA_MAX: "1",
    });
  };
  const bare = async () => {
    const port = await freePort();
    const script = join(import.meta.dirname, "bare.mjs");
    const file = join(plan.directory, "bare.db");
    return startedIn("bare server", [process.execPath, script, file, String(port)], port, process.env);
  };
  const starts: Pair[] = [];
  // The first starts unpack and make what the next ones find.
  for (let turn = 0; turn <= plan.pairs; turn += 1) {
    const [base, measured] = [await bare(), await flanco()];
    await base.stop();
    await measured.stop();
    if (turn > 0) starts.push({ base: base.tookMs, measured: measured.tookMs });
  }
  forgetPagesOf(binary);
  const service = await flanco();
  await pause(SETTLED_MS);
  const idle: Pair[] = [];
  const memory: Pair[] = [];
  for (let turn = 0; turn < plan.pairs; turn += 1) {
    const windowMs = 2 * plan.windowSeconds * SECOND_MS;
    const before = processorTime(service).all;
    await pause(windowMs);
    const microseconds = processorTime(service).all - before;
    idle.push({ base: PROMISED_IDLE_PERCENT, measured: microseconds / windowMs / 10 });
    memory.push({ base: PROMISED_MEGABYTES, measured: residentKb(service.pid) / 1_000 });
  }
  await service.stop();
  const promised = { names: ["promised", "taken"], target: { bound: "at most", ratio: 1 } } as const;
  return [
    {
      title:
        "From the sealed program's start to its first answer with 200, beside Koa and better-sqlite3 alone",
      names: ["bare", "flanco"],
      unit: "ms",
      target: { bound: "at most", ratio: AT_MOST_OF_BARE },
      pairs: starts,
      notes: [
        `${LINES} simulated lines are wired; the bare server opens a table and answers how many rows it has`,
      ],
    },
    {
      title: `Processor time of the sealed program with ${LINES} quiet lines, of one core`,
      unit: "%",
      ...promised,
      pairs: idle,
      notes: ["no page is open"],
    },
    {
      title: `Resident memory of the sealed program with ${LINES} quiet lines`,
      unit: "MB",
      ...promised,
      pairs: memory,
      notes: [
        "with the parts of its file that it has read (VmRSS), after the kernel forgot that file, as at a boot",
      ],
    },
  ];
}

async function sealedIn(directory: string): Promise<string> {
  const processor = PROCESSORS.find(isOwn);
  if (processor === undefined) throw new ScriptFailure(`nothing is sealed for ${process.arch}`);
  const target = join(directory, "flanco-sealed");
  const work = join(directory, "sealing");
  mkdirSync(work, { recursive: true });
  await buildBinary({ processor, checkout: join(import.meta.dirname, ".."), directory: work, target });
  return target;
}

/** Of a file that was just written in large pieces the kernel maps far more than is read. */
function forgetPagesOf(file: string): void {
  runCommand(["sync", file]);
  runCommand(["dd", `if=${file}`, "iflag=nocache", "count=0", "status=none"]);
}

/** Starts a server, and gives how long it took until it answered `/healthz` with 200. */
async function startedIn(name: string, command: readonly string[], port: number, env: NodeJS.ProcessEnv) {
  const beganMs = performance.now();
  const { child, stop } = startCommand(name, command, env);
  while (!(await answers(port))) {
    if (performance.now() - beganMs > START_DEADLINE_MS || child.exitCode !== null) {
      child.kill("SIGKILL");
      throw new ScriptFailure(`${name} did not answer`);
    }
    await pause(ASK_EVERY_MS);
  }
  return { pid: Number(child.pid), tookMs: performance.now() - beganMs, stop };
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).status === 200;
  } catch {
    // Nothing listens yet.
    return false;
  }
}

function residentKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
