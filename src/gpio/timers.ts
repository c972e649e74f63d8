/** Undoes what was asked for; calling it again does nothing. */
export type Cancel = () => void;

/** Timers, injected so that tests decide how time passes. */
export interface Timers {
  /** Calls back once, `delayMs` of monotonic time from the call at the earliest. */
  after(delayMs: number, callback: () => void): Cancel;
}

/** The timers of the process. A pending one keeps the process alive. */
export const systemTimers: Timers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
