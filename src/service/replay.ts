import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import { monotonicMs, NANOSECONDS_PER_MILLISECOND, VirtualTime } from "../domain/clock.ts";
import type { Id } from "../domain/id.ts";
import type { SightingResult } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import type { Sighting } from "../domain/sale.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS } from "../domain/wiring.ts";
import { Recorder } from "../gpio/recorder.ts";
import { SimulatedDriver } from "../gpio/simulated.ts";
import type { LevelStep, Trace, TraceStep, WireStep } from "../gpio/trace.ts";
import type { StoreReader } from "../ledger/engine/reader.ts";
import type { StoreWriter } from "../ledger/engine/writer.ts";
import { openAlone } from "./ledger.ts";

const TIME_ZONE = "UTC";
const BOOT_ID = "simulated";
const DEVICE = { dId: "trace", name: "Trace" };
/** How long the replay goes on after the last row: longer than any debounce. */
const AFTER_LAST_MS = 60_001;
/** The replay waits for a commit when this many sightings wait. */
const MAX_WAITING = 1_000;
const QUIET: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The outcome of a level: its meaning for the ledger, or why the ledger never saw it. */
export type Outcome =
  | SightingResult["meaning"]
  | "debounced" // it did not hold for the debounce
  | "unchanged" // the line had this level already
  | "unwatched"; // no service ran, or the line was not wired

/** A level of the trace, or one that the service found at its start. */
export interface ReplayedLevel {
  readonly atMs: number;
  /** Unix milliseconds by the trace's wall clock. */
  readonly timeMs: number;
  readonly line: string;
  readonly high: boolean;
  /** Whether the service found this level at its start. */
  readonly found: boolean;
  readonly outcome: Outcome;
}

/** What the recorder would have made of a trace. */
export interface Replay {
  /** In order of time. */
  readonly levels: readonly ReplayedLevel[];
  readonly sales: number;
  /** Times in which sales may be missing. */
  readonly gaps: number;
}

/** The settings of lines that the trace does not wire. */
export type ReplayWiring = Pick<WireStep, "debounceMs" | "rearmMs" | "activeLow">;

export const DEFAULT_REPLAY_WIRING: ReplayWiring = {
  debounceMs: DEFAULT_DEBOUNCE_MS,
  rearmMs: DEFAULT_REARM_MS,
  activeLow: false,
};

/**
 * Runs the recorder over a trace, on a ledger of its own that is removed at the end: by the trace's time,
 * without waiting. `wiring` holds for lines that the trace does not wire. A trace that repeats is run once.
 */
export async function replay(trace: Trace, wiring: ReplayWiring): Promise<Replay> {
  await using closing = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), "flanco-simulate-"));
  closing.defer(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "ledger.sqlite");
  const time = new VirtualTime();
  let gaps = 0;
  const { writer, reader } = await openAlone({ file, timeZone: TIME_ZONE }, time, closing, {
    onChanges: (changes) => {
      gaps += changes.filter(({ kind }) => kind === "gap").length;
    },
  });
  const { userId } = await writer.addUser({ name: "trace", email: "trace@localhost", passwordHash: "" });
  const levels = await new ReplayRun(trace, time, { writer, reader, userId }).play(wiring);
  return { levels, sales: levels.filter(({ outcome }) => outcome === "sale").length, gaps };
}

interface ScratchLedger {
  readonly writer: StoreWriter;
  readonly reader: StoreReader;
  readonly userId: Id;
}

/** One run of a trace through a recorder. */
class ReplayRun {
  readonly #steps: readonly TraceStep[];
  readonly #time: VirtualTime;
  readonly #ledger: ScratchLedger;
  readonly #startMs: number;
  /** The trace's lines; each is the simulated line of its number. */
  readonly #lines: readonly string[];
  readonly #driver: SimulatedDriver;
  readonly #high = new Map<string, boolean>();
  readonly #wired = new Set<string>();
  /** The levels so far. Their outcome is undefined where the ledger may have a meaning for them. */
  readonly #levels: (Omit<ReplayedLevel, "outcome"> & { readonly outcome: Outcome | undefined })[] = [];
  /** The meanings of edges in the ledger, by `keyOf`. */
  readonly #meanings = new Map<string, SightingResult["meaning"][]>();
  #recorder: Recorder | undefined;
  #hasStopped = false;

  constructor({ steps }: Trace, time: VirtualTime, ledger: ScratchLedger) {
    this.#steps = steps;
    this.#time = time;
    this.#ledger = ledger;
    this.#startMs = monotonicMs(time);
    this.#lines = [...new Set(steps.flatMap((step) => ("line" in step ? [step.line] : [])))];
    this.#driver = new SimulatedDriver({ clock: time, timers: time, lineCount: this.#lines.length });
  }

  async play(wiring: ReplayWiring): Promise<readonly ReplayedLevel[]> {
    const { writer, userId } = this.#ledger;
    const locationId = await writer.addLocation(userId, { name: DEVICE.name, description: "" });
    const actuators = this.#lines.map((id) => ({ id, value: false }));
    await writer.addDevice(userId, { ...DEVICE, locationId, locationName: DEVICE.name, actuators });
    await writer.noteBoot(BOOT_ID, null);
    const wiredLater = new Set(this.#steps.flatMap((step) => (step.kind === "wire" ? [step.line] : [])));
    for (const line of this.#lines) if (!wiredLater.has(line)) await this.#wire({ line, ...wiring });
    for (const line of this.#lines) {
      const first = this.#steps.find((step) => step.kind === "level" && step.line === line);
      // A line whose first change is a fall was high before.
      if (first?.kind === "level" && !first.high) this.#set({ ...first, atMs: 0, high: true });
    }
    // Rows at 0 are the state that the service finds at its start.
    const isAtStart = ({ atMs, kind }: TraceStep) => atMs === 0 && kind !== "stop" && kind !== "start";
    for (const step of this.#steps.filter(isAtStart)) await this.#apply(step);
    await this.#start();
    for (const step of this.#steps.filter((one) => !isAtStart(one))) {
      this.#time.advance(this.#startMs + step.atMs - monotonicMs(this.#time));
      await this.#apply(step);
      if (this.#waiting > MAX_WAITING) await this.#committed();
    }
    this.#time.advance(AFTER_LAST_MS);
    await this.#recorder?.close();
    return this.#outcomes();
  }

  async #apply(step: TraceStep): Promise<void> {
    const { writer, userId } = this.#ledger;
    // The ledger must have taken in the levels before this step.
    if (step.kind !== "level") await this.#committed();
    if (step.kind === "level") this.#set(step);
    else if (step.kind === "time") this.#time.setWall(step.timeMs);
    else if (step.kind === "wire") await this.#wire(step);
    else if (step.kind === "test") {
      const lines = [this.#simulated(step.line)];
      await writer.beginCommission(userId, { lines: null, freeLines: [] }, lines, step.lifeMs);
    } else if (step.kind === "start") await this.#start();
    else await this.#stop();
  }

  async #wire({ line, debounceMs, rearmMs, activeLow }: ReplayWiring & { line: string }): Promise<void> {
    const { writer, userId } = this.#ledger;
    const named = { line: this.#simulated(line), dId: DEVICE.dId, actuatorId: line };
    const settings = {
      debounceMs,
      rearmMs,
      activeLow,
      bias: "as-is",
      valorMicros: MICROS_PER_UNIT,
      paidMinutes: 0,
    } as const;
    this.#wired.add(line);
    await writer.setWiring([{ userId, wiring: { ...named, ...settings } }]);
    await this.#recorder?.reconcile();
  }

  #set({ atMs, line, high }: LevelStep): void {
    const isUnchanged = (this.#high.get(line) ?? false) === high;
    const isWatched = this.#recorder !== undefined && this.#wired.has(line);
    this.#high.set(line, high);
    this.#driver.set(this.#simulated(line), high);
    // The service finds this at its first start.
    if (this.#recorder === undefined && !this.#hasStopped) return;
    const outcome = isUnchanged ? "unchanged" : isWatched ? undefined : "unwatched";
    this.#levels.push({ atMs, timeMs: this.#time.nowMs(), line, high, found: false, outcome });
  }

  async #start(): Promise<void> {
    if (this.#recorder !== undefined) return;
    const { writer, reader } = this.#ledger;
    const takeIn = async (sightings: readonly Sighting[]): Promise<readonly SightingResult[]> => {
      const taken = await writer.takeIn(sightings);
      for (const [index, sighting] of sightings.entries()) {
        this.#note(sighting, taken[index]?.meaning ?? "nothing");
      }
      return taken;
    };
    this.#recorder = new Recorder({
      driver: this.#driver,
      reader,
      clock: this.#time,
      timers: this.#time,
      log: QUIET,
      bootId: BOOT_ID,
      writer: { ...writer, takeIn },
      trust: { trusted: () => true },
    });
    this.#recorder.begin();
    await this.#recorder.open();
  }

  async #stop(): Promise<void> {
    await this.#recorder?.close();
    this.#recorder = undefined;
    this.#hasStopped = true;
    // The last sign of life.
    await this.#ledger.writer.noteBoot(BOOT_ID, null);
  }

  get #waiting(): number {
    return this.#recorder?.queue().waiting ?? 0;
  }

  async #committed(): Promise<void> {
    while (this.#waiting > 0) await setImmediate();
  }

  #note(sighting: Sighting, outcome: SightingResult["meaning"]): void {
    const { timeMs, monotonicNs, actuatorId: line, active, activeLow, source } = sighting;
    const atMs = Number(monotonicNs / NANOSECONDS_PER_MILLISECOND) - this.#startMs;
    const level = { atMs, line, high: active !== activeLow };
    if (source.sequence === 0) this.#levels.push({ ...level, timeMs, found: true, outcome });
    else this.#meanings.set(keyOf(level), [...(this.#meanings.get(keyOf(level)) ?? []), outcome]);
  }

  #simulated(line: string): string {
    return `SIM${this.#lines.indexOf(line)}`;
  }

  /** Each level with its outcome, in order of time. */
  #outcomes(): readonly ReplayedLevel[] {
    return this.#levels
      .map((level) => {
        const meaning = level.outcome ?? this.#meanings.get(keyOf(level))?.shift();
        return { ...level, outcome: meaning ?? ("debounced" as const) };
      })
      .toSorted((a, b) => a.atMs - b.atMs);
  }
}

function keyOf({ atMs, line, high }: Pick<ReplayedLevel, "atMs" | "line" | "high">): string {
  return `${atMs} ${line} ${high}`;
}
