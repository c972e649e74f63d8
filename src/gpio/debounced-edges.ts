import type { Cancel, Clock, Timers } from "../domain/clock.ts";
import type { Edge } from "../domain/line.ts";

export interface DebouncedLine {
  readonly clock: Clock;
  readonly timers: Timers;
  /** A level counts when it has held this long; with 0 every change counts at once. */
  readonly debounceMs: number;
  /** The level at this moment; undefined when it cannot be read. */
  level(): boolean | undefined;
}

/**
 * Debounces and numbers edges, for drivers whose kernel interface does neither. As in the kernel, each change restarts
 * the wait, and a level that returns to where it was counts as nothing. An edge's time is that of the change after
 * which the level held.
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
