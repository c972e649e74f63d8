import type { Clock } from "../domain/clock.ts";
import { monotonicMs } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, DrivableLines } from "../domain/line.ts";
import { resolveLine } from "./address.ts";
import type { Cancel, Timers } from "./timers.ts";

/** A day: timers hold no more than 24, and no trace is that long. */
const MAX_AT_MS = 86_400_000;

export interface TraceStep {
  /** Milliseconds since the trace's start; never less than the step before. */
  readonly atMs: number;
  readonly line: string;
  readonly high: boolean;
}

/** What a trace file says: levels over time, once or again and again. */
export interface Trace {
  readonly steps: readonly TraceStep[];
  /** When the trace starts again, in milliseconds since its start; null for a trace that ends. */
  readonly repeatAtMs: number | null;
}

/**
 * Reads a trace: one change a row, `AT_MS LINE high|low`, in order of time; `#` starts a comment; the last
 * row may be `AT_MS repeat`. Throws `config` with every mistake of the file and its row number.
 */
export function parseTrace(text: string, chips: readonly ChipInfo[]): Trace {
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
    const parsed = parseRow(words, chips, complain);
    if (parsed.atMs !== null) {
      if (parsed.atMs < lastAtMs) complain(`${parsed.atMs} ms is before the row above (${lastAtMs} ms)`);
      lastAtMs = Math.max(lastAtMs, parsed.atMs);
    }
    if (parsed.step !== null) steps.push(parsed.step);
    if (parsed.repeats) {
      repeatAtMs = lastAtMs;
      if (parsed.atMs === 0) complain("a trace must last longer than 0 ms before it repeats");
    }
  }
  if (mistakes.length > 0) {
    throw new FlancoError("config", `The trace has mistakes:\n  ${mistakes.join("\n  ")}`, {
      hint: "A row is AT_MS LINE high|low (1500 SIM0 high), or, at the end, AT_MS repeat.",
    });
  }
  return { steps, repeatAtMs };
}

interface ParsedRow {
  readonly atMs: number | null;
  readonly step: TraceStep | null;
  readonly repeats: boolean;
}

function parseRow(
  words: readonly string[],
  chips: readonly ChipInfo[],
  complain: (mistake: string) => void,
): ParsedRow {
  const [at = "", line = "", level, ...rest] = words;
  const atMs = /^\d+$/.test(at) && Number(at) <= MAX_AT_MS ? Number(at) : null;
  if (atMs === null) complain(`'${at}' is not a time in whole milliseconds from 0 to ${MAX_AT_MS}`);
  if (line === "repeat" && level === undefined) return { atMs, step: null, repeats: true };
  if (level === undefined || rest.length > 0) {
    complain(`'${words.join(" ")}' is not AT_MS LINE high|low`);
    return { atMs, step: null, repeats: false };
  }
  const known = isLine(line, chips, complain);
  if (level !== "high" && level !== "low") {
    complain(`'${level}' is neither high nor low`);
    return { atMs, step: null, repeats: false };
  }
  const step = atMs === null || !known ? null : { atMs, line, high: level === "high" };
  return { atMs, step, repeats: false };
}

function isLine(line: string, chips: readonly ChipInfo[], complain: (mistake: string) => void): boolean {
  try {
    resolveLine(line, chips);
    return true;
  } catch (error) {
    if (!(error instanceof FlancoError)) throw error;
    complain(error.message);
    return false;
  }
}

export interface TraceDependencies {
  readonly lines: DrivableLines;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Plays a trace on drivable lines. Times count from `open`, so late timers add up to no drift. */
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
