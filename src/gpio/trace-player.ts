import { type Cancel, type Clock, monotonicMs, type Timers } from "../domain/clock.ts";
import type { DrivableLines } from "../domain/line.ts";
import type { Trace } from "./trace.ts";

export interface TraceDependencies {
  readonly lines: DrivableLines;
  readonly clock: Clock;
  readonly timers: Timers;
}

/**
 * Plays a trace's levels on simulated lines; its other steps change nothing
 * here. Times count from `open`, so that late timers do not add up.
 */
export class TracePlayer {
  readonly #trace: Trace;
  readonly #dependencies: TraceDependencies;
  #startMs = 0;
  #next = 0;
  #cancel: Cancel = () => {};

  constructor(trace: Trace, dependencies: TraceDependencies) {
    this.#trace = trace;
    this.#dependencies = dependencies;
  }

  async open(): Promise<void> {
    this.#startMs = monotonicMs(this.#dependencies.clock);
    this.#next = 0;
    this.#advance();
  }

  async close(): Promise<void> {
    this.#cancel();
  }

  #advance(): void {
    const { clock, lines, timers } = this.#dependencies;
    const elapsedMs = monotonicMs(clock) - this.#startMs;
    let step = this.#trace.steps[this.#next];
    while (step !== undefined && step.atMs <= elapsedMs) {
      if (step.kind === "level") lines.set(step.line, step.high);
      this.#next += 1;
      step = this.#trace.steps[this.#next];
    }
    const { repeatAtMs } = this.#trace;
    if (step !== undefined) {
      this.#cancel = timers.after(step.atMs - elapsedMs, () => this.#advance());
    } else if (repeatAtMs !== null) {
      this.#cancel = timers.after(Math.max(0, repeatAtMs - elapsedMs), () => this.#repeat(repeatAtMs));
    }
  }

  #repeat(afterMs: number): void {
    this.#startMs += afterMs;
    this.#next = 0;
    this.#advance();
  }
}
