import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ProgramOutput } from "../told.ts";
import type { Unit } from "./unit.ts";

/** An emulated processor on a busy machine starts a program in a minute. */
export const LIMIT_SECONDS = 240;
/** What the service needs there. The watchdog has its own proof (test/guest). */
export const SLOW_SERVICE = "[Service]\nTimeoutStartSec=300\nWatchdogSec=180\n";

/** Runs a program to its end. */
export async function run(program: string, ...args: readonly string[]): Promise<ProgramOutput> {
  return runFor(LIMIT_SECONDS, program, ...args);
}

/** As `run`; an upgrade waits so long for the service. */
export async function runFor(
  limitSeconds: number,
  program: string,
  ...args: readonly string[]
): Promise<ProgramOutput> {
  const child = start(limitSeconds, program, ...args);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, said };
}

/** Runs a program that must succeed; gives what it said. */
export async function must(program: string, ...args: readonly string[]): Promise<string> {
  const { exitCode, said } = await run(program, ...args);
  if (exitCode === 0) return said;
  throw new Error(`${program} ${args.join(" ")} ended with ${exitCode}: ${said}`);
}

/** Runs a command that must succeed; gives the JSON among its words. */
export async function jsonOf<T>(program: string, ...args: readonly string[]): Promise<T> {
  const said = await must(program, ...args);
  const begins = ["{", "["].map((brace) => said.indexOf(brace)).filter((index) => index >= 0);
  return JSON.parse(
    said.slice(Math.min(...begins), Math.max(said.lastIndexOf("}"), said.lastIndexOf("]")) + 1),
  );
}

/** Starts a program as the leader of a new process group. */
export function start(limitSeconds: number, program: string, ...args: readonly string[]) {
  const env = {
    ...process.env,
    PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    FLANCO_TEST_LIMIT_SECONDS: String(limitSeconds),
  };
  return spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
}

/** Runs the part of a proof that the host has named; where it fails, the service's last words are told too. */
export async function prove(
  unit: Unit,
  parts: Readonly<Record<string, () => Promise<void>>>,
): Promise<never> {
  const part = parts[process.argv[2] ?? ""];
  if (part === undefined) throw new Error(`usage: prove.mjs ${Object.keys(parts).join("|")}`);
  try {
    await part();
  } catch (error) {
    for (const { message } of (await unit.journal(0)).slice(-80)) console.error(message);
    throw error;
  }
  // Relays and sockets may be open still.
  process.exit(0);
}
