import type { Clock } from "../domain/clock.ts";
import type { LineInfo, LineRequest } from "../domain/line.ts";
import { LineDescriptor } from "./descriptor.ts";
import { EventRing, SHARED_RING_BYTES } from "./event-ring.ts";
import type { DescriptorKeeper } from "./keeper.ts";
import { formatKeptName, isKeptName, type KeptAddress, parseKeptName } from "./kept-name.ts";
import type { GpioKernel } from "./kernel.ts";
import { syscallCode } from "./syscall.ts";

/**
 * How long lines may stay in use after their keeper was told to forget them. systemd (252) reads that message when it
 * comes to it, and closes the descriptors in a thread of its own after: milliseconds, more on a busy machine.
 */
const LETTING_GO_NS = 1_000_000_000n;

interface KeptEntry {
  readonly address: KeptAddress;
  readonly descriptors: readonly number[];
}

/** Drops a line from whoever keeps it, so that the kernel lets go of it. */
export type Forget = () => void;

/**
 * The lines that outlive the process. Each is kept as two descriptors under one name: the line's own, in
 * which the kernel goes on buffering edges, and the memory of the ring that they are read into.
 */
export class KeptLines {
  readonly #kernel: GpioKernel;
  readonly #keeper: DescriptorKeeper;
  readonly #clock: Pick<Clock, "monotonicNs">;
  /** Given back at start and not yet claimed. */
  readonly #unclaimed = new Map<string, KeptEntry>();

  #forgottenNs: bigint | undefined;

  constructor(kernel: GpioKernel, keeper: DescriptorKeeper, clock: Pick<Clock, "monotonicNs">) {
    this.#kernel = kernel;
    this.#keeper = keeper;
    this.#clock = clock;
  }

  /** Whether a line of ours may be in use only because its keeper has not come to let go of it. */
  isLettingGo(): boolean {
    return this.#forgottenNs !== undefined && this.#clock.monotonicNs() - this.#forgottenNs < LETTING_GO_NS;
  }

  /** Takes what was kept for this process. Lines whose names cannot be read are let go at once. */
  open(): void {
    for (const [name, descriptors] of this.#keeper.take()) {
      if (!isKeptName(name)) continue;
      const address = parseKeptName(name);
      if (address === undefined) this.#drop(name, descriptors);
      else this.#unclaimed.set(name, { address, descriptors });
    }
  }

  /**
   * The line as it was kept, reading where the process before left off; undefined when it was not kept,
   * was asked for differently, or is no longer there. Whatever else is kept of it is let go.
   */
  adopt(line: LineInfo, request: LineRequest): { descriptor: LineDescriptor; forget: Forget } | undefined {
    const seen = request.keep?.seen ?? null;
    const wanted = seen === null ? null : nameOf(line, request, seen.request);
    let adopted: { descriptor: LineDescriptor; forget: Forget } | undefined;
    for (const [name, { address, descriptors }] of this.#unclaimed) {
      if (address.chip !== line.chip || address.offset !== line.offset) continue;
      this.#unclaimed.delete(name);
      const descriptor = name === wanted ? this.#takeOver(descriptors) : undefined;
      if (descriptor === undefined) this.#drop(name, descriptors);
      else adopted = { descriptor, forget: () => this.#forget(name) };
    }
    return adopted;
  }

  /** Has a line kept that was just requested. Without memory, or a name, it ends with the process. */
  keep(line: LineInfo, request: LineRequest, descriptor: LineDescriptor): Forget {
    const name = request.keep === undefined ? null : nameOf(line, request, request.keep.request);
    if (name === null) return () => {};
    let memory: number;
    try {
      memory = this.#kernel.createMemory(SHARED_RING_BYTES);
    } catch (error) {
      if (syscallCode(error) === null) throw error;
      return () => {};
    }
    try {
      descriptor.readInto(new EventRing(this.#kernel.mapMemory(memory, SHARED_RING_BYTES)));
      this.#keeper.keep(name, [descriptor.fd, memory]);
    } finally {
      this.#kernel.close(memory);
    }
    return () => this.#forget(name);
  }

  /** Lets go of what is kept of lines that are not among these. */
  forgetOthers(lines: readonly string[]): void {
    for (const [name, { address, descriptors }] of this.#unclaimed) {
      if (lines.includes(address.line)) continue;
      this.#unclaimed.delete(name);
      this.#drop(name, descriptors);
    }
  }

  /** Closes this process's copies of what nobody claimed. It stays kept. */
  close(): void {
    for (const { descriptors } of this.#unclaimed.values()) this.#closeAll(descriptors);
    this.#unclaimed.clear();
  }

  #takeOver(descriptors: readonly number[]): LineDescriptor | undefined {
    const [memory, ...otherMemory] = descriptors.filter((fd) => this.#kernel.isMemory(fd));
    const [fd, ...otherFds] = descriptors.filter((one) => !this.#kernel.isMemory(one));
    if (memory === undefined || fd === undefined || otherMemory.length + otherFds.length > 0)
      return undefined;
    try {
      const descriptor = new LineDescriptor(this.#kernel, fd);
      // The chip may have been removed meanwhile.
      descriptor.level();
      this.#kernel.setNonBlocking(fd);
      descriptor.readInto(new EventRing(this.#kernel.mapMemory(memory, SHARED_RING_BYTES)));
      this.#kernel.close(memory);
      return descriptor;
    } catch (error) {
      if (syscallCode(error) === null) throw error;
      return undefined;
    }
  }

  #drop(name: string, descriptors: readonly number[]): void {
    this.#forget(name);
    this.#closeAll(descriptors);
  }

  #forget(name: string): void {
    this.#keeper.forget(name);
    this.#forgottenNs = this.#clock.monotonicNs();
  }

  #closeAll(descriptors: readonly number[]): void {
    for (const fd of descriptors) this.#kernel.close(fd);
  }
}

function nameOf(line: LineInfo, request: LineRequest, number: number): string | null {
  const { activeLow, bias, debounceMs, keep } = request;
  if (keep === undefined) return null;
  return formatKeptName({
    line: request.line,
    chip: line.chip,
    offset: line.offset,
    request: number,
    room: keep.room,
    activeLow,
    bias,
    debounceMs,
  });
}
