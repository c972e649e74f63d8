import { type Cancel, type Clock, NS_PER_MS, type Timers } from "../domain/clock.ts";
import type { Edge, LineDriver, LineRequest, RawLevel, WatchedLine } from "../domain/line.ts";

export interface DebouncedLine {
  readonly clock: Clock;
  readonly timers: Timers;
  /** A level counts when it has held this long; with 0 every change counts at once. */
  readonly debounceMs: number;
  /** The level at this moment; undefined when it cannot be read. */
  level(): boolean | undefined;
}

/**
 * Debounces and numbers edges, for drivers whose kernel interface does neither. As in
 * the kernel, each change restarts the wait, and a level that returns to where it was
 * counts as nothing. An edge's time is that of the change after which the level held.
 */
export class DebouncedEdges {
  readonly #line: DebouncedLine;
  #onEdge: (edge: Edge) => void = () => {};
  #active = false;
  #candidate = false;
  #changedNs = 0n;
  #sequence = 0;
  #cancel: Cancel = () => {};

  constructor(line: DebouncedLine) {
    this.#line = line;
  }

  /** Begins from a level that was read before, and may have changed since. */
  listen(initiallyActive: boolean, onEdge: (edge: Edge) => void): void {
    this.#active = initiallyActive;
    this.#onEdge = onEdge;
    const level = this.#line.level();
    if (level !== undefined && level !== initiallyActive) this.change(level);
  }

  /** Reports the level after one or several changes. */
  change(active: boolean): void {
    this.#candidate = active;
    this.#changedNs = this.#line.clock.monotonicNs();
    if (this.#line.debounceMs === 0) {
      this.#count();
      return;
    }
    this.#cancel();
    this.#cancel = this.#line.timers.after(this.#line.debounceMs, () => this.#settle());
  }

  /** Drops a change that has not held long enough yet. */
  stop(): void {
    this.#cancel();
  }

  #settle(): void {
    // In a busy process this timer can run before the change that should have restarted it is reported.
    const level = this.#line.level();
    if (level === this.#candidate) this.#count();
    else if (level !== undefined) this.change(level);
  }

  #count(): void {
    if (this.#candidate === this.#active) return;
    this.#active = this.#candidate;
    this.#sequence += 1;
    this.#onEdge({ active: this.#active, timeNs: this.#changedNs, sequence: this.#sequence, missed: 0 });
  }
}

export interface Measuring {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called with every level without debounce, the first one included. */
  readonly onRaw: (level: RawLevel) => void;
}

/**
 * A line that is measured: it is requested without the kernel's debounce, so that every edge
 * is seen, and this process debounces its edges for the ledger. So no bounce reaches the
 * ledger, also where a measurement lasts longer than a test. The line ends with the process.
 */
export class MeasuredLine implements WatchedLine {
  readonly address: string;
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
    this.address = watched.address;
    this.initiallyActive = this.#active = watched.initiallyActive;
    this.#edges = new DebouncedEdges({ clock, timers, debounceMs, level: () => this.#active });
  }

  /** Requests a line without debounce, and debounces its edges as `request` says. */
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
