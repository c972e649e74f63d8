import {
  type Cancel,
  type Clock,
  NANOSECONDS_PER_MILLISECOND,
  NS_PER_MS,
  type Timers,
} from "../domain/clock.ts";
import type { Edge } from "../domain/line.ts";

export interface DebouncedLine {
  readonly clock: Clock;
  readonly timers: Timers;
  /** A level counts when it has held this long; with 0 every change counts at once. */
  readonly debounceMs: number;
  /** The level at this moment, once all changes up to it were reported; undefined when it cannot be read. */
  level(): boolean | undefined;
}

/** After so many edges that came to nothing one is told all the same: a process that resumes the line goes on from there. */
const FAR_EDGES = 1_024;

/**
 * Debounces a line's edges by their times, so that edges which were read late, also by a later process, are
 * judged as at their time. Each change restarts the wait, and a level that returns to where it was counts as
 * nothing. An edge's time and number are those of the change after which the level held.
 */
export class DebouncedEdges {
  readonly #line: DebouncedLine;
  #onEdge: (edge: Edge) => void = () => {};
  #onRaw: (edge: Edge) => void = () => {};
  #active = false;
  /** The number of the last edge that was told. */
  #told = 0;
  /** The last change, while it is not known whether it holds. */
  #pending: Edge | null = null;
  /** The last change of all; undefined before the first. */
  #last: Edge | undefined;
  /** Since when edges were lost of which nothing was told yet. */
  #lostSinceNs: bigint | undefined;
  #cancel: Cancel = () => {};

  constructor(line: DebouncedLine) {
    this.#line = line;
  }

  /** The level that counts; undefined while a change is not judged. */
  get settled(): boolean | undefined {
    return this.#pending === null ? this.#active : undefined;
  }

  /**
   * Begins from a level, before any change. `onRaw` gets every change. `told` is the number
   * of the last edge that an earlier process told, where this one continues its watch.
   */
  listen(
    active: boolean,
    onEdge: (edge: Edge) => void,
    onRaw: (edge: Edge) => void = () => {},
    told = 0,
  ): void {
    this.#active = active;
    this.#onEdge = onEdge;
    this.#onRaw = onRaw;
    this.#told = told;
  }

  /** Takes the level after one or several changes, of a line whose interface numbers and stamps nothing. */
  takeLevel(active: boolean): void {
    const sequence = (this.#last?.sequence ?? 0) + 1;
    this.change({ active, timeNs: this.#line.clock.monotonicNs(), sequence, missed: 0 });
  }

  /** Takes a change. Without debounce it counts at once, and `missed` with it. */
  change(raw: Edge): void {
    const { clock, timers, debounceMs } = this.#line;
    const before = this.#last;
    this.#last = raw;
    this.#onRaw(raw);
    if (debounceMs === 0) {
      this.#count(raw);
      return;
    }
    this.#cancel();
    // Most lost edges of a contact that bounces are no switchings: how many were is not known.
    if (raw.missed > 0) this.#lostSinceNs ??= before?.timeNs ?? 0n;
    else if (this.#pending !== null && raw.timeNs - this.#pending.timeNs >= this.#debounceNs)
      this.#count(this.#pending);
    this.#pending = { ...raw, missed: 0 };
    const heldMs = Number(clock.monotonicNs() - raw.timeNs) / NS_PER_MS;
    this.#cancel = timers.after(Math.max(0, Math.ceil(debounceMs - heldMs)), () => this.#settle());
  }

  /** Drops a change that has not held long enough yet. */
  stop(): void {
    this.#cancel();
  }

  get #debounceNs(): bigint {
    return BigInt(this.#line.debounceMs) * NANOSECONDS_PER_MILLISECOND;
  }

  #settle(): void {
    const pending = this.#pending;
    if (pending === null) return;
    // In a busy process this timer can run before the change that should have restarted it is reported.
    const level = this.#line.level();
    if (level === undefined || this.#pending !== pending) return;
    this.#pending = null;
    if (level === pending.active) {
      this.#count(pending);
      return;
    }
    const nowNs = this.#line.clock.monotonicNs();
    // The edge back is not reported. Where this timer is late, the level may have held until then.
    if (nowNs - pending.timeNs >= 2n * this.#debounceNs) this.#lostSinceNs ??= pending.timeNs;
    this.change({ ...pending, active: level, timeNs: nowNs });
  }

  #count(edge: Edge): void {
    const lostSinceNs = this.#lostSinceNs;
    this.#lostSinceNs = undefined;
    this.#pending = null;
    const isLossy = edge.missed > 0 || lostSinceNs !== undefined;
    if (edge.active === this.#active && !isLossy && edge.sequence - this.#told < FAR_EDGES) return;
    this.#active = edge.active;
    this.#told = edge.sequence;
    this.#onEdge(lostSinceNs === undefined ? edge : { ...edge, lostSinceNs });
  }
}
