import type { Clock } from "../domain/clock.ts";
import type { Cancel, Timers } from "./timers.ts";

/** What a debounced line needs from its driver. */
export interface DebounceSource {
  readonly clock: Clock;
  readonly timers: Timers;
  /** A level must hold this long to count; 0 passes every change on at once. */
  readonly debounceMs: number;
  /** The level at this moment. */
  level(): boolean;
  /** A level that held. `timeNs` is the change that it held from. */
  onLevel(active: boolean, timeNs: bigint): void;
}

/**
 * Debounce for drivers whose kernel interface has none, as the kernel does it: each change starts the
 * wait anew, and a level that returns to where it was counts as nothing.
 */
export class Debounce {
  readonly #source: DebounceSource;
  #stable = false;
  #candidate = false;
  #changedNs = 0n;
  #cancel: Cancel = () => {};

  constructor(source: DebounceSource) {
    this.#source = source;
  }

  /** Begins from the level as it is found: inactive unless told. */
  start(active: boolean): void {
    this.#stable = active;
    this.#candidate = active;
  }

  /** The level as last counted. */
  get stable(): boolean {
    return this.#stable;
  }

  /** Something happened on the line, which has this level. */
  change(active: boolean): void {
    this.#candidate = active;
    this.#changedNs = this.#source.clock.monotonicNs();
    if (this.#source.debounceMs === 0) {
      this.#count();
      return;
    }
    this.#cancel();
    this.#cancel = this.#source.timers.after(this.#source.debounceMs, () => this.#settle());
  }

  /** Forgets a change that has not held long enough yet. */
  stop(): void {
    this.#cancel();
  }

  #settle(): void {
    // A busy process can run this timer before it hears of a change that came meanwhile.
    const level = this.#source.level();
    if (level === this.#candidate) this.#count();
    else this.change(level);
  }

  #count(): void {
    if (this.#candidate === this.#stable) return;
    this.#stable = this.#candidate;
    this.#source.onLevel(this.#stable, this.#changedNs);
  }
}
