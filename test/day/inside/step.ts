import { run } from "../../package/inside/host.ts";
import type { Said } from "../../package/report.ts";
import type { DayStep } from "../report.ts";

let beganMs = performance.now();

/** Tells the host what a step came to, and how long it took. */
export function tell(step: string, facts: DayStep["facts"] = {}): void {
  const endedMs = performance.now();
  const told: DayStep = { step, seconds: Math.round((endedMs - beganMs) / 1_000), facts };
  beganMs = endedMs;
  console.error(`${step}: ${told.seconds} s`);
  console.log(JSON.stringify(told));
}

/** Runs a program that must succeed. */
export async function must(program: string, ...args: readonly string[]): Promise<Said> {
  const ended = await run(program, ...args);
  if (ended.exitCode === 0) return ended;
  throw new Error(`${program} ${args.join(" ")} ended with ${ended.exitCode}: ${ended.said}`);
}

/** The text of JSON among a command's words: what stands before its first brace or bracket goes to standard error. */
export function jsonIn<T>(said: string): T {
  const begins = ["{", "["].map((brace) => said.indexOf(brace)).filter((index) => index >= 0);
  return JSON.parse(
    said.slice(Math.min(...begins), Math.max(said.lastIndexOf("}"), said.lastIndexOf("]")) + 1),
  );
}
