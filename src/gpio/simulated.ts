import type { Cancel, Clock, Timers } from "../domain/clock.ts";
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
import { CONSUMER, formatLine, inUseError, resolveLine } from "./address.ts";
import { DebouncedEdges } from "./debounce.ts";

const CHIP = "simchip0";

export interface SimulatedDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  /** How many lines there are: SIM0, SIM1 and so on. */
  readonly lineCount: number;
}

interface SimulatedLine {
  readonly info: LineInfo;
  /** The physical level. */
  high: boolean;
  holder: string | null;
  watched: SimulatedWatch | null;
}

/**
 * Lines whose levels are set by calls, all low at first. Levels outlive a watch, as a relay's
 * do. Edges are delivered within `set`. A bias changes nothing: every level is driven.
 */
export class SimulatedDriver implements LineDriver, DrivableLines {
  readonly name = "simulated";
  readonly #dependencies: SimulatedDependencies;
  readonly #lines: readonly SimulatedLine[];

  constructor(dependencies: SimulatedDependencies) {
    this.#dependencies = dependencies;
    this.#lines = Array.from({ length: dependencies.lineCount }, (_, offset) => ({
      info: { chip: CHIP, offset, name: `SIM${offset}`, holder: null },
      high: false,
      holder: null,
      watched: null,
    }));
  }

  async open(): Promise<void> {}

  async detect(): Promise<readonly ChipInfo[]> {
    return this.#chips();
  }

  async watch(request: LineRequest): Promise<WatchedLine> {
    const line = this.#find(request.line);
    const release = this.#take(line, CONSUMER);
    const watched = new SimulatedWatch(line, request, this.#dependencies, () => {
      if (line.watched !== watched) return;
      line.watched = null;
      release();
    });
    line.watched = watched;
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
    const lines = this.#lines.map(({ info, holder }) => ({ ...info, holder }));
    return [{ name: CHIP, label: "flanco simulation", lines }];
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
  readonly address: string;
  readonly initiallyActive: boolean;
  readonly #level: () => boolean;
  readonly #edges: DebouncedEdges;
  readonly #release: Cancel;
  #isHeard = false;

  constructor(
    line: SimulatedLine,
    { activeLow, debounceMs }: LineRequest,
    { clock, timers }: SimulatedDependencies,
    release: Cancel,
  ) {
    this.address = formatLine(line.info);
    this.#level = () => line.high !== activeLow;
    this.#release = release;
    this.initiallyActive = this.#level();
    this.#edges = new DebouncedEdges({ clock, timers, debounceMs, level: this.#level });
  }

  listen(onEdge: (edge: Edge) => void, _onFailure: unknown, onRaw?: (edge: Edge) => void): void {
    this.#edges.listen(this.initiallyActive, onEdge, onRaw);
    this.#isHeard = true;
    if (this.#level() !== this.initiallyActive) this.changed();
  }

  changed(): void {
    if (this.#isHeard) this.#edges.takeLevel(this.#level());
  }

  async close(): Promise<void> {
    this.#edges.stop();
    this.#release();
  }
}
