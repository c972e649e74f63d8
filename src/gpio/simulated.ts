import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type {
  ChipInfo,
  DrivableLines,
  Edge,
  LineDriver,
  LineInfo,
  LineRequest,
  WatchedLine,
} from "../domain/line.ts";
import { resolveLine } from "./address.ts";
import { Debounce } from "./debounce.ts";
import { Delivery } from "./delivery.ts";
import { CONSUMER, inUseError } from "./holder.ts";
import type { Cancel, Timers } from "./timers.ts";

export const SIMULATED_CHIP = "simchip0";

export interface SimulatedDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  /** How many lines there are: SIM0, SIM1 and so on. */
  readonly lineCount: number;
}

/** The simulated chip with all its lines free and low. */
export function simulatedChip(lineCount: number): ChipInfo {
  return {
    name: SIMULATED_CHIP,
    label: "flanco simulation",
    lines: Array.from({ length: lineCount }, (_, offset) => ({
      chip: SIMULATED_CHIP,
      offset,
      name: `SIM${offset}`,
      holder: null,
    })),
  };
}

/** One made-up line: its physical level, and who has it. */
interface SimulatedLine {
  readonly info: LineInfo;
  high: boolean;
  holder: string | null;
  watched: SimulatedWatch | null;
}

/**
 * Lines whose levels are set by hand, all low at first. Levels outlive a watch, as a relay's do. Edges are
 * delivered within `set`, once `watch` has resolved. A bias changes nothing: every level is driven.
 */
export class SimulatedDriver implements LineDriver, DrivableLines {
  readonly name = "simulated";
  readonly simulated = true;
  readonly #dependencies: SimulatedDependencies;
  readonly #lines: readonly SimulatedLine[];

  constructor(dependencies: SimulatedDependencies) {
    this.#dependencies = dependencies;
    this.#lines = simulatedChip(dependencies.lineCount).lines.map((info) => ({
      info,
      high: false,
      holder: null,
      watched: null,
    }));
  }

  async open(): Promise<void> {}

  async detect(): Promise<readonly ChipInfo[]> {
    return this.#chips();
  }

  async watch(request: LineRequest, onEdge: (edge: Edge) => void): Promise<WatchedLine> {
    const line = this.#find(request.line);
    const release = this.#take(line, CONSUMER);
    const watched = new SimulatedWatch(line, request, onEdge, this.#dependencies, () => {
      line.watched = null;
      release();
    });
    line.watched = watched;
    watched.start();
    return watched;
  }

  async read(name: string): Promise<boolean> {
    const line = this.#find(name);
    if (line.holder !== null) throw inUseError(line.info, line.holder);
    return line.high;
  }

  set(name: string, high: boolean): void {
    const line = this.#find(name);
    if (line.high === high) return;
    line.high = high;
    line.watched?.changed();
  }

  /** Takes a line as another program would. Throws `conflict` when it is taken. */
  hold(name: string, holder: string): Cancel {
    return this.#take(this.#find(name), holder);
  }

  async close(): Promise<void> {
    for (const line of this.#lines) await line.watched?.close();
  }

  #chips(): readonly ChipInfo[] {
    const chip = simulatedChip(this.#dependencies.lineCount);
    return [{ ...chip, lines: this.#lines.map((line) => ({ ...line.info, holder: line.holder })) }];
  }

  #find(name: string): SimulatedLine {
    const { offset } = resolveLine(name, this.#chips());
    const line = this.#lines[offset];
    if (line === undefined) throw new FlancoError("internal", `The simulation lost its line ${offset}.`);
    return line;
  }

  #take(line: SimulatedLine, holder: string): Cancel {
    if (line.holder !== null) throw inUseError(line.info, line.holder);
    line.holder = holder;
    return () => {
      line.holder = null;
    };
  }
}

class SimulatedWatch implements WatchedLine {
  readonly chip: string;
  readonly offset: number;
  readonly initiallyActive: boolean;
  readonly #line: SimulatedLine;
  readonly #activeLow: boolean;
  readonly #debounce: Debounce;
  readonly #delivery: Delivery;
  readonly #release: Cancel;
  #sequence = 0;
  #closed = false;

  constructor(
    line: SimulatedLine,
    request: LineRequest,
    onEdge: (edge: Edge) => void,
    { clock, timers }: SimulatedDependencies,
    release: Cancel,
  ) {
    this.chip = line.info.chip;
    this.offset = line.info.offset;
    this.#line = line;
    this.#activeLow = request.activeLow;
    this.#release = release;
    this.initiallyActive = this.#level();
    this.#delivery = new Delivery(onEdge);
    this.#debounce = new Debounce({
      clock,
      timers,
      debounceMs: request.debounceMs,
      level: () => this.#level(),
      onLevel: (active, timeNs) => {
        this.#sequence += 1;
        this.#delivery.push({ active, timeNs, sequence: this.#sequence, missed: 0 });
      },
    });
  }

  start(): void {
    this.#debounce.start(this.initiallyActive);
    this.#delivery.startSoon();
  }

  changed(): void {
    this.#debounce.change(this.#level());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#debounce.stop();
    this.#delivery.end();
    this.#release();
  }

  #level(): boolean {
    return this.#line.high !== this.#activeLow;
  }
}
