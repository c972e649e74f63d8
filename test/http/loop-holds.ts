import { setTimeout as turn } from "node:timers/promises";

const PROBE_EVERY_MS = 1;
const MICROSECONDS_PER_MILLISECOND = 1_000;

/**
 * How long this thread's event loop is held: the processor time that the thread uses from one turn to the
 * next. Not wall time, in which whatever else runs on the machine would be counted.
 */
class LoopHolds {
  #timer: NodeJS.Timeout | undefined;
  #longestMicros = 0;

  open(): void {
    let beforeMicros = usedMicros();
    this.#timer = setInterval(() => {
      const nowMicros = usedMicros();
      this.#longestMicros = Math.max(this.#longestMicros, nowMicros - beforeMicros);
      beforeMicros = nowMicros;
    }, PROBE_EVERY_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  get longestMs(): number {
    return this.#longestMicros / MICROSECONDS_PER_MILLISECOND;
  }
}

/** The longest time in ms for which some work holds this thread's event loop. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const holds = new LoopHolds();
  holds.open();
  try {
    await turn(5);
    await work();
    await turn(5);
    return holds.longestMs;
  } finally {
    holds.close();
  }
}

function usedMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
