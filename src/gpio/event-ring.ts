import { decodeLineEvents, LINE_EVENT_BYTES, type LineEventStruct } from "./uapi.ts";

/** Events that a ring in shared memory holds: twice what the kernel buffers. */
const SHARED_EVENTS = 2_048;
/** Size of the memory that a shared ring takes. */
export const SHARED_RING_BYTES = SHARED_EVENTS * LINE_EVENT_BYTES;
const EVENTS_PER_READ = 64;
const READ_BYTES = EVENTS_PER_READ * LINE_EVENT_BYTES;

/**
 * Where a line's events are read to, the newest over the oldest. In memory that outlives the process, an
 * event is at every moment in the kernel's buffer or here, so that a process that dies between reading and
 * committing loses none: the next one recovers it, told apart by its sequence number.
 */
export class EventRing {
  readonly #bytes: Uint8Array;
  #at = 0;

  /** `bytes` is a whole number of events; an event is empty while its time stamp is 0. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** A ring of this process alone, as large as one read. */
  static unshared(): EventRing {
    return new EventRing(new Uint8Array(READ_BYTES));
  }

  /** Where the next read puts its events: at most 64, and over the oldest ones. */
  space(): Uint8Array {
    return this.#bytes.subarray(this.#at, Math.min(this.#at + READ_BYTES, this.#bytes.length));
  }

  /** Takes what a read has put into `space`. */
  advance(bytes: number): LineEventStruct[] {
    const events = decodeLineEvents(this.#bytes.subarray(this.#at, this.#at + bytes));
    this.#at = (this.#at + bytes) % this.#bytes.length;
    return events;
  }

  /**
   * The events later than `sequence`, in their order; reading goes on behind the newest one. What was
   * overwritten meanwhile shows as a gap in the sequence numbers.
   */
  recover(sequence: number): LineEventStruct[] {
    const all = decodeLineEvents(this.#bytes).map((event, slot) => ({
      event,
      slot,
      // The kernel counts in 32 bits.
      distance: (event.lineSeqno - sequence) | 0,
    }));
    const held = all.filter(({ event }) => event.timestampNs !== 0n).sort((a, b) => a.distance - b.distance);
    const newest = held.at(-1);
    if (newest !== undefined) this.#at = ((newest.slot + 1) * LINE_EVENT_BYTES) % this.#bytes.length;
    return held.filter(({ distance }) => distance > 0).map(({ event }) => event);
  }
}
