import { setTimeout as pause } from "node:timers/promises";

const POLL_MS = 5;

/**
 * Asks again and again until `missing` has nothing left to name. Throws with what it named last when
 * `withinMs` is over.
 */
export async function until(
  missing: () => string | null | Promise<string | null>,
  withinMs: number,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const reason = await missing();
    if (reason === null) return;
    if (performance.now() > deadline) throw new Error(`After ${withinMs} ms still: ${reason}`);
    await pause(POLL_MS);
  }
}
