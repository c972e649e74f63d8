import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { LineDriver } from "../../src/domain/line.ts";
import { createDriver } from "../../src/gpio/driver.ts";
import { systemClock, systemTimers } from "../../src/service/clock.ts";
import { until } from "../rig/until.ts";
import { KernelChip, lineRequest, watchLine } from "./rigs.ts";

const SYSFS_GPIO = "/sys/class/gpio";
const GPIO_SIM = "/sys/kernel/config/gpio-sim";
/** The kernel's buffer of one line. */
const BUFFER_EVENTS = 1_024;
const BURST_EDGES = 4_000;
/** An emulated machine handles about a thousand edges a second. */
const BURST_TIMEOUT_MS = 60_000;
const EDGE_TIMEOUT_MS = 5_000;
const NAP_MS = 0.05;

/**
 * Changes a line and returns when the kernel is done with each change: the line's interrupt thread goes
 * back to sleep once per edge. It never returns to the event loop meanwhile.
 */
class SlowHand {
  readonly #chip: KernelChip;
  readonly #status: number;
  readonly #buffer = Buffer.alloc(4_096);
  readonly #nap = new Int32Array(new SharedArrayBuffer(4));

  /** `others` are the interrupt threads from before the line was watched. */
  constructor(chip: KernelChip, others: readonly string[]) {
    const [pid] = interruptThreads().filter((thread) => !others.includes(thread));
    if (pid === undefined) throw new Error("The line has no interrupt thread.");
    this.#chip = chip;
    this.#status = openSync(`/proc/${pid}/status`, "r");
  }

  change(offset: number, levels: readonly boolean[]): void {
    let sleeps = this.#sleeps();
    for (const high of levels) {
      this.#chip.set(offset, high);
      sleeps += 1;
      const deadlineMs = performance.now() + EDGE_TIMEOUT_MS;
      do {
        // An idle processor does its interrupt work at once, a busy one at its next tick.
        Atomics.wait(this.#nap, 0, 0, NAP_MS);
        if (performance.now() > deadlineMs) throw new Error("The kernel did not see an edge.");
      } while (this.#sleeps() < sleeps);
    }
    closeSync(this.#status);
  }

  #sleeps(): number {
    const length = readSync(this.#status, this.#buffer, 0, this.#buffer.length, 0);
    const field = "\nvoluntary_ctxt_switches:";
    const status = this.#buffer.subarray(0, length);
    return Number.parseInt(status.toString("latin1", status.indexOf(field) + field.length), 10);
  }
}

/** Process ids of the kernel's interrupt threads of flanco's lines. */
function interruptThreads(): string[] {
  return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && isInterruptThread(entry));
}

function isInterruptThread(pid: string): boolean {
  try {
    return /^irq\/\d+-flanco/.test(readFileSync(`/proc/${pid}/comm`, "utf8"));
  } catch {
    return false;
  }
}

async function opened(name: "chardev" | "sysfs"): Promise<LineDriver> {
  const times = { clock: systemClock, timers: systemTimers };
  const driver = createDriver(name, { ...times, warn: () => {}, simulatedLineCount: 0 });
  await driver.open();
  return driver;
}

const chip = KernelChip.fromEnvironment();
if (chip !== null) {
  describe("The chardev driver on a real kernel", () => {
    let driver: LineDriver;

    beforeEach(async () => {
      driver = await opened("chardev");
    });

    afterEach(async () => {
      await driver.close();
      chip.set(0, false);
    });

    it("delivers the last 1,024 of 4,000 edges that a blocked process missed, and counts the other 2,976", async function () {
      this.timeout(BURST_TIMEOUT_MS);
      const others = interruptThreads();
      const { edges } = await watchLine(driver, lineRequest(`${chip.name}:0`));
      new SlowHand(chip, others).change(
        0,
        Array.from({ length: BURST_EDGES }, (_, index) => index % 2 === 0),
      );
      await edges.until(BUFFER_EVENTS);

      expect(edges.seen.reduce((sum, edge) => sum + edge.missed, 0)).to.equal(BURST_EDGES - BUFFER_EVENTS);
      expect(edges.seen[0]).to.deep.include({ sequence: 2_977, missed: 2_976, active: true });
      expect(edges.seen.slice(1).every((edge) => edge.missed === 0)).to.equal(true);
      expect(edges.seen.at(-1)).to.deep.include({ sequence: BURST_EDGES, active: false });
    });

    it("delivers on close an edge that was not read yet, with the kernel's own time", async () => {
      const others = interruptThreads();
      const { line, edges } = await watchLine(driver, lineRequest(`${chip.name}:0`));
      const hand = new SlowHand(chip, others);
      const fromNs = systemClock.monotonicNs();
      hand.change(0, [true]);
      const untilNs = systemClock.monotonicNs();
      await line.close();

      expect(edges.levels).to.deep.equal([true]);
      const timeNs = edges.seen[0]?.timeNs ?? 0n;
      expect(timeNs > fromNs && timeNs < untilNs, `${fromNs} < ${timeNs} < ${untilNs}`).to.equal(true);
    });

    it("sets the pull that a request asks for", async () => {
      const { line: up } = await watchLine(driver, lineRequest(`${chip.name}:0`, { bias: "pull-up" }));
      await up.close();
      const { line: down } = await watchLine(driver, lineRequest(`${chip.name}:0`, { bias: "pull-down" }));

      expect([up.initiallyActive, down.initiallyActive]).to.deep.equal([true, false]);
    });

    it("reports once that a line is lost with its chip, and keeps watching the lines of another", async () => {
      const folder = join(GPIO_SIM, "removable");
      mkdirSync(join(folder, "bank0"), { recursive: true });
      writeFileSync(join(folder, "live"), "1");
      const removable = readFileSync(join(folder, "bank0", "chip_name"), "utf8").trim();
      const failures: Error[] = [];
      await watchLine(driver, lineRequest(`${removable}:0`), failures);
      const { edges } = await watchLine(driver, lineRequest(`${chip.name}:0`));
      writeFileSync(join(folder, "live"), "0");
      await until("the line is lost", () => failures.length > 0);
      rmdirSync(join(folder, "bank0"));
      rmdirSync(folder);
      chip.set(0, true);
      await edges.until(1);

      expect(failures.map((error) => error.message)).to.deep.equal([
        `${removable}:0 is lost: its chip was removed.`,
      ]);
      expect((await driver.detect()).map((one) => one.name)).to.not.include(removable);
    });
  });
  describe("The sysfs driver on a real kernel", () => {
    let driver: LineDriver;
    /** The kernel's global number of the chip's line 0. */
    let number: number;

    const text = (...path: string[]) => readFileSync(join(SYSFS_GPIO, ...path), "utf8").trim();

    beforeEach(async () => {
      driver = await opened("sysfs");
      const label = (await driver.detect()).find((one) => one.name === chip.name)?.label;
      const folder = readdirSync(SYSFS_GPIO).find(
        (entry) => /^gpiochip\d+$/.test(entry) && text(entry, "label") === label,
      );
      number = Number(text(folder ?? "", "base"));
    });

    afterEach(async () => {
      await driver.close();
      chip.set(0, false);
    });

    it("takes over a line that a killed process left exported, with settings of its own", async () => {
      writeFileSync(join(SYSFS_GPIO, "export"), String(number));
      writeFileSync(join(SYSFS_GPIO, `gpio${number}`, "direction"), "low");
      const { line, edges } = await watchLine(driver, lineRequest(`${chip.name}:0`, { activeLow: true }));
      chip.set(0, true);
      await edges.until(1);
      await line.close();

      expect(line.initiallyActive).to.equal(true);
      expect(edges.levels).to.deep.equal([false]);
      expect(existsSync(join(SYSFS_GPIO, `gpio${number}`))).to.equal(false);
    });

    it("stamps an edge with the process's monotonic time", async () => {
      const { edges } = await watchLine(driver, lineRequest(`${chip.name}:0`));
      const fromNs = systemClock.monotonicNs();
      chip.set(0, true);
      await edges.until(1);

      const timeNs = edges.seen[0]?.timeNs ?? 0n;
      expect(timeNs > fromNs && timeNs <= systemClock.monotonicNs()).to.equal(true);
    });
  });
}
