import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { VirtualTime } from "../../src/domain/clock.ts";
import type { Bias, Edge, LineDriver, LineRequest, WatchedLine } from "../../src/domain/line.ts";
import { createDriver } from "../../src/gpio/driver.ts";
import { type GpioKernel, loadKernel } from "../../src/gpio/kernel.ts";
import type { BoxBroker } from "../../src/gpio/mqtt.ts";
import { SimulatedDriver } from "../../src/gpio/simulated.ts";
import {
  decodeLineRequestFd,
  encodeLineRequest,
  GPIO_V2_GET_LINE_IOCTL,
  LINE_FLAG,
} from "../../src/gpio/uapi.ts";
import { systemClock, systemTimers } from "../../src/platform/machine.ts";
import { MqttBroker } from "../rig/mqtt-broker.ts";
import { until } from "../rig/until.ts";

/** The lines of a rig that the tests use. */
const LINES = [0, 1, 2, 3];
/** A parameter of the guest's gpio-sim (scripts/guest/gpio-sim.ts). */
const BIAS_DELAY = "/sys/module/gpio_sim/parameters/rc_us";
/** gpio-sim merges changes that come faster than its interrupt work. */
const PACE_MS = 1;
const VIRTUAL_DEBOUNCE_MS = 200;
export const BOX = "7234";
export const BOX_USER = "64f0c1a2b3d4e5f60718293a";
/** Longer, because real time also passes while a guest machine is not scheduled. */
const KERNEL_DEBOUNCE_MS = 1_000;

/** The hardware behind a driver: sets levels, and uses lines as another program. */
export interface Rig {
  /** The chip's name; it has at least four lines, free and low. */
  readonly chip: string;
  /** A bias that this driver can set without changing a driven level. */
  readonly bias: Bias;
  /** The debounce time in tests of it: longer than setting a few levels ever takes. */
  readonly debounceMs: number;
  lineName(offset: number): string;
  /** Sets a line's physical level; resolves when the driver's source has seen it. */
  set(offset: number, high: boolean): Promise<void>;
  /** Resolves when a driver that was opened knows the levels that were set before. */
  settled(): Promise<void>;
  /** Advances virtual time; does nothing where time is real. */
  elapse(ms: number): void;
  /** Uses a line as another program; resolves to a function that releases it. */
  hold(offset: number, holder: string): Promise<() => void>;
  /** Sets every level low again. */
  close(): Promise<void>;
}

/** Collects a line's edges, so that a test can wait for the edges that it causes. */
export class Edges {
  readonly seen: Edge[] = [];
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  readonly onEdge = (edge: Edge): void => {
    this.seen.push(edge);
    for (const waiter of this.#waiting) if (this.seen.length >= waiter.count) waiter.resolve();
  };

  get levels(): readonly boolean[] {
    return this.seen.map((edge) => edge.active);
  }

  /** Gives the levels once there are `count` edges in all; otherwise mocha's timeout fails the test. */
  async until(count: number): Promise<readonly boolean[]> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.seen.length >= count) resolve();
    else this.#waiting.push({ count, resolve });
    await promise;
    return this.levels;
  }
}

/** A request of an active-high line without debounce. */
export function lineRequest(line: string, wanted: Partial<LineRequest> = {}): LineRequest {
  return { line, activeLow: false, bias: "as-is", debounceMs: 0, ...wanted };
}

/** Watches a line and listens to it at once. A line that fails fails the test, unless `failures` collects the errors. */
export async function watchLine(
  driver: LineDriver,
  request: LineRequest,
  failures?: Error[],
): Promise<{ readonly line: WatchedLine; readonly edges: Edges }> {
  const line = await driver.watch(request);
  const edges = new Edges();
  line.listen(edges.onEdge, (error) => {
    if (failures === undefined) throw error;
    failures.push(error);
  });
  return { line, edges };
}

export async function createSimulatedRig(): Promise<{ driver: LineDriver; rig: Rig }> {
  const time = new VirtualTime();
  const driver = new SimulatedDriver({ clock: time, timers: time, lineCount: 8 });
  const rig: Rig = {
    chip: "simchip0",
    bias: "pull-down",
    debounceMs: VIRTUAL_DEBOUNCE_MS,
    lineName: (offset) => `SIM${offset}`,
    set: async (offset, high) => driver.set(`simchip0:${offset}`, high),
    settled: async () => {},
    elapse: (ms) => time.advance(ms),
    hold: async (offset, holder) => driver.hold(`simchip0:${offset}`, holder),
    close: async () => {},
  };
  return { driver, rig };
}

/** A driver whose world has the machine's time. */
export function realDriver(name: "chardev" | "sysfs" | "mqtt", boxes?: BoxBroker): LineDriver {
  const times = { clock: systemClock, timers: systemTimers };
  return createDriver(name, { ...times, warn: () => {}, simulatedLineCount: 0, boxes });
}

/** A box with four relays behind a broker that keeps the last level of each. */
export async function createMqttRig(): Promise<{ driver: LineDriver; rig: Rig }> {
  const broker = await MqttBroker.open();
  const publish = (offset: number, value: boolean) =>
    broker.publish({
      topic: `${BOX_USER}/${BOX}/${offset}/sdata`,
      payload: JSON.stringify({ value }),
      retain: true,
    });
  for (const offset of LINES) await publish(offset, false);
  const driver = realDriver("mqtt", boxesAt(broker.url));
  const rig: Rig = {
    chip: BOX,
    bias: "as-is",
    debounceMs: 0,
    lineName: (offset) => `${BOX}/${offset}`,
    set: publish,
    settled: () =>
      until("a level of each line", async () => {
        driver.forgetOthers?.([]);
        const levels = await Promise.allSettled(LINES.map((offset) => driver.read(`${BOX}/${offset}`)));
        return levels.every(({ status }) => status === "fulfilled");
      }).then(() => {}),
    elapse: () => {},
    hold: async () => () => {},
    close: () => broker.close(),
  };
  return { driver, rig };
}

/** The boxes of BOX_USER, by a broker that asks for no password. */
export function boxesAt(url: string): BoxBroker {
  return { url, boxUser: BOX_USER, clientId: "flanco-test", user: "", passwordFile: "", authorityFile: "" };
}

/** A simulated chip of a real kernel (gpio-sim), for the drivers that go through the kernel. */
export class KernelChip {
  /** The chip's device name. */
  readonly name: string;
  readonly #folder: string;
  #kernel: GpioKernel | null = null;

  /** `folder` is gpio-sim's in sysfs, the one that holds `sim_gpio0/pull`. */
  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.name = name;
  }

  /** The chip that the environment names; null on a machine without one. */
  static fromEnvironment(): KernelChip | null {
    const folder = process.env["FLANCO_TEST_GPIO_SIM"];
    const name = process.env["FLANCO_TEST_GPIO_CHIP"];
    return folder === undefined || name === undefined ? null : new KernelChip(folder, name);
  }

  /** Sets a line's physical level; its interrupt follows within microseconds. */
  set(offset: number, high: boolean): void {
    writeFileSync(join(this.#folder, `sim_gpio${offset}`, "pull"), high ? "pull-up" : "pull-down");
  }

  /** Sets a line's physical level as hardware does that loses the edge. */
  swallow(offset: number, high: boolean): void {
    writeFileSync(join(this.#folder, `sim_gpio${offset}`, "pull"), high ? "swallow-up" : "swallow-down");
  }

  /** From here on a bias takes so long to move a line. */
  chargeIn(us: number): void {
    writeFileSync(BIAS_DELAY, String(us));
  }

  /** The physical level. */
  get(offset: number): boolean {
    return readFileSync(join(this.#folder, `sim_gpio${offset}`, "value"), "utf8").trim() === "1";
  }

  /** Requests a line as another program. */
  async hold(offset: number, consumer: string): Promise<() => void> {
    this.#kernel ??= await loadKernel();
    const kernel = this.#kernel;
    const bytes = encodeLineRequest({
      offset,
      consumer,
      flags: LINE_FLAG.input,
      eventBufferEvents: 0,
    });
    const chipFd = kernel.open(`/dev/${this.name}`);
    try {
      kernel.ioctl(chipFd, GPIO_V2_GET_LINE_IOCTL, bytes);
    } finally {
      kernel.close(chipFd);
    }
    return () => kernel.close(decodeLineRequestFd(bytes));
  }

  async createRig(driverName: "chardev" | "sysfs"): Promise<{ driver: LineDriver; rig: Rig }> {
    for (const offset of LINES) await this.#setPaced(offset, false);
    const driver = realDriver(driverName);
    const rig: Rig = {
      chip: this.name,
      bias: driverName === "sysfs" ? "as-is" : "pull-down",
      debounceMs: KERNEL_DEBOUNCE_MS,
      lineName: (offset) => `RELAY${offset}`,
      set: (offset, high) => this.#setPaced(offset, high),
      settled: async () => {},
      elapse: () => {},
      hold: (offset, holder) => this.hold(offset, holder),
      close: async () => {
        for (const offset of LINES) await this.#setPaced(offset, false);
      },
    };
    return { driver, rig };
  }

  async #setPaced(offset: number, high: boolean): Promise<void> {
    this.set(offset, high);
    await delay(PACE_MS);
  }
}
