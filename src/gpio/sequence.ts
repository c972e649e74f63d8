import type { Edge } from "../domain/line.ts";
import type { LineEventStruct } from "./uapi.ts";

/** Turns a line's events into edges: counts them over the kernel's 32 bits and names every gap. */
export class EdgeSequence {
  #lastSeqno: number;
  #sequence: number;

  /** Goes on after the edge of that number; 0 begins. */
  constructor(after: number) {
    this.#lastSeqno = after >>> 0;
    this.#sequence = after;
  }

  next(event: LineEventStruct): Edge {
    const step = (event.lineSeqno - this.#lastSeqno) >>> 0;
    this.#lastSeqno = event.lineSeqno;
    this.#sequence += step;
    return { active: event.rising, timeNs: event.timestampNs, sequence: this.#sequence, missed: step - 1 };
  }
}
