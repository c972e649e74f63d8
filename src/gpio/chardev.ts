import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, Edge, LineDriver, LineInfo, LineRequest, WatchedLine } from "../domain/line.ts";
import { resolveLine } from "./address.ts";
import { ChardevLine } from "./chardev-line.ts";
import { deniedError, devicePath, readChip, readChips } from "./chips.ts";
import { LineDescriptor } from "./descriptor.ts";
import { CONSUMER, describeLine, inUseError } from "./holder.ts";
import type { DescriptorKeeper } from "./keeper.ts";
import { KeptLines } from "./kept-lines.ts";
import type { GpioKernel } from "./kernel.ts";
import { isDenied, syscallCode } from "./syscall.ts";

/** How long a line that its keeper is letting go of is left alone before it is asked for again. */
const LETTING_GO_POLL_MS = 5;

export interface ChardevDependencies {
  readonly clock: Clock;
  readonly loadKernel: () => Promise<GpioKernel>;
  /** Whoever keeps lines from one process to the next; absent where nobody does. */
  readonly keeper?: DescriptorKeeper | undefined;
}

/**
 * Lines through the kernel's GPIO character device, uAPI v2 (Linux 5.10 and later): debounce, time
 * stamps and a buffer of 1,024 events per line are the kernel's own, and a full buffer is counted.
 * With debounce the kernel stamps an edge when the level has held. Without it, two changes closer than
 * the kernel's interrupt latency can show as two edges to the same level.
 */
export class ChardevDriver implements LineDriver {
  readonly name = "chardev";
  readonly simulated = false;
  readonly #clock: Clock;
  readonly #loadKernel: () => Promise<GpioKernel>;
  readonly #keeper: DescriptorKeeper | undefined;
  readonly #lines = new Set<ChardevLine>();
  #kernel: GpioKernel | null = null;
  #kept: KeptLines | null = null;

  constructor({ clock, loadKernel, keeper }: ChardevDependencies) {
    this.#clock = clock;
    this.#loadKernel = loadKernel;
    this.#keeper = keeper;
  }

  /** Throws `unavailable` when access is denied or the kernel lacks uAPI v2. A machine without a chip passes. */
  async open(): Promise<void> {
    const kernel = await this.#loadKernel();
    readChips(kernel, "v2");
    this.#kernel = kernel;
    this.#kept = this.#keeper === undefined ? null : new KeptLines(kernel, this.#keeper, this.#clock);
    this.#kept?.open();
  }

  async detect(): Promise<readonly ChipInfo[]> {
    return readChips(this.#opened(), "v2");
  }

  async watch(
    request: LineRequest,
    onEdge: (edge: Edge) => void,
    onFailure: (error: Error) => void,
  ): Promise<WatchedLine> {
    const kernel = this.#opened();
    const line = resolveLine(request.line, readChips(kernel, "v2"));
    const adopted = this.#kept?.adopt(line, request);
    const descriptor = adopted?.descriptor ?? (await this.#request(line, request));
    const forget = adopted?.forget ?? this.#keep(line, request, descriptor);
    const watched = new ChardevLine({
      line,
      descriptor,
      resumeAfter: adopted === undefined ? null : (request.keep?.seen?.sequence ?? null),
      forget,
      clock: this.#clock,
      onEdge,
      onFailure,
      onEnd: () => this.#lines.delete(watched),
    });
    watched.start((callback) => kernel.onNodeChange(devicePath(line.chip), callback));
    this.#lines.add(watched);
    return watched;
  }

  /** Requested as it is: neither direction nor bias is set, so that whatever hangs on the line notices nothing. */
  async read(name: string): Promise<boolean> {
    const kernel = this.#opened();
    const line = resolveLine(name, readChips(kernel, "v2"));
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

  /**
   * Whoever was told to let go of a line does so in its own time: a line that is requested again just after (with
   * another debounce, say) is in use by ourselves for some milliseconds, in which nobody would watch it.
   */
  async #request(line: LineInfo, request: LineRequest): Promise<LineDescriptor> {
    for (;;) {
      const kernel = this.#opened();
      try {
        return requestLine(kernel, line, request);
      } catch (error) {
        if (!(error instanceof FlancoError) || error.code !== "conflict") throw error;
        if (this.#kept?.isLettingGo() !== true) throw error;
        const holder = currentHolder(kernel, devicePath(line.chip), line);
        if (holder !== null && holder !== CONSUMER) throw error;
      }
      await pause(LETTING_GO_POLL_MS);
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

function requestLine(kernel: GpioKernel, line: LineInfo, request: LineRequest): LineDescriptor {
  return requestFrom(kernel, line, (chipFd) =>
    LineDescriptor.request(kernel, chipFd, { ...request, offset: line.offset }),
  );
}

/** Opens the line's chip for one request. */
function requestFrom(
  kernel: GpioKernel,
  line: LineInfo,
  ask: (chipFd: number) => LineDescriptor,
): LineDescriptor {
  const path = devicePath(line.chip);
  try {
    const chipFd = kernel.open(path);
    try {
      return ask(chipFd);
    } finally {
      kernel.close(chipFd);
    }
  } catch (error) {
    if (isDenied(error)) throw deniedError(error);
    const code = syscallCode(error);
    if (code === null) throw error;
    if (code === "EBUSY") throw inUseError(line, currentHolder(kernel, path, line), error);
    throw new FlancoError("unavailable", `The kernel cannot watch ${describeLine(line)} (${code}).`, {
      cause: error,
    });
  }
}

/** The holder at this moment: whoever it is may have come after the lines were listed. */
function currentHolder(kernel: GpioKernel, path: string, line: LineInfo): string | null {
  return readChip(kernel, path, "v2").lines[line.offset]?.holder ?? null;
}
