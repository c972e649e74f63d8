import { existsSync, writeFileSync } from "node:fs";
import type { Gpio } from "onoff";
import { FlancoError } from "../domain/error.ts";

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
