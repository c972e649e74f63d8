import { readFileSync } from "node:fs";
import { type Cancel, type Clock, DAY_MS, monotonicMs, SECOND_MS, type Timers } from "../domain/clock.ts";
import { parseMoment } from "../domain/day.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, DrivableLines } from "../domain/line.ts";
import type { WiringSettings } from "../domain/wiring.ts";
import { resolveLine } from "./address.ts";

/** Node's timers hold at most 24 days. */
const MAX_AT_MS = 20 * DAY_MS;
const HINT =
  "A row is AT_MS LINE high|low (1500 SIM0 high). Others are AT_MS repeat, stop, start, time DATE_TIME, test LINE LIFE_MS, and wire LINE DEBOUNCE_MS REARM_MS active-high|active-low.";

/** A change of a line's physical level. */
export interface LevelStep {
  readonly kind: "level";
  /** Milliseconds since the trace's start; never less than the step before. */
  readonly atMs: number;
  readonly line: string;
  readonly high: boolean;
}

/** A line's settings from then on. */
export interface WireStep extends Pick<WiringSettings, "debounceMs" | "rearmMs" | "activeLow"> {
  readonly kind: "wire";
  readonly atMs: number;
  readonly line: string;
}

/**
 * A step of a trace. Beside levels and wiring: a line is put
 * under test, the wall clock is set, the service stops or starts.
 */
export type TraceStep =
  | LevelStep
  | WireStep
  | { readonly kind: "test"; readonly atMs: number; readonly line: string; readonly lifeMs: number }
  | { readonly kind: "time"; readonly atMs: number; readonly timeMs: number }
  | { readonly kind: "stop" | "start"; readonly atMs: number };

/** The levels of lines over time. */
export interface Trace {
  readonly steps: readonly TraceStep[];
  /** When the trace starts again, in milliseconds since its start; null for a trace that ends. */
  readonly repeatAtMs: number | null;
}

/**
 * Parses a trace: one step per row, in order of time; `#` begins a comment; the
 * last row may be `AT_MS repeat`. Lines must be among those of `chips`, where they
 * are given. Throws `config`, naming `file`, with every mistake and its row number.
 */
export function parseTrace(file: string, text: string, chips?: readonly ChipInfo[]): Trace {
  const steps: TraceStep[] = [];
  const mistakes: string[] = [];
  let repeatAtMs: number | null = null;
  let lastAtMs = 0;
  for (const { number, at, words } of rowsOf(text)) {
    const complain = (mistake: string) => mistakes.push(`row ${number}: ${mistake}`);
    if (repeatAtMs !== null) {
      complain("nothing may follow the row that repeats");
      continue;
    }
    const time = parseTime(at, lastAtMs);
    if (time.mistake !== undefined) complain(time.mistake);
    lastAtMs = time.atMs;
    if (words.length === 1 && words[0] === "repeat") {
      repeatAtMs = lastAtMs;
      if (Number(at) === 0) complain("a trace must last longer than 0 ms before it repeats");
      continue;
    }
    const step = parseStep(lastAtMs, words, chips);
    if (typeof step === "string") complain(step);
    else steps.push(step);
  }
  if (mistakes.length > 0) {
    throw new FlancoError("config", `The trace ${file} has mistakes:\n  ${mistakes.join("\n  ")}`, {
      hint: HINT,
    });
  }
  return { steps, repeatAtMs };
}

/** Reads and parses a trace file. Throws `config`, as `parseTrace` does. */
export function readTrace(file: string, chips?: readonly ChipInfo[]): Trace {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new FlancoError("config", `The trace ${file} cannot be read.`, {
      hint: "Name a file that this user may read.",
      cause: error,
    });
  }
  return parseTrace(file, text, chips);
}

/** The rows that are more than a comment: each one's number from 1, its time and what follows it. */
function* rowsOf(text: string) {
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    const [at = "", ...words] = row.replace(/#.*/, "").trim().split(/\s+/);
    if (at !== "") yield { number: index + 1, at, words };
  }
}

/**
 * A row's time. Where there is a mistake in it, the row
 * counts as being at the time of the row above, `lastAtMs`.
 */
function parseTime(at: string, lastAtMs: number): { readonly atMs: number; readonly mistake?: string } {
  const atMs = Number(at);
  if (!/^\d+$/.test(at) || atMs > MAX_AT_MS) {
    const mistake = `'${at}' is not a time in whole milliseconds from 0 to ${MAX_AT_MS}`;
    return { atMs: lastAtMs, mistake };
  }
  if (atMs < lastAtMs) {
    return { atMs: lastAtMs, mistake: `${atMs} ms is before the row above (${lastAtMs} ms)` };
  }
  return { atMs };
}

/** One row without its time, its line among those of `chips`; a text says what is wrong with it. */
function parseStep(
  atMs: number,
  words: readonly string[],
  chips: readonly ChipInfo[] | undefined,
): TraceStep | string {
  const step = stepOf(atMs, words);
  if (step === undefined) return `'${words.join(" ")}' is not a step of a trace`;
  if (typeof step === "string" || !("line" in step) || chips === undefined) return step;
  return lineMistake(step.line, chips) ?? step;
}

/** Undefined for words that are of no kind of step. */
function stepOf(atMs: number, words: readonly string[]): TraceStep | string | undefined {
  const [first = "", second = "", third = ""] = words;
  if (words.length === 1) return first === "stop" || first === "start" ? { kind: first, atMs } : undefined;
  if (words.length === 2) {
    if (second === "high" || second === "low") {
      return { kind: "level", atMs, line: first, high: second === "high" };
    }
    return first === "time" ? parseWallTime(atMs, second) : undefined;
  }
  if (first === "test" && words.length === 3 && /^[1-9]\d{0,7}$/.test(third)) {
    return { kind: "test", atMs, line: second, lifeMs: Number(third) };
  }
  return first === "wire" && words.length === 5 ? parseWire(atMs, second, words.slice(2)) : undefined;
}

function parseWallTime(atMs: number, text: string): TraceStep | string {
  const timeMs = parseMoment(text);
  return timeMs === undefined ? `'${text}' is not a date and time` : { kind: "time", atMs, timeMs };
}

function parseWire(
  atMs: number,
  line: string,
  [debounce = "", rearm = "", polarity = ""]: readonly string[],
): WireStep | undefined {
  const isMs = (text: string) => /^\d{1,8}$/.test(text);
  if (!isMs(debounce) || !isMs(rearm) || !/^active-(high|low)$/.test(polarity)) return undefined;
  return {
    kind: "wire",
    atMs,
    line,
    debounceMs: Number(debounce),
    rearmMs: Number(rearm),
    activeLow: polarity === "active-low",
  };
}

/** One step as a row that `parseTrace` reads. */
export function formatStep(step: TraceStep): string {
  const { kind, atMs } = step;
  if (kind === "level") return `${atMs} ${step.line} ${step.high ? "high" : "low"}`;
  if (kind === "time") return `${atMs} time ${new Date(step.timeMs).toISOString()}`;
  if (kind === "test") return `${atMs} test ${step.line} ${step.lifeMs}`;
  if (kind !== "wire") return `${atMs} ${kind}`;
  const polarity = step.activeLow ? "active-low" : "active-high";
  return `${atMs} wire ${step.line} ${step.debounceMs} ${step.rearmMs} ${polarity}`;
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
