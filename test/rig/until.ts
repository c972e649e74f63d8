import { setTimeout as pause } from "node:timers/promises";

/** Generous: the machine may be busy with other tests. */
const DEADLINE_MS = 30_000;
const ASK_EVERY_MS = 5;
/** What takes long is asked for less often: to ask may cost as much as what is waited for. */
const ASK_LEAST_EVERY_MS = 50;
const WAITED_SHARE = 0.1;

/**
 * Asks until the answer is neither undefined nor false, and gives that answer. Throws at the deadline, with what was
 * waited for.
 */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > deadlineMs) throw new Error(`Waited ${deadlineMs} ms for this: ${what}.`);
    await pause(Math.min(ASK_LEAST_EVERY_MS, Math.max(ASK_EVERY_MS, waitedMs * WAITED_SHARE)));
  }
}
