import type { Clock } from "../domain/clock.ts";
import type { DriverName, LineDriver } from "../domain/line.ts";
import { ChardevDriver } from "./chardev.ts";
import type { DescriptorKeeper } from "./keeper.ts";
import { loadKernel } from "./koffi.ts";
import { NoDriver } from "./none.ts";
import { loadOnoff } from "./onoff.ts";
import { SimulatedDriver } from "./simulated.ts";
import { SysfsDriver } from "./sysfs.ts";
import type { Timers } from "./timers.ts";

export interface DriverDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Told what a driver cannot do, when it opens. */
  readonly warn: (text: string) => void;
  /** How many lines the simulated driver has. */
  readonly simulatedLineCount: number;
  /** Whoever keeps lines while no process runs; absent where nobody does. */
  readonly keeper?: DescriptorKeeper | undefined;
}

/** Makes the driver of that name; `open` does the work. The simulated one is a SimulatedDriver, to be driven. */
export function createDriver(name: DriverName, dependencies: DriverDependencies): LineDriver {
  const { clock, timers, warn, simulatedLineCount, keeper } = dependencies;
  switch (name) {
    case "chardev":
      return new ChardevDriver({ clock, loadKernel, keeper });
    case "sysfs":
      return new SysfsDriver({ clock, timers, warn, loadExporter: loadOnoff, loadKernel, sysfs: "/sys" });
    case "simulated":
      return new SimulatedDriver({ clock, timers, lineCount: simulatedLineCount });
    case "none":
      return new NoDriver();
  }
}
