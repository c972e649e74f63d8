import { type Clock, NS_PER_MS, type Timers } from "../domain/clock.ts";
import type { Edge, LineDriver, LineRequest, RawLevel, WatchedLine } from "../domain/line.ts";
import { DebouncedEdges } from "./debounced-edges.ts";

export interface Measuring {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called with every level as it is, and with the one that the watch begins with. */
  readonly onRaw: (level: RawLevel) => void;
}

/**
 * A line that is measured: the kernel delivers every edge, which a debounce of its own would hide, and this process
 * debounces what the line reports. So no bounce reaches the ledger, also where a measurement lasts longer than a test. The
 * line ends with the process.
 */
export class MeasuredLine implements WatchedLine {
  readonly chip: string;
  readonly offset: number;
  readonly initiallyActive: boolean;
  readonly #line: string;
  readonly #watched: WatchedLine;
  readonly #measuring: Measuring;
  readonly #edges: DebouncedEdges;
  #active: boolean;

  private constructor(
    watched: WatchedLine,
    { line, debounceMs }: Pick<LineRequest, "line" | "debounceMs">,
    measuring: Measuring,
  ) {
    const { clock, timers } = measuring;
    this.#line = line;
    this.#watched = watched;
    this.#measuring = measuring;
    this.chip = watched.chip;
    this.offset = watched.offset;
    this.initiallyActive = this.#active = watched.initiallyActive;
    this.#edges = new DebouncedEdges({ clock, timers, debounceMs, level: () => this.#active });
  }

  /** Watches a line without debounce; what it reports is debounced as `request` has it. */
  static async watch(
    driver: Pick<LineDriver, "watch">,
    request: Omit<LineRequest, "keep">,
    measuring: Measuring,
  ): Promise<MeasuredLine> {
    return new MeasuredLine(await driver.watch({ ...request, debounceMs: 0 }), request, measuring);
  }

  listen(onEdge: (edge: Edge) => void, onFailure: (error: Error) => void): void {
    this.#edges.listen(this.initiallyActive, onEdge);
    this.#report(this.initiallyActive, this.#measuring.clock.monotonicNs(), 0, true);
    this.#watched.listen(({ active, timeNs, missed }) => {
      this.#active = active;
      this.#report(active, timeNs, missed, false);
      this.#edges.change(active);
    }, onFailure);
  }

  async close(): Promise<void> {
    this.#edges.stop();
    await this.#watched.close();
  }

  #report(active: boolean, timeNs: bigint, missed: number, isFirst: boolean): void {
    const { onRaw } = this.#measuring;
    onRaw({
      line: this.#line,
      active,
      atMs: Number(timeNs) / NS_PER_MS,
      missed,
      isFirst,
    });
  }
}
