const US_PER_MS = 1_000;

interface Timer {
  readonly callback: () => void;
  readonly everyMs: number | undefined;
  dueUs: number;
  unref(): Timer;
}

const realImmediate = globalThis.setImmediate;
const turnOfLoop = () => new Promise<void>((resolve) => void realImmediate(resolve));

/** The time of a history, in microseconds, and the timers of the process in it: they take the place of Node's own. */
export class SimulatedTime {
  us = 0;
  /** When the process ran, in order. */
  readonly #turnsUs: number[] = [];
  #timers: Timer[] = [];
  #immediates: (() => void)[] = [];

  /** From here on the program's timers are this time's. */
  install(): void {
    const stop = (timer: unknown) => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
    Object.assign(globalThis, {
      setTimeout: (callback: () => void, ms = 0) => this.#add(callback, ms, undefined),
      setInterval: (callback: () => void, ms: number) => this.#add(callback, ms, ms),
      setImmediate: (callback: () => void) => void this.#immediates.push(callback),
      clearTimeout: stop,
      clearInterval: stop,
    });
  }

  /** The process is gone, and its timers with it. */
  clear(): void {
    this.#timers = [];
    this.#immediates = [];
  }

  /** Runs all that is to run at this moment. */
  async turn(): Promise<void> {
    if (this.#turnsUs.at(-1) !== this.us) this.#turnsUs.push(this.us);
    do {
      for (const run of this.#immediates.splice(0)) run();
      await turnOfLoop();
    } while (this.#immediates.length > 0);
  }

  /** When the process ran first from a moment on. */
  turnFrom(us: number): number {
    return this.#turnsUs.find((turnUs) => turnUs >= us) ?? this.us;
  }

  /** Goes on to the next timer and runs it, where one is due until then; gives whether there was one. */
  next(untilUs: number): boolean {
    const next = this.#timers.reduce<Timer | undefined>(
      (first, timer) => (first === undefined || timer.dueUs < first.dueUs ? timer : first),
      undefined,
    );
    if (next === undefined || next.dueUs > untilUs) return false;
    this.us = Math.max(this.us, next.dueUs);
    if (next.everyMs === undefined) this.#timers = this.#timers.filter((one) => one !== next);
    else next.dueUs = this.us + next.everyMs * US_PER_MS;
    next.callback();
    return true;
  }

  #add(callback: () => void, ms: number, everyMs: number | undefined): Timer {
    const timer: Timer = {
      callback,
      everyMs,
      dueUs: this.us + Math.round(ms * US_PER_MS),
      unref: () => timer,
    };
    this.#timers.push(timer);
    return timer;
  }
}
