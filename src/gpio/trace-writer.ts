import { type Clock, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { formatStep, type TraceStep } from "./trace.ts";

/** A wall clock that moved this far from the monotonic one was set. */
const CLOCK_STEP_MS = SECOND_MS;

/** A level as it was seen; times in milliseconds. */
export interface SeenLevel {
  readonly line: string;
  /** The physical level. */
  readonly high: boolean;
  readonly timeMs: number;
  readonly monotonicMs: number;
  /** Edges lost just before. */
  readonly missed: number;
}

/** Writes a trace, each row as soon as its step is seen. */
export class TraceWriter {
  readonly #clock: Clock;
  readonly #write: (row: string) => void;
  readonly #startMs: number;
  /** How far the wall clock is ahead of the monotonic one. */
  #aheadMs: number;
  #lastAtMs = 0;

  constructor(clock: Clock, write: (row: string) => void) {
    this.#clock = clock;
    this.#write = write;
    this.#startMs = monotonicMs(clock);
    this.#aheadMs = clock.nowMs() - this.#startMs;
  }

  /** The first row: the wall time at which the trace begins. */
  begin(): void {
    this.#write(formatStep({ kind: "time", atMs: 0, timeMs: this.#startMs + this.#aheadMs }));
  }

  /** Writes a step of this moment. */
  now(step: WithoutTime<TraceStep>): void {
    this.#write(formatStep({ ...step, atMs: this.#at(monotonicMs(this.#clock)) }));
  }

  level({ line, high, timeMs, monotonicMs: seenMs, missed }: SeenLevel): void {
    const atMs = this.#at(seenMs);
    const aheadMs = timeMs - seenMs;
    if (Math.abs(aheadMs - this.#aheadMs) >= CLOCK_STEP_MS) {
      this.#aheadMs = aheadMs;
      this.#write(formatStep({ kind: "time", atMs, timeMs }));
    }
    if (missed > 0) this.#write(`# ${missed} edges of ${line} were lost here`);
    this.#write(formatStep({ kind: "level", atMs, line, high }));
  }

  /** Rows are in order of time, also where lines are read one after the other. */
  #at(seenMs: number): number {
    this.#lastAtMs = Math.max(this.#lastAtMs, Math.round(seenMs - this.#startMs));
    return this.#lastAtMs;
  }
}

/** A step of each kind, its time left out. */
type WithoutTime<S> = S extends TraceStep ? Omit<S, "atMs"> : never;
