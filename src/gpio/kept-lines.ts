import { type Clock, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { systemCode } from "../domain/error.ts";
import type { LineInfo, LineRequest } from "../domain/line.ts";
import { formatLine } from "./address.ts";
import type { GpioKernel } from "./kernel.ts";
import { LineDescriptor, SHARED_RING_BYTES } from "./line-descriptor.ts";

/** Holds descriptors while no process of ours runs: systemd's descriptor store. */
export interface DescriptorKeeper {
  /** What was kept for this process, by name. The caller owns the descriptors; a second call returns nothing. */
  take(): ReadonlyMap<string, readonly number[]>;
  /** Stores duplicates of descriptors under one name (ASCII without `:`, at most 255 characters). */
  keep(name: string, descriptors: readonly number[]): void;
  /** Closes the duplicates of that name, possibly some time after the call. */
  forget(name: string): void;
}

/**
 * How long a line may stay in use after `forget`. systemd (252) handles the message asynchronously
 * and closes the descriptors in a thread of its own: milliseconds, more on a busy machine.
 */
const CLOSING_MS = SECOND_MS;

interface KeptEntry {
  /** The line's name in the wiring: `GPIO17` or `gpiochip0:17`. */
  readonly line: string;
  /** Its chip and offset. */
  readonly address: string;
  readonly descriptors: readonly number[];
}

interface KeptDescriptor {
  readonly descriptor: LineDescriptor;
  /** Stops keeping the line. */
  readonly forget: () => void;
}

/**
 * The lines that outlive the process. Each is kept as two descriptors under one name: the line's
 * own, for which the kernel continues to buffer edges, and the memory into which they are read.
 */
export class KeptLines {
  readonly #kernel: GpioKernel;
  readonly #keeper: DescriptorKeeper;
  readonly #clock: Pick<Clock, "monotonicNs">;
  /** The lines that the last process kept and this one has not adopted, by name. */
  readonly #unclaimed = new Map<string, KeptEntry>();
  #forgottenAtMs = Number.NEGATIVE_INFINITY;

  constructor(kernel: GpioKernel, keeper: DescriptorKeeper, clock: Pick<Clock, "monotonicNs">) {
    this.#kernel = kernel;
    this.#keeper = keeper;
    this.#clock = clock;
  }

  /** Takes the kept lines from the keeper. Drops lines whose names another version wrote. */
  open(): void {
    for (const [name, descriptors] of this.#keeper.take()) {
      if (!name.startsWith(PREFIX)) continue;
      const kept = parseKeptName(name);
      if (kept === undefined) this.#drop(name, descriptors);
      else this.#unclaimed.set(name, { ...kept, descriptors });
    }
  }

  /** Whether the keeper may still have to close a forgotten line. */
  isClosing(): boolean {
    return monotonicMs(this.#clock) - this.#forgottenAtMs < CLOSING_MS;
  }

  /** Whether a line is kept and neither adopted nor forgotten. */
  isUnclaimed(line: LineInfo): boolean {
    return [...this.#unclaimed.values()].some(({ address }) => address === formatLine(line));
  }

  /**
   * The line as it was kept, which continues where the last process stopped
   * reading. Undefined when it was not kept, was requested differently, or
   * its chip was removed. Drops everything else that is kept of the line.
   */
  adopt(line: LineInfo, request: LineRequest): KeptDescriptor | undefined {
    const seen = request.keep?.seen ?? null;
    const wanted = seen === null ? null : nameOf(line, request, seen.request);
    let adopted: KeptDescriptor | undefined;
    for (const [name, { address, descriptors }] of this.#unclaimed) {
      if (address !== formatLine(line)) continue;
      this.#unclaimed.delete(name);
      const isWanted = name.replace(ROOM_OF_EARLIER, "") === wanted;
      const descriptor = isWanted ? this.#takeOver(descriptors) : undefined;
      if (descriptor === undefined) this.#drop(name, descriptors);
      else adopted = { descriptor, forget: () => this.#forget(name) };
    }
    return adopted;
  }

  /**
   * Keeps a requested line, and returns the function that stops that.
   * Without memory or a valid name the line ends with the process.
   */
  keep(line: LineInfo, request: LineRequest, descriptor: LineDescriptor): () => void {
    const name = request.keep === undefined ? null : nameOf(line, request, request.keep.request);
    if (name === null) return () => {};
    let memory: number;
    try {
      memory = this.#kernel.createMemory(SHARED_RING_BYTES);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return () => {};
    }
    try {
      descriptor.readInto(this.#kernel.mapMemory(memory, SHARED_RING_BYTES));
      this.#keeper.keep(name, [descriptor.fd, memory]);
    } finally {
      this.#kernel.close(memory);
    }
    return () => this.#forget(name);
  }

  /** Drops kept lines that are not among these. */
  forgetOthers(lines: readonly string[]): void {
    for (const [name, { line, descriptors }] of this.#unclaimed) {
      if (lines.includes(line)) continue;
      this.#unclaimed.delete(name);
      this.#drop(name, descriptors);
    }
  }

  /** Closes this process's copies of lines that were not adopted. They stay kept. */
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
      // Throws if the chip was removed meanwhile.
      descriptor.level();
      this.#kernel.setNonBlocking(fd);
      descriptor.readInto(this.#kernel.mapMemory(memory, SHARED_RING_BYTES));
      this.#kernel.close(memory);
      return descriptor;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  #drop(name: string, descriptors: readonly number[]): void {
    this.#forget(name);
    this.#closeAll(descriptors);
  }

  #forget(name: string): void {
    this.#keeper.forget(name);
    this.#forgottenAtMs = monotonicMs(this.#clock);
  }

  #closeAll(descriptors: readonly number[]): void {
    for (const fd of descriptors) this.#kernel.close(fd);
  }
}

const PREFIX = "line/";
const FIELDS_AFTER_ADDRESS = 3;
/** What ended the names of versions until 28 November 2026, which are taken over as they are: a hash of the room. */
const ROOM_OF_EARLIER = /\/[0-9a-f]{16}$/;
/** The longest name that systemd accepts (`fdname_is_valid`: printable ASCII, no colon). */
const MAX_NAME_CHARACTERS = 255;

/**
 * The name under which a line is kept: `line/GPIO17/gpiochip0/17/4/active-high/as-is`, where
 * 4 is the ledger's number of the request. Equal names mean the same line, requested alike; the kernel does
 * not know its debounce. Of another room's request the ledger has no sighting: that goes with the wiring.
 * Null when the line is not to be kept, or when the name would be longer than systemd accepts.
 */
export function nameOf(
  { chip, offset }: Pick<LineInfo, "chip" | "offset">,
  { line, activeLow, bias, keep }: LineRequest,
  request: number,
): string | null {
  if (keep === undefined) return null;
  const polarity = activeLow ? "active-low" : "active-high";
  const address = [encodeURIComponent(line), encodeURIComponent(chip), offset];
  const name = PREFIX + [...address, request, polarity, bias].join("/");
  return name.length <= MAX_NAME_CHARACTERS ? name : null;
}

/** Parses a name that `nameOf` made; undefined for one of another version, but for a room's hash at its end. */
export function parseKeptName(name: string): Omit<KeptEntry, "descriptors"> | undefined {
  const [line, chip, offset, ...rest] = name.slice(PREFIX.length).replace(ROOM_OF_EARLIER, "").split("/");
  if (!name.startsWith(PREFIX) || rest.length !== FIELDS_AFTER_ADDRESS) return undefined;
  if (line === undefined || chip === undefined || !/^\d+$/.test(offset ?? "")) return undefined;
  try {
    return { line: decodeURIComponent(line), address: `${decodeURIComponent(chip)}:${Number(offset)}` };
  } catch {
    return undefined;
  }
}
