import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Edge, LineInfo, LineRequest, WatchedLine } from "../domain/line.ts";
import { formatLine } from "./address.ts";
import { Debounce } from "./debounce.ts";
import { Delivery } from "./delivery.ts";
import type { ExportedLine } from "./onoff.ts";
import type { Cancel, Timers } from "./timers.ts";

export interface SysfsLineParts {
  readonly line: LineInfo;
  readonly request: LineRequest;
  readonly exported: ExportedLine;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly onEdge: (edge: Edge) => void;
  readonly onFailure: (error: Error) => void;
  /** Called once, when the line is closed or has failed. */
  readonly onEnd: () => void;
}

/** One exported line. Changes that cancel out between two readings leave no trace in it. */
export class SysfsLine implements WatchedLine {
  readonly chip: string;
  readonly offset: number;
  readonly #parts: SysfsLineParts;
  readonly #delivery: Delivery;
  readonly #debounce: Debounce;
  #cancelNodeChange: Cancel = () => {};
  #initiallyActive = false;
  #sequence = 0;
  #ended = false;

  constructor(parts: SysfsLineParts) {
    this.#parts = parts;
    this.chip = parts.line.chip;
    this.offset = parts.line.offset;
    this.#delivery = new Delivery(parts.onEdge);
    this.#debounce = new Debounce({
      clock: parts.clock,
      timers: parts.timers,
      debounceMs: parts.request.debounceMs,
      level: () => this.#level(),
      onLevel: (active, timeNs) => this.#push(active, timeNs),
    });
  }

  get initiallyActive(): boolean {
    return this.#initiallyActive;
  }

  /**
   * Reads the initial level and begins to listen: the kernel tells at once of a change since that reading.
   * It does not tell of a chip that is removed: `onNodeChange` watches the chip's device node, where it
   * has one.
   */
  start(onNodeChange: (callback: () => void) => Cancel): void {
    try {
      this.#initiallyActive = this.#parts.exported.read();
      this.#debounce.start(this.#initiallyActive);
      this.#parts.exported.listen((active) => this.#debounce.change(active));
      this.#cancelNodeChange = onNodeChange(() => this.#level());
    } catch (error) {
      this.#release();
      throw error;
    }
    this.#delivery.startSoon();
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#delivery.end();
    this.#release();
  }

  /** The level as it stands, or the last one counted once the line is lost. */
  #level(): boolean {
    try {
      return this.#parts.exported.read();
    } catch (error) {
      this.#fail(error);
      return this.#debounce.stable;
    }
  }

  #push(active: boolean, timeNs: bigint): void {
    this.#sequence += 1;
    this.#delivery.push({ active, timeNs, sequence: this.#sequence, missed: 0 });
  }

  #fail(cause: unknown): void {
    if (this.#ended) return;
    this.#delivery.end();
    this.#release();
    this.#parts.onFailure(
      new FlancoError("unavailable", `${formatLine(this)} is lost: it can no longer be read.`, {
        hint: "Reconnect the chip, then restart flanco.",
        cause,
      }),
    );
  }

  #release(): void {
    this.#ended = true;
    this.#debounce.stop();
    this.#cancelNodeChange();
    this.#parts.exported.release();
    this.#parts.onEnd();
  }
}
