import { setTimeout as pause } from "node:timers/promises";

/** Generous: the machine may be busy with other tests. */
const DEADLINE_MS = 30_000;
const ASK_EVERY_MS = 5;

/**
 * Asks until the answer is neither undefined nor false, and gives that answer. Throws at the deadline, with what was
 * waited for.
 */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > endMs) throw new Error(`Waited ${deadlineMs} ms for this: ${what}.`);
    await pause(ASK_EVERY_MS);
  }
}
