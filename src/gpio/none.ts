import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, LineDriver, WatchedLine } from "../domain/line.ts";

/** No lines at all: the API and the page alone. */
export class NoDriver implements LineDriver {
  readonly name = "none";
  readonly simulated = false;

  async open(): Promise<void> {}

  async detect(): Promise<readonly ChipInfo[]> {
    return [];
  }

  /** Always rejects: a level that nobody reads must not look like a low one. */
  async watch(): Promise<WatchedLine> {
    throw new FlancoError("unavailable", "No line is watched: the GPIO driver is set to none.", {
      hint: "Set FLANCO_GPIO_DRIVER to chardev, sysfs or simulated.",
    });
  }

  async read(): Promise<boolean> {
    throw new FlancoError("unavailable", "No line is read: the GPIO driver is set to none.", {
      hint: "Set FLANCO_GPIO_DRIVER to chardev, sysfs or simulated.",
    });
  }

  async close(): Promise<void> {}
}
