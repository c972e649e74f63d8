import type { Clock, Timers } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, DriverName, LineDriver } from "../domain/line.ts";
import { ChardevDriver } from "./chardev.ts";
import type { DescriptorKeeper } from "./kept-lines.ts";
import { loadKernel } from "./kernel.ts";
import { type BoxBroker, MqttDriver } from "./mqtt.ts";
import { SimulatedDriver } from "./simulated.ts";
import { loadOnoff, SysfsDriver } from "./sysfs.ts";

export interface DriverDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called with each limit of the driver, when it opens. */
  readonly warn: (text: string) => void;
  /** How many lines the simulated driver has. */
  readonly simulatedLineCount: number;
  /** Keeps lines while no process runs. Without it, lines end with the process. */
  readonly keeper?: DescriptorKeeper | undefined;
  /** The broker of relay boxes on the network; absent where none is set. */
  readonly boxes?: BoxBroker | undefined;
}

/**
 * Makes the driver of that name; `open` does the work. The simulated one is a
 * SimulatedDriver. Throws `config` where a setting of the driver is missing.
 */
export function createDriver(name: DriverName, dependencies: DriverDependencies): LineDriver {
  const { clock, timers, warn, simulatedLineCount, keeper, boxes } = dependencies;
  switch (name) {
    case "chardev":
      return new ChardevDriver({ clock, timers, loadKernel, keeper });
    case "sysfs":
      return new SysfsDriver({ clock, timers, warn, loadExporter: loadOnoff, loadKernel, sysfs: "/sys" });
    case "mqtt":
      return new MqttDriver({ clock, timers, warn, broker: required(boxes) });
    case "simulated":
      return new SimulatedDriver({ clock, timers, lineCount: simulatedLineCount });
    case "none":
      return new NoDriver();
  }
}

function required(boxes: BoxBroker | undefined): BoxBroker {
  if (boxes !== undefined) return boxes;
  throw new FlancoError("config", "The driver mqtt needs box_broker and box_user.", {
    hint: "Set both, or another gpio_driver.",
  });
}

/** No lines: the service has the API and the page alone. */
class NoDriver implements LineDriver {
  readonly name = "none";

  async open(): Promise<void> {}

  async detect(): Promise<readonly ChipInfo[]> {
    return [];
  }

  /** Always rejects: an unknown level must not look like a low one. */
  async watch(): Promise<never> {
    throw noLinesError();
  }

  async read(): Promise<never> {
    throw noLinesError();
  }

  async close(): Promise<void> {}
}

function noLinesError(): FlancoError {
  return new FlancoError("unavailable", "No line is watched: the GPIO driver is set to none.", {
    hint: "Set FLANCO_GPIO_DRIVER to chardev, sysfs, mqtt or simulated.",
  });
}
