import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Gpio } from "onoff";
import type { Cancel, Clock, Timers } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, Edge, LineDriver, LineInfo, LineRequest, WatchedLine } from "../domain/line.ts";
import {
  CONSUMER,
  describeLine,
  formatLine,
  inUseError,
  lostError,
  placeOf,
  resolveLine,
} from "./address.ts";
import { DebouncedEdges } from "./debounce.ts";
import { devicePath, type GpioKernel, readChips, refusalOf } from "./kernel.ts";

/** What this driver cannot do, for the log at start. */
export const SYSFS_LIMITS: readonly string[] = [
  "sysfs keeps no queue of edges: those that come faster than they are read are lost, and cannot be counted",
  "sysfs gives no time: an edge is stamped when it is read",
  "sysfs cannot set a line's bias: it stays as the device tree left it",
  "sysfs does not show who exported a line: two programs that both use sysfs can share one unnoticed",
];

/** How the kernel names the holder of an exported line. */
const SYSFS_HOLDER = "sysfs";

export interface SysfsDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called with each of SYSFS_LIMITS at `open`. */
  readonly warn: (text: string) => void;
  readonly loadExporter: () => Promise<ExportLine>;
  /** Gives names and holders of lines, where the machine has character devices. */
  readonly loadKernel: () => Promise<GpioKernel>;
  /** Where sysfs is mounted. */
  readonly sysfs: string;
}

/**
 * Lines through /sys/class/gpio, by onoff, for kernels
 * without the interface v2. SYSFS_LIMITS lists its limits.
 */
export class SysfsDriver implements LineDriver {
  readonly name = "sysfs";
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

  /** As the interface says. Throws `invalid` for any bias but `as-is`: sysfs cannot set one. */
  async watch(request: LineRequest): Promise<WatchedLine> {
    const { line, number } = this.#find(request.line);
    if (request.bias !== "as-is") {
      throw new FlancoError(
        "invalid",
        `sysfs cannot set the bias of ${describeLine(line)} to ${request.bias}.`,
        {
          hint: "Wire it with bias as-is and set the bias in the device tree, or use FLANCO_GPIO_DRIVER=chardev.",
        },
      );
    }
    if (this.#lines.has(number)) throw inUseError(line, CONSUMER);
    const { clock, timers } = this.#dependencies;
    const watched = new SysfsLine({
      line,
      exported: this.#export(line, number, request.activeLow),
      clock,
      timers,
      debounceMs: request.debounceMs,
      onNodeChange: (callback) => this.#onNodeChange(line.chip, callback),
      onEnd: () => this.#lines.delete(number),
    });
    watched.open();
    this.#lines.set(number, watched);
    return watched;
  }

  /** The line becomes an input, which is the kernel's own default for most lines. */
  async read(name: string): Promise<boolean> {
    const { line, number } = this.#find(name);
    // Another program may have exported it: the release below would take the line away from that program.
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

  #find(name: string): { readonly line: LineInfo; readonly number: number } {
    const chips = this.#chips();
    const line = resolveLine(
      name,
      chips.map(({ chip }) => chip),
    );
    const numbered = chips.find(({ chip }) => chip.name === line.chip);
    if (numbered === undefined) throw new FlancoError("internal", `${formatLine(line)} has no number.`);
    return { line, number: numbered.base + line.offset };
  }

  #export(line: LineInfo, number: number, activeLow: boolean): ExportedLine {
    if (this.#exportLine === null) throw new FlancoError("internal", "The GPIO driver is not open.");
    try {
      return this.#exportLine(number, activeLow);
    } catch (error) {
      throw refusalOf(error, line, "export", () => line.holder);
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

  /** The kernel shows the holder `sysfs` for every exported line. Ours are shown with our name. */
  #withHolder(line: LineInfo, number: number): LineInfo {
    const ours = this.#lines.has(number) && (line.holder === null || line.holder === SYSFS_HOLDER);
    return ours ? { ...line, holder: CONSUMER } : line;
  }

  #knownChips(): readonly ChipInfo[] {
    if (this.#kernel === null) return [];
    try {
      return readChips(this.#kernel);
    } catch {
      // Without the character devices, or before Linux 5.10, lines only lack names and holders.
      return [];
    }
  }
}

interface SysfsLineParts {
  readonly line: LineInfo;
  readonly exported: ExportedLine;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly debounceMs: number;
  /** Watches the chip's device node, where it has one: sysfs does not report that a chip was removed. */
  readonly onNodeChange: (callback: () => void) => Cancel;
  /** Called once, when the line is closed or has failed. */
  readonly onEnd: () => void;
}

/** One exported line. Changes that cancel out between two readings are not seen. */
class SysfsLine implements WatchedLine {
  readonly address: string;
  initiallyActive = false;
  readonly #parts: SysfsLineParts;
  readonly #edges: DebouncedEdges;
  /** Disposed once the line is closed or lost. */
  readonly #ending = new DisposableStack();
  #onFailure: (error: Error) => void = () => {};

  constructor(parts: SysfsLineParts) {
    this.#parts = parts;
    this.address = formatLine(parts.line);
    const { clock, timers, debounceMs } = parts;
    this.#edges = new DebouncedEdges({ clock, timers, debounceMs, level: () => this.#level() });
    this.#ending.defer(parts.onEnd);
    this.#ending.defer(() => parts.exported.release());
    this.#ending.defer(() => this.#edges.stop());
  }

  open(): void {
    this.#orRelease(() => {
      this.initiallyActive = this.#parts.exported.read();
    });
  }

  listen(
    onEdge: (edge: Edge) => void,
    onFailure: (error: Error) => void,
    onRaw?: (edge: Edge) => void,
  ): void {
    this.#onFailure = onFailure;
    this.#edges.listen(this.initiallyActive, onEdge, onRaw);
    this.#orRelease(() => {
      this.#parts.exported.listen((active) => this.#edges.takeLevel(active));
      this.#ending.defer(this.#parts.onNodeChange(() => void this.#level()));
    });
    const level = this.#level();
    if (level !== undefined && level !== this.initiallyActive) this.#edges.takeLevel(level);
  }

  async close(): Promise<void> {
    this.#ending.dispose();
  }

  #orRelease(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#ending.dispose();
      throw error;
    }
  }

  #level(): boolean | undefined {
    try {
      return this.#parts.exported.read();
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #fail(cause: unknown): void {
    if (this.#ending.disposed) return;
    this.#ending.dispose();
    this.#onFailure(lostError(this.address, "it can no longer be read", cause));
  }
}

/** A chip and the global number of its line 0. */
export interface NumberedChip {
  readonly chip: ChipInfo;
  readonly base: number;
}

/**
 * The chips of sysfs (`<sysfs>/class/gpio/gpiochip*`) under the names that the character devices have
 * (`<sysfs>/bus/gpio/devices/gpiochip*`), matched by device and label. `known` are the character devices'
 * chips, where they can be read: they bring line names and holders. A chip that has no character device
 * goes by its sysfs name. In order of base.
 */
export function numberedChips(sysfs: string, known: readonly ChipInfo[]): NumberedChip[] {
  const devices = charDevices(sysfs);
  return sysfsChips(sysfs)
    .map(({ base, label, lineCount, device }) => {
      const candidates = devices.filter((one) => one.parent === device || one.path === device);
      const named = known.find(
        (chip) => chip.label === label && candidates.some((one) => one.name === chip.name),
      );
      // Without the character device's label, only a chip that is alone on its device can be named.
      const [only, ...others] = candidates;
      const name = only !== undefined && others.length === 0 ? only.name : `gpiochip${base}`;
      return { base, chip: named ?? namelessChip(name, label, placeOf(device), lineCount) };
    })
    .sort((a, b) => a.base - b.base);
}

function namelessChip(name: string, label: string, place: string | undefined, lineCount: number): ChipInfo {
  const lines = Array.from({ length: lineCount }, (_, offset) => ({
    chip: name,
    offset,
    name: null,
    holder: null,
  }));
  return { name, label, ...(place === undefined ? {} : { place }), lines };
}

/** The chips as /sys/class/gpio shows them; `device` is the real path of the device that a chip hangs from. */
function sysfsChips(sysfs: string) {
  const folder = join(sysfs, "class", "gpio");
  return chipEntries(folder).map((entry) => {
    const path = join(folder, entry);
    return {
      base: Number(readText(join(path, "base"))),
      label: readText(join(path, "label")),
      lineCount: Number(readText(join(path, "ngpio"))),
      device: realpathSync(join(path, "device")),
    };
  });
}

function charDevices(sysfs: string) {
  const folder = join(sysfs, "bus", "gpio", "devices");
  return chipEntries(folder).map((entry) => {
    const path = realpathSync(join(folder, entry));
    return { name: basename(path), path, parent: dirname(path) };
  });
}

function chipEntries(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((entry) => /^gpiochip\d+$/.test(entry));
}

function readText(path: string): string {
  return readFileSync(path, "utf8").trim();
}

const SYSFS_GPIO = "/sys/class/gpio";

/** One exported line, with both edges watched. Levels have activeLow applied. */
export interface ExportedLine {
  /** The level at this moment. Throws when the line is gone. */
  read(): boolean;
  /** Calls back with the level as it stands after each interrupt, or several. At most one listener. */
  listen(callback: (active: boolean) => void): void;
  /** Stops listening and gives the line back to the kernel. */
  release(): void;
}

/** Exports lines by the kernel's global number. Throws system errors (EBUSY: someone has the line). */
export type ExportLine = (number: number, activeLow: boolean) => ExportedLine;

/** Loads onoff, only when a driver asks. Throws `unavailable` when its addon, epoll, was not built. */
export async function loadOnoff(): Promise<ExportLine> {
  try {
    const onoff = await import("onoff");
    return (number, activeLow) => exportLine(onoff.Gpio, number, activeLow);
  } catch (error) {
    throw new FlancoError("unavailable", "The sysfs GPIO driver was not built when flanco was installed.", {
      hint: "Install g++ and run npm ci again, or use FLANCO_GPIO_DRIVER=chardev.",
      cause: error,
    });
  }
}

function exportLine(gpioClass: typeof Gpio, number: number, activeLow: boolean): ExportedLine {
  const folder = `${SYSFS_GPIO}/gpio${number}`;
  const exportedBefore = existsSync(folder);
  let gpio: Gpio;
  try {
    gpio = new gpioClass(number, "in", "both", { activeLow });
  } catch (error) {
    // onoff leaves a line exported when it fails half-way.
    if (!exportedBefore && existsSync(folder)) writeFileSync(`${SYSFS_GPIO}/unexport`, String(number));
    throw error;
  }
  return new OnoffLine(gpio, number, activeLow);
}

class OnoffLine implements ExportedLine {
  readonly #gpio: Gpio;

  constructor(gpio: Gpio, number: number, activeLow: boolean) {
    this.#gpio = gpio;
    // On a line that was exported before, by a killed process say, onoff ignores failed settings.
    if (gpio.direction() === "in" && gpio.edge() === "both" && gpio.activeLow() === activeLow) return;
    gpio.unexport();
    throw new FlancoError("unavailable", `The exported line ${number} does not take its settings.`, {
      hint: `Write ${number} to ${SYSFS_GPIO}/unexport, then try again.`,
    });
  }

  read(): boolean {
    return this.#gpio.readSync() === 1;
  }

  listen(callback: (active: boolean) => void): void {
    this.#gpio.watch((_error, value) => callback(value === 1));
  }

  release(): void {
    this.#gpio.unexport();
  }
}
