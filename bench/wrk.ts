import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ScriptFailure } from "../scripts/command.ts";
import { installFor } from "../scripts/debian.ts";
import { SECOND_MS } from "../src/domain/clock.ts";
import type { Server } from "./server.ts";

const SCRIPT = join(import.meta.dirname, "requests.lua");
const MICROSECONDS = 1_000_000;
/** The first record's time. */
const START_MS = Date.now();

/** What the clients do: each sends a request once the one before is answered. */
export interface Load {
  /** A path to ask for; null: records are posted. */
  readonly path: string | null;
  readonly connections: number;
  readonly seconds: number;
  /** How many requests a second the one connection sends at most; undefined: as many as are answered. */
  readonly pace?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly requests: number;
  readonly latencyMs: { readonly min: number; readonly median: number; readonly p99: number };
}

interface Report {
  readonly requests: number;
  readonly us: number;
  readonly failed: number;
  readonly minUs: number;
  readonly medianUs: number;
  readonly p99Us: number;
}

/** Runs wrk against a server. Throws ScriptFailure when any answer was not a success. */
export async function drive(server: Server, { path, connections, seconds, pace }: Load): Promise<LoadResult> {
  installFor("load");
  const child = spawn(
    "wrk",
    [
      ...["--threads=1", `--connections=${connections}`, `--duration=${seconds}s`, `--script=${SCRIPT}`],
      `http://127.0.0.1:${server.port}${path ?? server.postPath}`,
    ],
    {
      env: {
        PATH: process.env["PATH"],
        BENCH_COOKIE: server.cookie,
        ...(pace === undefined ? {} : { BENCH_PACE_MS: String(SECOND_MS / pace) }),
        ...(path === null ? { BENCH_START_MS: String(START_MS), BENCH_SENT: String(sentTo(server)) } : {}),
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const line = output.split("\n").find((each) => each.startsWith("{"));
  if (code !== 0 || line === undefined) throw new ScriptFailure(`wrk ended with ${code}:\n${output}`);
  const { requests, us, failed, minUs, medianUs, p99Us } = JSON.parse(line) as Report;
  if (failed > 0 || requests === 0) {
    throw new ScriptFailure(`${server.name}: ${requests} answers, ${failed} failures under load:\n${output}`);
  }
  const ms = (microseconds: number): number => (microseconds / MICROSECONDS) * SECOND_MS;
  return {
    perSecond: (requests / us) * MICROSECONDS,
    requests,
    latencyMs: { min: ms(minUs), median: ms(medianUs), p99: ms(p99Us) },
  };
}

/** Posts that the server may hold: the next one's time lies after all of theirs. */
function sentTo({ acknowledged, unanswered }: Server): number {
  return acknowledged + unanswered;
}

/** One window of posts. What was acknowledged is counted for `checkRows`. */
export async function post(server: Server, connections: number, seconds: number): Promise<LoadResult> {
  const answered = await drive(server, { path: null, connections, seconds });
  server.acknowledged += answered.requests;
  // wrk leaves while each connection waits for an answer.
  server.unanswered += connections;
  return answered;
}
