import { type Cancel, type Clock, DAY_MS, monotonicMs, type Timers } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, DrivableLines } from "../domain/line.ts";
import { resolveLine } from "./address.ts";

/** Node's timers hold at most 24 days. */
const MAX_AT_MS = DAY_MS;

export interface TraceStep {
  /** Milliseconds since the trace's start; never less than the step before. */
  readonly atMs: number;
  readonly line: string;
  readonly high: boolean;
}

/** The levels of lines over time. */
export interface Trace {
  readonly steps: readonly TraceStep[];
  /** When the trace starts again, in milliseconds since its start; null for a trace that ends. */
  readonly repeatAtMs: number | null;
}

/**
 * Parses a trace: one change per row, `AT_MS LINE high|low`, in order of time; `#` begins a comment; the last row may be
 * `AT_MS repeat`. Throws `config`, naming `file`, with every mistake and its row number.
 */
export function parseTrace(file: string, text: string, chips: readonly ChipInfo[]): Trace {
  const steps: TraceStep[] = [];
  const mistakes: string[] = [];
  let repeatAtMs: number | null = null;
  let lastAtMs = 0;
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    const words = row.replace(/#.*/, "").trim().split(/\s+/);
    if (words[0] === "") continue;
    const complain = (mistake: string) => mistakes.push(`row ${index + 1}: ${mistake}`);
    if (repeatAtMs !== null) {
      complain("nothing may follow the row that repeats");
      continue;
    }
    const [at = "", line = "", level] = words;
    const atMs = /^\d+$/.test(at) && Number(at) <= MAX_AT_MS ? Number(at) : null;
    if (atMs === null) complain(`'${at}' is not a time in whole milliseconds from 0 to ${MAX_AT_MS}`);
    else if (atMs < lastAtMs) complain(`${atMs} ms is before the row above (${lastAtMs} ms)`);
    lastAtMs = Math.max(lastAtMs, atMs ?? 0);
    if (line === "repeat" && level === undefined) {
      repeatAtMs = lastAtMs;
      if (atMs === 0) complain("a trace must last longer than 0 ms before it repeats");
    } else if (level === undefined || words.length > 3) {
      complain(`'${words.join(" ")}' is not AT_MS LINE high|low`);
    } else {
      const mistake = lineMistake(line, chips);
      if (mistake !== undefined) complain(mistake);
      if (level !== "high" && level !== "low") complain(`'${level}' is neither high nor low`);
      steps.push({ atMs: lastAtMs, line, high: level === "high" });
    }
  }
  if (mistakes.length > 0) {
    throw new FlancoError("config", `The trace ${file} has mistakes:\n  ${mistakes.join("\n  ")}`, {
      hint: "A row is AT_MS LINE high|low (1500 SIM0 high), or, at the end, AT_MS repeat.",
    });
  }
  return { steps, repeatAtMs };
}

function lineMistake(line: string, chips: readonly ChipInfo[]): string | undefined {
  try {
    resolveLine(line, chips);
    return undefined;
  } catch (error) {
    if (!(error instanceof FlancoError)) throw error;
    return error.message;
  }
}

export interface TraceDependencies {
  readonly lines: DrivableLines;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Plays a trace on simulated lines. Times count from `open`, so that late timers do not add up. */
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
      lines.set(step.line, step.high);
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
