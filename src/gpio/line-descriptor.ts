import { setTimeout as pause } from "node:timers/promises";
import type { Cancel } from "../domain/clock.ts";
import type { Bias, LineRequest } from "../domain/line.ts";
import { CONSUMER } from "./address.ts";
import type { GpioKernel } from "./kernel.ts";
import {
  decodeLineEvents,
  decodeLineRequestFd,
  decodeValue,
  EVENT_BUFFER_EVENTS,
  encodeLineConfig,
  encodeLineRequest,
  encodeValuesQuery,
  GPIO_V2_GET_LINE_IOCTL,
  GPIO_V2_LINE_GET_VALUES_IOCTL,
  GPIO_V2_LINE_SET_CONFIG_IOCTL,
  LINE_EVENT_BYTES,
  LINE_FLAG,
  type LineEventStruct,
} from "./uapi.ts";

const BIAS_FLAGS = {
  "as-is": 0n,
  disabled: LINE_FLAG.biasDisabled,
  "pull-up": LINE_FLAG.biasPullUp,
  "pull-down": LINE_FLAG.biasPullDown,
} as const satisfies Record<Bias, bigint>;

/**
 * How much longer than the debounce a level must hold once the bias is set:
 * 50 kΩ charge 100 nF, which is a filter or a very long cable, in 5 ms.
 */
const CHARGE_MS = 20;
/** A level that has held this long counts, however long the debounce is. */
const MAX_REST_MS = 1_000;
/** A line that does not come to rest within this time is watched all the same. */
const RESTLESS_MS = 2_000;
const REST_POLL_MS = 5;

/** Events that a ring in shared memory holds: twice what the kernel buffers. */
const SHARED_EVENTS = 2_048;
/** Size of the memory that a shared ring takes. */
export const SHARED_RING_BYTES = SHARED_EVENTS * LINE_EVENT_BYTES;
const EVENTS_PER_READ = 64;
const READ_BYTES = EVENTS_PER_READ * LINE_EVENT_BYTES;

/**
 * The descriptor of a requested line. The kernel holds the line, and buffers up to 1,024 of
 * its events (it drops the oldest first), as long as any process has the descriptor open.
 * Another process that receives the descriptor continues with a LineDescriptor of its own.
 */
export class LineDescriptor {
  readonly #kernel: GpioKernel;
  readonly fd: number;
  /** The events that were read: a ring of whole events, in which the newest overwrite the oldest. */
  #ring: Uint8Array = new Uint8Array(READ_BYTES);
  /** Where the next read puts its events. */
  #at = 0;

  /** `fd` must be non-blocking. */
  constructor(kernel: GpioKernel, fd: number) {
    this.#kernel = kernel;
    this.fd = fd;
  }

  /**
   * Requests one line of an open chip with its bias, without edges: until the line's
   * capacitance is charged, an edge is no relay's. Throws a SyscallError.
   */
  static request(
    kernel: GpioKernel,
    chipFd: number,
    offset: number,
    settings: Pick<LineRequest, "activeLow" | "bias">,
  ): LineDescriptor {
    const bytes = encodeLineRequest({
      offset,
      consumer: CONSUMER,
      flags: inputFlags(settings),
      eventBufferEvents: EVENT_BUFFER_EVENTS,
    });
    kernel.ioctl(chipFd, GPIO_V2_GET_LINE_IOCTL, bytes);
    const descriptor = new LineDescriptor(kernel, decodeLineRequestFd(bytes));
    try {
      kernel.setNonBlocking(descriptor.fd);
    } catch (error) {
      descriptor.close();
      throw error;
    }
    return descriptor;
  }

  /**
   * Waits until the level has held for the debounce, and long enough for a cable or a filter to charge through
   * the bias, and gives it. Undefined after RESTLESS_MS: the level of a contact that flutters is a matter of luck.
   * Throws ENODEV when the chip was removed.
   */
  async rest({ debounceMs }: Pick<LineRequest, "debounceMs">): Promise<boolean | undefined> {
    const restMs = Math.min(debounceMs + CHARGE_MS, MAX_REST_MS);
    let level = this.level();
    let heldMs = 0;
    for (let waitedMs = 0; heldMs < restMs && waitedMs < RESTLESS_MS; waitedMs += REST_POLL_MS) {
      await pause(REST_POLL_MS);
      const before = level;
      level = this.level();
      heldMs = level === before ? heldMs + REST_POLL_MS : 0;
    }
    return heldMs < restMs ? undefined : level;
  }

  /**
   * From here on the kernel reports both edges, and numbers them from 1. It does not debounce them: it would
   * then give its own last level in place of the line's. Throws ENXIO where the line cannot give edges.
   */
  detectEdges(settings: Pick<LineRequest, "activeLow" | "bias">): void {
    const flags = inputFlags(settings) | LINE_FLAG.edgeRising | LINE_FLAG.edgeFalling;
    this.#kernel.ioctl(this.fd, GPIO_V2_LINE_SET_CONFIG_IOCTL, encodeLineConfig(flags));
  }

  /** Requests one line as it is (uAPI v2: no direction, no edges), to read its level. Throws a SyscallError. */
  static requestAsIs(kernel: GpioKernel, chipFd: number, offset: number): LineDescriptor {
    const asIs = { flags: 0n, eventBufferEvents: 0 };
    const bytes = encodeLineRequest({ offset, consumer: CONSUMER, ...asIs });
    kernel.ioctl(chipFd, GPIO_V2_GET_LINE_IOCTL, bytes);
    return new LineDescriptor(kernel, decodeLineRequestFd(bytes));
  }

  /**
   * Reads events into this memory of SHARED_RING_BYTES from now on. Where it outlives
   * the process, each event is at every moment in the kernel's buffer or in this
   * memory, so that a process that dies between reading and committing loses none.
   */
  readInto(memory: Uint8Array): void {
    this.#ring = memory;
    this.#at = 0;
  }

  /**
   * The events after `sequence` in this line's memory, in order, which a process that has ended
   * has read. Overwritten events show as a gap. The next read puts its events behind the newest.
   */
  recover(sequence: number): readonly LineEventStruct[] {
    const held = decodeLineEvents(this.#ring)
      // The kernel counts in 32 bits. An event is empty while its time stamp is 0.
      .map((event, slot) => ({ event, slot, distance: (event.lineSeqno - sequence) | 0 }))
      .filter(({ event }) => event.timestampNs !== 0n)
      .sort((a, b) => a.distance - b.distance);
    const newest = held.at(-1);
    if (newest !== undefined) this.#at = ((newest.slot + 1) * LINE_EVENT_BYTES) % this.#ring.length;
    return held.filter(({ distance }) => distance > 0).map(({ event }) => event);
  }

  /** The level at this moment, activeLow applied. Throws ENODEV when the chip was removed. */
  level(): boolean {
    const bytes = encodeValuesQuery();
    this.#kernel.ioctl(this.fd, GPIO_V2_LINE_GET_VALUES_IOCTL, bytes);
    return decodeValue(bytes);
  }

  /**
   * Takes the buffered events, oldest first, at most one full kernel buffer of them, so
   * that the call ends even in a storm of edges. Throws ENODEV when the chip was removed.
   */
  take(): readonly LineEventStruct[] {
    const events: LineEventStruct[] = [];
    while (events.length < EVENT_BUFFER_EVENTS) {
      const space = this.#ring.subarray(this.#at, Math.min(this.#at + READ_BYTES, this.#ring.length));
      let bytes: number;
      try {
        bytes = this.#kernel.read(this.fd, space);
      } catch (error) {
        // The events read so far are returned; the next call meets the same error.
        if (events.length > 0) break;
        throw error;
      }
      events.push(...decodeLineEvents(space.subarray(0, bytes)));
      this.#at = (this.#at + bytes) % this.#ring.length;
      if (bytes < space.length) break;
    }
    return events;
  }

  onReadable(callback: (state: "readable" | "failed") => void): Cancel {
    return this.#kernel.onReadable(this.fd, callback);
  }

  /** Releases the line, unless another process has the descriptor too. */
  close(): void {
    this.#kernel.close(this.fd);
  }
}

function inputFlags({ activeLow, bias }: Pick<LineRequest, "activeLow" | "bias">): bigint {
  return LINE_FLAG.input | (activeLow ? LINE_FLAG.activeLow : 0n) | BIAS_FLAGS[bias];
}
