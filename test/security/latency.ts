import { setTimeout as pause } from "node:timers/promises";
import type { Answered } from "./client.ts";

/** How some requests of a kind went. */
export interface Latency {
  readonly count: number;
  /** Not answered, or with another status than 200. */
  readonly failures: readonly string[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Asks so often a second until it is over, whatever the answers before are doing. */
export async function paced(
  perSecond: number,
  isOver: () => boolean,
  ask: () => Promise<Answered>,
): Promise<Latency> {
  const startMs = performance.now();
  const times: number[] = [];
  const failures: string[] = [];
  const asked: Promise<void>[] = [];
  const askOnce = async (): Promise<void> => {
    try {
      const { status, ms } = await ask();
      times.push(ms);
      if (status !== 200) failures.push(`status ${status}`);
    } catch (error) {
      failures.push(String(error));
    }
  };
  for (let done = 0; !isOver(); done += 1) {
    asked.push(askOnce());
    await pause(Math.max(0, startMs + ((done + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(asked);
  return {
    count: asked.length,
    failures,
    p50Ms: percentile(times, 50),
    p99Ms: percentile(times, 99),
    maxMs: percentile(times, 100),
  };
}

/** The least value that so many percent of all are not above. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

/** For people: figures of one line. */
export function told(what: string, { count, failures, p50Ms, p99Ms, maxMs }: Latency): string {
  const ms = [p50Ms, p99Ms, maxMs].map((value) => value.toFixed(1)).join(" / ");
  return `    ${what}: ${count} requests, ${failures.length} failures, ${ms} ms (median / 99th percentile / longest)`;
}
