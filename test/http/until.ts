import { setTimeout as pause } from "node:timers/promises";

const DEADLINE_MS = 5_000;
const ASK_EVERY_MS = 10;

/** Resolves once the condition holds; rejects, naming it, when it does not within five seconds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const endsMs = performance.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (performance.now() > endsMs) throw new Error(`In ${DEADLINE_MS} ms it did not happen: ${what}.`);
    await pause(ASK_EVERY_MS);
  }
}
