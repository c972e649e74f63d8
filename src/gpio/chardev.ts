import { setTimeout as pause } from "node:timers/promises";
import type { Cancel, Clock, Timers } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, Edge, LineDriver, LineInfo, LineRequest, WatchedLine } from "../domain/line.ts";
import { CONSUMER, formatLine, lostError, resolveLine } from "./address.ts";
import { DebouncedEdges } from "./debounce.ts";
import { type DescriptorKeeper, KeptLines } from "./kept-lines.ts";
import { devicePath, type GpioKernel, readChip, readChips, refusalOf } from "./kernel.ts";
import { LineDescriptor } from "./line-descriptor.ts";
import type { LineEventStruct } from "./uapi.ts";

/** How often the lines are read again while a keeper closes one of them. */
const CLOSING_POLL_MS = 5;
/** How often each line's level is compared with what its edges say. */
const LOOK_MS = 800;

export interface ChardevDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly loadKernel: () => Promise<GpioKernel>;
  /** Keeps lines from one process to the next. Without it, lines end with the process. */
  readonly keeper?: DescriptorKeeper | undefined;
}

/**
 * Lines through the kernel's GPIO character device, uAPI v2 (Linux 5.10 and later): time stamps and a buffer
 * of 1,024 events per line are the kernel's own, and it counts the events that a full buffer drops. The
 * debounce is this process's, so that the kernel gives the line's true level: where hardware or a late interrupt
 * swallows an edge, a look at the level finds it, and the line is lost for a moment (`listen`).
 */
export class ChardevDriver implements LineDriver {
  readonly name = "chardev";
  readonly #dependencies: ChardevDependencies;
  readonly #lines = new Set<ChardevLine>();
  /** The addresses of lines that are requested and not at rest yet. */
  readonly #resting = new Set<string>();
  #kernel: GpioKernel | null = null;
  #cancelLook: Cancel = () => {};
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
    this.#lookLater();
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
    const kept = this.#kept?.adopt(line, request);
    const adopted = kept && { ...kept, active: levelBefore(request) ?? request.activeLow };
    // If `adopt` has dropped a kept line, its keeper must close it first.
    if (adopted === undefined && this.#kept?.isClosing() === true) await this.detect();
    const kernel = this.#opened();
    const { descriptor, active } = adopted ?? (await this.#request(line, request));
    const forget = adopted?.forget ?? this.#keep(line, request, descriptor);
    const watched = new ChardevLine({
      ...this.#dependencies,
      line,
      descriptor,
      debounceMs: request.debounceMs,
      initiallyActive: active,
      resumeAfter: adopted === undefined ? null : (request.keep?.seen?.sequence ?? null),
      forget,
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
    this.#cancelLook();
    for (const line of [...this.#lines]) line.leave();
    this.#kept?.close();
    this.#kept = null;
    this.#kernel = null;
  }

  #lookLater(): void {
    this.#cancelLook = this.#dependencies.timers.after(LOOK_MS, () => {
      this.#lookLater();
      for (const line of [...this.#lines]) line.compareLevel();
    });
  }

  async #request(
    line: LineInfo,
    request: LineRequest,
  ): Promise<{ readonly descriptor: LineDescriptor; readonly active: boolean }> {
    const kernel = this.#opened();
    const address = formatLine(line);
    this.#resting.add(address);
    try {
      for (;;) {
        const descriptor = requestFrom(kernel, line, (chipFd) =>
          LineDescriptor.request(kernel, chipFd, line.offset, request),
        );
        try {
          const rested = await descriptor.rest(request);
          descriptor.detectEdges(request);
          // A change just before the kernel detects edges is no edge: with the level of before the next sale would be none.
          if (rested === undefined || descriptor.level() === rested) {
            return { descriptor, active: rested ?? levelBefore(request) ?? descriptor.level() };
          }
        } catch (error) {
          descriptor.close();
          throw refusalOf(error, line, "watch", () => null);
        }
        descriptor.close();
      }
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

/** The level that the ledger knows of the line; undefined for one that it has not seen. */
function levelBefore({ lastHigh, activeLow }: LineRequest): boolean | undefined {
  return lastHigh === undefined ? undefined : lastHigh !== activeLow;
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
  readonly debounceMs: number;
  /** The level before the first edge. */
  readonly initiallyActive: boolean;
  /** The sequence number of the last edge in the ledger, for a line that continues; null for a new request. */
  readonly resumeAfter: number | null;
  /** Called once, when the line is released for good. */
  readonly forget: () => void;
  readonly clock: Clock;
  readonly timers: Timers;
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
  readonly initiallyActive: boolean;
  readonly #parts: ChardevLineParts;
  readonly #edges: DebouncedEdges;
  /** Disposed once the line is closed, left to its keeper, or lost. */
  readonly #ending = new DisposableStack();
  #onFailure: (error: Error, rightNs?: bigint) => void = () => {};
  /** Events that an earlier process has read. */
  #recovered: readonly LineEventStruct[] = [];
  /** The last event's number, and that number in the kernel's 32 bits. */
  #sequence: number;
  #lastSeqno: number;
  /** When the level was last as the edges say. Of a resumed line, an earlier process knew that. */
  #rightNs: bigint;
  /** The last event's number at the last look, where the level differed then. */
  #differedAt: number | undefined;

  constructor(parts: ChardevLineParts) {
    this.#parts = parts;
    const { line, descriptor, resumeAfter, clock } = parts;
    this.address = formatLine(line);
    this.resumed = resumeAfter !== null;
    this.initiallyActive = parts.initiallyActive;
    this.#sequence = resumeAfter ?? 0;
    this.#lastSeqno = this.#sequence >>> 0;
    this.#rightNs = this.resumed ? 0n : clock.monotonicNs();
    this.#edges = new DebouncedEdges({ ...parts, level: () => this.#levelNow() });
    this.#ending.defer(parts.onEnd);
    this.#ending.defer(() => descriptor.close());
    this.#ending.defer(() => this.#edges.stop());
  }

  open(): void {
    const { descriptor, resumeAfter } = this.#parts;
    if (resumeAfter !== null) this.#recovered = descriptor.recover(resumeAfter);
  }

  listen(
    onEdge: (edge: Edge) => void,
    onFailure: (error: Error, rightNs?: bigint) => void,
    onRaw?: (edge: Edge) => void,
  ): void {
    this.#onFailure = onFailure;
    this.#edges.listen(this.initiallyActive, onEdge, onRaw, this.#sequence);
    const { descriptor, onNodeChange } = this.#parts;
    try {
      const onReadable = (state: "readable" | "failed") =>
        state === "failed" ? this.#fail(null) : this.#read();
      this.#ending.defer(descriptor.onReadable(onReadable));
      this.#ending.defer(onNodeChange(() => void this.#level()));
    } catch (error) {
      this.#release();
      throw error;
    }
    this.#deliver(this.#recovered);
    this.#recovered = [];
    this.#read();
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

  /** Compares the level with what the edges say, and gives the line up where they differ. */
  compareLevel(): void {
    const level = this.#levelNow();
    const { settled } = this.#edges;
    // A change that is being judged is compared with the level at its end.
    if (level === undefined || settled === undefined) return;
    if (level === settled) {
      this.#rightNs = this.#parts.clock.monotonicNs();
      this.#differedAt = undefined;
      return;
    }
    // The event may come just after the look, and a line that switches often meets that again.
    const isFirst = this.#differedAt !== this.#sequence;
    this.#differedAt = this.#sequence;
    if (isFirst) return;
    this.#release();
    this.#onFailure(lostError(this.address, "an edge was not reported", undefined), this.#rightNs);
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
    for (const event of events) this.#edges.change(this.#edgeOf(event));
  }

  /** Counts the events beyond the kernel's 32 bits. Each number that is skipped is an edge lost. */
  #edgeOf({ lineSeqno, rising, timestampNs }: LineEventStruct): Edge {
    const step = (lineSeqno - this.#lastSeqno) >>> 0;
    this.#lastSeqno = lineSeqno;
    this.#sequence += step;
    return { active: rising, timeNs: timestampNs, sequence: this.#sequence, missed: step - 1 };
  }

  /** The level, once all events up to it are delivered; undefined where the line is lost. */
  #levelNow(): boolean | undefined {
    this.#read();
    return this.#level();
  }

  #level(): boolean | undefined {
    if (this.#ending.disposed) return undefined;
    try {
      return this.#parts.descriptor.level();
    } catch (error) {
      this.#fail(error);
      return undefined;
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
