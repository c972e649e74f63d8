import type { Bias } from "../domain/line.ts";
import { EventRing } from "./event-ring.ts";
import { CONSUMER } from "./holder.ts";
import type { GpioKernel } from "./kernel.ts";
import type { Cancel } from "./timers.ts";
import {
  decodeLineRequestFd,
  decodeValue,
  EVENT_BUFFER_EVENTS,
  encodeLineRequest,
  encodeValuesQuery,
  GPIO_V2_GET_LINE_IOCTL,
  GPIO_V2_LINE_GET_VALUES_IOCTL,
  LINE_FLAG,
  type LineEventStruct,
} from "./uapi.ts";

const MICROSECONDS_PER_MILLISECOND = 1_000;
const BIAS_FLAGS = {
  "as-is": 0n,
  disabled: LINE_FLAG.biasDisabled,
  "pull-up": LINE_FLAG.biasPullUp,
  "pull-down": LINE_FLAG.biasPullDown,
} as const satisfies Record<Bias, bigint>;

export interface DescriptorRequest {
  readonly offset: number;
  readonly activeLow: boolean;
  readonly bias: Bias;
  readonly debounceMs: number;
}

/**
 * The one owner of a requested line's descriptor. The kernel holds the line, and buffers up to 1,024
 * of its events (the oldest is dropped first), for as long as the descriptor is open somewhere: whoever
 * is handed the number may go on with it by constructing another owner.
 */
export class LineDescriptor {
  readonly #kernel: GpioKernel;
  readonly #fd: number;
  #ring = EventRing.unshared();
  #open = true;

  /** Takes over a line's descriptor, which must be non-blocking. */
  constructor(kernel: GpioKernel, fd: number) {
    this.#kernel = kernel;
    this.#fd = fd;
  }

  /** The descriptor itself, to be handed over; it stays this owner's. */
  get fd(): number {
    return this.#fd;
  }

  /** Reads into this ring from now on. */
  readInto(ring: EventRing): void {
    this.#ring = ring;
  }

  /** The events that this line's ring holds beyond `sequence`: read before, by a process that died. */
  recover(sequence: number): readonly LineEventStruct[] {
    return this.#ring.recover(sequence);
  }

  /** Requests one line, both edges, of an open chip. Throws a SyscallError. */
  static request(kernel: GpioKernel, chipFd: number, request: DescriptorRequest): LineDescriptor {
    const bytes = encodeLineRequest({
      offset: request.offset,
      consumer: CONSUMER,
      flags:
        LINE_FLAG.input |
        LINE_FLAG.edgeRising |
        LINE_FLAG.edgeFalling |
        (request.activeLow ? LINE_FLAG.activeLow : 0n) |
        BIAS_FLAGS[request.bias],
      debounceUs: request.debounceMs * MICROSECONDS_PER_MILLISECOND,
      eventBufferEvents: EVENT_BUFFER_EVENTS,
    });
    kernel.ioctl(chipFd, GPIO_V2_GET_LINE_IOCTL, bytes);
    const descriptor = new LineDescriptor(kernel, decodeLineRequestFd(bytes));
    try {
      kernel.setNonBlocking(descriptor.#fd);
    } catch (error) {
      descriptor.close();
      throw error;
    }
    return descriptor;
  }

  /**
   * Requests one line for a look at its level, without edges. Without a direction the kernel leaves the line as it
   * finds it (uAPI v2: a request that sets none is "as is"). Throws a SyscallError.
   */
  static requestAsIs(kernel: GpioKernel, chipFd: number, offset: number): LineDescriptor {
    const bytes = encodeLineRequest({
      offset,
      consumer: CONSUMER,
      flags: 0n,
      debounceUs: 0,
      eventBufferEvents: 0,
    });
    kernel.ioctl(chipFd, GPIO_V2_GET_LINE_IOCTL, bytes);
    return new LineDescriptor(kernel, decodeLineRequestFd(bytes));
  }

  /** The level at this moment, activeLow and debounce applied. Throws ENODEV when the chip is gone. */
  level(): boolean {
    const bytes = encodeValuesQuery();
    this.#kernel.ioctl(this.#fd, GPIO_V2_LINE_GET_VALUES_IOCTL, bytes);
    return decodeValue(bytes);
  }

  /**
   * Takes the events that wait, oldest first, at most one full kernel buffer of them, so that a storm
   * cannot hold the caller. Throws ENODEV when the chip is gone.
   */
  take(): readonly LineEventStruct[] {
    const events: LineEventStruct[] = [];
    while (events.length < EVENT_BUFFER_EVENTS) {
      const space = this.#ring.space();
      let bytes: number;
      try {
        bytes = this.#kernel.read(this.#fd, space);
      } catch (error) {
        // What was read counts; the next call meets the same error.
        if (events.length > 0) break;
        throw error;
      }
      events.push(...this.#ring.advance(bytes));
      if (bytes < space.length) break;
    }
    return events;
  }

  onReadable(callback: (state: "readable" | "failed") => void): Cancel {
    return this.#kernel.onReadable(this.#fd, callback);
  }

  /** Releases the line, unless another process holds the descriptor too. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#kernel.close(this.#fd);
  }
}
