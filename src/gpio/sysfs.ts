import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, Edge, LineDriver, LineInfo, LineRequest, WatchedLine } from "../domain/line.ts";
import { formatLine, resolveLine } from "./address.ts";
import { deniedError, devicePath, readChips } from "./chips.ts";
import { CONSUMER, describeLine, inUseError } from "./holder.ts";
import type { GpioKernel } from "./kernel.ts";
import type { ExportedLine, ExportLine } from "./onoff.ts";
import { isDenied, syscallCode } from "./syscall.ts";
import { type NumberedChip, numberedChips } from "./sysfs-chips.ts";
import { SysfsLine } from "./sysfs-line.ts";
import type { Cancel, Timers } from "./timers.ts";

/** What this driver cannot do, for the log at start. */
export const SYSFS_LIMITS: readonly string[] = [
  "sysfs keeps no queue of edges: those that come faster than they are read are lost, and nobody can count them",
  "sysfs gives no time: an edge is stamped when it is read",
  "sysfs cannot set a line's bias: it stays as the device tree left it",
  "sysfs does not show who exported a line: two programs that both use sysfs can share one unnoticed",
];

/** How the kernel names the holder of an exported line. */
const SYSFS_HOLDER = "sysfs";

export interface SysfsDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Told each limit of the driver when it opens. */
  readonly warn: (text: string) => void;
  readonly loadExporter: () => Promise<ExportLine>;
  /** For names and holders of lines, where the machine has character devices. */
  readonly loadKernel: () => Promise<GpioKernel>;
  /** Where sysfs is mounted. */
  readonly sysfs: string;
}

/**
 * Lines through /sys/class/gpio, by onoff: for kernels without the character device's v2 interface. Its
 * limits are SYSFS_LIMITS. Debounce is our own, and an edge bears the time of the change that then held.
 */
export class SysfsDriver implements LineDriver {
  readonly name = "sysfs";
  readonly simulated = false;
  readonly #dependencies: SysfsDependencies;
  readonly #lines = new Map<number, SysfsLine>();
  #exportLine: ExportLine | null = null;
  #kernel: GpioKernel | null = null;

  constructor(dependencies: SysfsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `unavailable` when the kernel has no GPIO sysfs, or the driver's addon was not built. */
  async open(): Promise<void> {
    const { loadExporter, loadKernel, sysfs, warn } = this.#dependencies;
    if (!existsSync(join(sysfs, "class", "gpio"))) {
      throw new FlancoError("unavailable", "This kernel has no GPIO sysfs (CONFIG_GPIO_SYSFS).", {
        hint: "Use FLANCO_GPIO_DRIVER=chardev.",
      });
    }
    this.#exportLine = await loadExporter();
    try {
      this.#kernel = await loadKernel();
    } catch {
      warn("sysfs: koffi does not load, so lines go by chip and offset alone, without names and holders");
    }
    for (const limit of SYSFS_LIMITS) warn(limit);
  }

  async detect(): Promise<readonly ChipInfo[]> {
    return this.#chips().map(({ chip }) => chip);
  }

  /** As the interface says; throws `invalid` for any bias but `as-is`, which sysfs cannot set. */
  async watch(
    request: LineRequest,
    onEdge: (edge: Edge) => void,
    onFailure: (error: Error) => void,
  ): Promise<WatchedLine> {
    const chips = this.#chips();
    const line = resolveLine(
      request.line,
      chips.map(({ chip }) => chip),
    );
    if (request.bias !== "as-is") {
      throw new FlancoError(
        "invalid",
        `sysfs cannot set the bias of ${describeLine(line)} to ${request.bias}.`,
        {
          hint: "Wire it with bias as-is and set the bias in the device tree, or use FLANCO_GPIO_DRIVER=chardev.",
        },
      );
    }
    const number = lineNumber(line, chips);
    if (this.#lines.has(number)) throw inUseError(line, CONSUMER);
    const watched = new SysfsLine({
      line,
      request,
      exported: this.#export(line, number, request.activeLow),
      clock: this.#dependencies.clock,
      timers: this.#dependencies.timers,
      onEdge,
      onFailure,
      onEnd: () => this.#lines.delete(number),
    });
    watched.start((callback) => this.#onNodeChange(line.chip, callback));
    this.#lines.set(number, watched);
    return watched;
  }

  /** The line becomes an input, which is how the kernel shows most of them anyway. */
  async read(name: string): Promise<boolean> {
    const chips = this.#chips();
    const line = resolveLine(
      name,
      chips.map(({ chip }) => chip),
    );
    const number = lineNumber(line, chips);
    // Whoever exported it would lose it when it is given back.
    const isExported = existsSync(join(this.#dependencies.sysfs, "class", "gpio", `gpio${number}`));
    if (this.#lines.has(number) || isExported) throw inUseError(line, line.holder);
    const exported = this.#export(line, number, false);
    try {
      return exported.read();
    } finally {
      exported.release();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.close()));
    this.#exportLine = null;
    this.#kernel = null;
  }

  #export(line: LineInfo, number: number, activeLow: boolean): ExportedLine {
    if (this.#exportLine === null) throw new FlancoError("internal", "The GPIO driver is not open.");
    try {
      return this.#exportLine(number, activeLow);
    } catch (error) {
      if (isDenied(error)) throw deniedError(error);
      const code = syscallCode(error);
      if (code === "EBUSY") throw inUseError(line, line.holder, error);
      if (code === null) throw error;
      throw new FlancoError("unavailable", `The kernel cannot export ${describeLine(line)} (${code}).`, {
        cause: error,
      });
    }
  }

  #onNodeChange(chip: string, callback: () => void): Cancel {
    const path = devicePath(chip);
    if (this.#kernel === null || !this.#kernel.chipPaths().includes(path)) return () => {};
    return this.#kernel.onNodeChange(path, callback);
  }

  #chips(): NumberedChip[] {
    const chips = numberedChips(this.#dependencies.sysfs, this.#knownChips());
    return chips.map(({ chip, base }) => ({
      base,
      chip: { ...chip, lines: chip.lines.map((line) => this.#withHolder(line, base + line.offset)) },
    }));
  }

  /** The kernel says `sysfs` for every exported line: ours go by our name. */
  #withHolder(line: LineInfo, number: number): LineInfo {
    const ours = this.#lines.has(number) && (line.holder === null || line.holder === SYSFS_HOLDER);
    return ours ? { ...line, holder: CONSUMER } : line;
  }

  #knownChips(): readonly ChipInfo[] {
    if (this.#kernel === null) return [];
    try {
      return readChips(this.#kernel, "v2 or v1");
    } catch {
      // Names and holders are extras here: a character device that cannot be asked takes nothing away.
      return [];
    }
  }
}

function lineNumber(line: LineInfo, chips: readonly NumberedChip[]): number {
  const numbered = chips.find(({ chip }) => chip.name === line.chip);
  if (numbered === undefined) throw new FlancoError("internal", `${formatLine(line)} has no number.`);
  return numbered.base + line.offset;
}
