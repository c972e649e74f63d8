import { setTimeout as pause } from "node:timers/promises";
import type { Cancel, Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, Edge, LineDriver, LineInfo, LineRequest, WatchedLine } from "../domain/line.ts";
import { CONSUMER, formatLine, lostError, resolveLine } from "./address.ts";
import { type DescriptorKeeper, KeptLines } from "./kept-lines.ts";
import { devicePath, type GpioKernel, readChip, readChips, refusalOf } from "./kernel.ts";
import { LineDescriptor } from "./line-descriptor.ts";
import type { LineEventStruct } from "./uapi.ts";

/** How often the lines are read again while a keeper closes one of them. */
const CLOSING_POLL_MS = 5;
/** Longest time from an edge to its event in the kernel's buffer: an interrupt thread takes far less. */
const EVENT_LATENCY_NS = 5_000_000n;

export interface ChardevDependencies {
  readonly clock: Clock;
  readonly loadKernel: () => Promise<GpioKernel>;
  /** Keeps lines from one process to the next. Without it, lines end with the process. */
  readonly keeper?: DescriptorKeeper | undefined;
}

/**
 * Lines through the kernel's GPIO character device, uAPI v2 (Linux 5.10 and later): debounce, time
 * stamps and a buffer of 1,024 events per line are the kernel's own, and it counts the events that
 * a full buffer drops. With debounce the kernel stamps an edge when the level has held. Without it,
 * two changes closer than the kernel's interrupt latency can show as two edges to the same level.
 */
export class ChardevDriver implements LineDriver {
  readonly name = "chardev";
  readonly #dependencies: ChardevDependencies;
  readonly #lines = new Set<ChardevLine>();
  /** The addresses of lines that are requested and not at rest yet. */
  readonly #resting = new Set<string>();
  #kernel: GpioKernel | null = null;
  #kept: KeptLines | null = null;

  constructor(dependencies: ChardevDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `unavailable` when access is denied or the kernel lacks uAPI v2. A machine without a chip passes. */
  async open(): Promise<void> {
    const { clock, loadKernel, keeper } = this.#dependencies;
    const kernel = await loadKernel();
    readChips(kernel);
    this.#kernel = kernel;
    this.#kept = keeper === undefined ? null : new KeptLines(kernel, keeper, clock);
    this.#kept?.open();
  }

  /** Waits up to a second for the keeper to close forgotten lines, which show as in use until then. */
  async detect(): Promise<readonly ChipInfo[]> {
    for (;;) {
      const chips = readChips(this.#opened());
      if (this.#kept?.isClosing() !== true) return chips;
      const watched = new Set([...this.#resting, ...[...this.#lines].map(({ address }) => address)]);
      const isClosing = (line: LineInfo) =>
        line.holder === CONSUMER && !watched.has(formatLine(line)) && this.#kept?.isUnclaimed(line) !== true;
      if (!chips.some(({ lines }) => lines.some(isClosing))) return chips;
      await pause(CLOSING_POLL_MS);
    }
  }

  async watch(request: LineRequest): Promise<WatchedLine> {
    const line = resolveLine(request.line, await this.detect());
    const adopted = this.#kept?.adopt(line, request);
    // If `adopt` has dropped a kept line, its keeper must close it first.
    if (adopted === undefined) await this.detect();
    const kernel = this.#opened();
    const descriptor = adopted?.descriptor ?? (await this.#request(line, request));
    const forget = adopted?.forget ?? this.#keep(line, request, descriptor);
    const watched = new ChardevLine({
      line,
      descriptor,
      resumeAfter: adopted === undefined ? null : (request.keep?.seen?.sequence ?? null),
      forget,
      clock: this.#dependencies.clock,
      onNodeChange: (callback) => kernel.onNodeChange(devicePath(line.chip), callback),
      onEnd: () => this.#lines.delete(watched),
    });
    watched.open();
    this.#lines.add(watched);
    return watched;
  }

  /** The request sets neither direction nor bias, so that the line's circuit is not disturbed. */
  async read(name: string): Promise<boolean> {
    const line = resolveLine(name, await this.detect());
    const kernel = this.#opened();
    const descriptor = requestFrom(kernel, line, (chipFd) =>
      LineDescriptor.requestAsIs(kernel, chipFd, line.offset),
    );
    try {
      return descriptor.level();
    } finally {
      descriptor.close();
    }
  }

  forgetOthers(lines: readonly string[]): void {
    this.#kept?.forgetOthers(lines);
  }

  async close(): Promise<void> {
    for (const line of [...this.#lines]) line.leave();
    this.#kept?.close();
    this.#kept = null;
    this.#kernel = null;
  }

  async #request(line: LineInfo, request: LineRequest): Promise<LineDescriptor> {
    const kernel = this.#opened();
    const descriptor = requestFrom(kernel, line, (chipFd) =>
      LineDescriptor.request(kernel, chipFd, line.offset, request),
    );
    const address = formatLine(line);
    this.#resting.add(address);
    try {
      await descriptor.rest(request);
      descriptor.detectEdges(request);
      return descriptor;
    } catch (error) {
      descriptor.close();
      throw refusalOf(error, line, "watch", () => null);
    } finally {
      this.#resting.delete(address);
    }
  }

  #keep(line: LineInfo, request: LineRequest, descriptor: LineDescriptor): () => void {
    try {
      return this.#kept?.keep(line, request, descriptor) ?? (() => {});
    } catch (error) {
      descriptor.close();
      throw error;
    }
  }

  #opened(): GpioKernel {
    if (this.#kernel === null) throw new FlancoError("internal", "The GPIO driver is not open.");
    return this.#kernel;
  }
}

/** Opens the line's chip for one request. */
function requestFrom(
  kernel: GpioKernel,
  line: LineInfo,
  request: (chipFd: number) => LineDescriptor,
): LineDescriptor {
  const path = devicePath(line.chip);
  try {
    const chipFd = kernel.open(path);
    try {
      return request(chipFd);
    } finally {
      kernel.close(chipFd);
    }
  } catch (error) {
    // Read now: the holder may have come after the lines were listed.
    const holder = () => readChip(kernel, path).lines[line.offset]?.holder ?? null;
    throw refusalOf(error, line, "watch", holder);
  }
}

interface ChardevLineParts {
  readonly line: LineInfo;
  readonly descriptor: LineDescriptor;
  /** The sequence number of the last edge in the ledger, for a line that continues; null for a new request. */
  readonly resumeAfter: number | null;
  /** Called once, when the line is released for good. */
  readonly forget: () => void;
  readonly clock: Clock;
  /**
   * Watches the chip's device node: kernels before 6.6 do
   * not wake the reader of a line whose chip is removed.
   */
  readonly onNodeChange: (callback: () => void) => Cancel;
  /** Called once, when the line is closed or has failed. */
  readonly onEnd: () => void;
}

/** One requested line: reads its events as they come, until it is closed or its chip is removed. */
class ChardevLine implements WatchedLine {
  readonly address: string;
  readonly resumed: boolean;
  initiallyActive = false;
  readonly #parts: ChardevLineParts;
  /** Disposed once the line is closed, left to its keeper, or lost. */
  readonly #ending = new DisposableStack();
  #onEdge: (edge: Edge) => void = () => {};
  #onFailure: (error: Error) => void = () => {};
  /** Events that were read before `listen`. */
  #early: readonly LineEventStruct[] = [];
  #levelReadNs = 0n;
  /** The last edge's number, and that number in the kernel's 32 bits. */
  #sequence: number;
  #lastSeqno: number;

  constructor(parts: ChardevLineParts) {
    this.#parts = parts;
    this.address = formatLine(parts.line);
    this.resumed = parts.resumeAfter !== null;
    this.#sequence = parts.resumeAfter ?? 0;
    this.#lastSeqno = this.#sequence >>> 0;
    this.#ending.defer(parts.onEnd);
    this.#ending.defer(() => parts.descriptor.close());
  }

  /** Reads the level, and the events that are already buffered. */
  open(): void {
    const { descriptor, resumeAfter, clock } = this.#parts;
    try {
      const recovered = resumeAfter === null ? [] : descriptor.recover(resumeAfter);
      const level = descriptor.level();
      this.#levelReadNs = clock.monotonicNs();
      this.#early = [...recovered, ...descriptor.take()];
      const [first] = this.#early;
      this.initiallyActive = first === undefined ? level : !first.rising;
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  listen(onEdge: (edge: Edge) => void, onFailure: (error: Error) => void): void {
    this.#onEdge = onEdge;
    this.#onFailure = onFailure;
    const { descriptor, onNodeChange } = this.#parts;
    try {
      const onReadable = (state: "readable" | "failed") =>
        state === "failed" ? this.#fail(null) : this.#read();
      this.#ending.defer(descriptor.onReadable(onReadable));
      this.#ending.defer(onNodeChange(() => this.#check()));
    } catch (error) {
      this.#release();
      throw error;
    }
    this.#deliver(this.#early);
    this.#early = [];
  }

  async close(): Promise<void> {
    this.#read();
    this.#release();
  }

  /**
   * Closes this process's descriptor of the line. If the
   * line is kept, the kernel continues to buffer its edges.
   */
  leave(): void {
    this.#read();
    this.#ending.dispose();
  }

  /** Delivers all events that the kernel has buffered. */
  #read(): void {
    if (this.#ending.disposed) return;
    let events: readonly LineEventStruct[];
    try {
      events = this.#parts.descriptor.take();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#deliver(events);
  }

  #deliver(events: readonly LineEventStruct[]): void {
    for (const event of events) {
      const edge = this.#edgeOf(event);
      if (!this.#isInInitialLevel(edge)) this.#onEdge(edge);
    }
  }

  /** Counts the events beyond the kernel's 32 bits. Each number that is skipped is an edge lost. */
  #edgeOf({ lineSeqno, rising, timestampNs }: LineEventStruct): Edge {
    const step = (lineSeqno - this.#lastSeqno) >>> 0;
    this.#lastSeqno = lineSeqno;
    this.#sequence += step;
    return { active: rising, timeNs: timestampNs, sequence: this.#sequence, missed: step - 1 };
  }

  /**
   * An edge just before the level was read can reach the buffer just after it
   * was emptied. The initial level includes that edge: if it were delivered
   * too, one rise would count as two. A resumed line reports no initial level.
   */
  #isInInitialLevel(edge: Edge): boolean {
    return (
      !this.resumed &&
      edge.sequence === 1 &&
      edge.active === this.initiallyActive &&
      edge.timeNs <= this.#levelReadNs + EVENT_LATENCY_NS
    );
  }

  #check(): void {
    try {
      this.#parts.descriptor.level();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(cause: unknown): void {
    if (this.#ending.disposed) return;
    this.#release();
    this.#onFailure(lostError(this.address, "its chip was removed", cause));
  }

  #release(): void {
    if (this.#ending.disposed) return;
    this.#parts.forget();
    this.#ending.dispose();
  }
}
