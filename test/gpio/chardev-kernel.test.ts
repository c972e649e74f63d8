import {
  closeSync,
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
import type { LineDriver, LineRequest } from "../../src/domain/line.ts";
import { createDriver } from "../../src/gpio/driver.ts";
import { systemTimers } from "../../src/gpio/timers.ts";
import { Edges, noFailure } from "./edges.ts";
import { KernelChip, systemClock } from "./rigs.ts";

const GPIO_SIM = "/sys/kernel/config/gpio-sim";
/** The kernel's buffer of one line. */
const BUFFER_EVENTS = 1_024;
const BURST_EDGES = 4_000;
/** An emulated machine handles about a thousand edges a second. */
const BURST_TIMEOUT_MS = 60_000;
const EDGE_TIMEOUT_MS = 5_000;
const NAP_MS = 0.05;

function request(line: string): LineRequest {
  return { line, activeLow: false, bias: "as-is", debounceMs: 0 };
}

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

const chip = KernelChip.fromEnvironment();
if (chip !== null) {
  describe("The chardev driver on a real kernel", () => {
    let driver: LineDriver;

    beforeEach(async () => {
      driver = createDriver("chardev", {
        clock: systemClock,
        timers: systemTimers,
        warn: () => {},
        simulatedLineCount: 0,
      });
      await driver.open();
    });

    afterEach(async () => {
      await driver.close();
      chip.set(0, false);
    });

    it("gets the last 1,024 of 4,000 edges that a busy process slept through, and counts the other 2,976", async function () {
      this.timeout(BURST_TIMEOUT_MS);
      const others = interruptThreads();
      const edges = new Edges();
      await driver.watch(request(`${chip.name}:0`), edges.onEdge, noFailure);
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

    it("delivers on close an edge that nobody has read yet, with the kernel's own time", async () => {
      const others = interruptThreads();
      const edges = new Edges();
      const line = await driver.watch(request(`${chip.name}:0`), edges.onEdge, noFailure);
      const hand = new SlowHand(chip, others);
      const fromNs = systemClock.monotonicNs();
      hand.change(0, [true]);
      const untilNs = systemClock.monotonicNs();
      await line.close();

      expect(edges.levels).to.deep.equal([true]);
      const timeNs = edges.seen[0]?.timeNs ?? 0n;
      expect(timeNs > fromNs && timeNs < untilNs, `${fromNs} < ${timeNs} < ${untilNs}`).to.equal(true);
    });

    it("uses the pull that a request asks for", async () => {
      const up = await driver.watch({ ...request(`${chip.name}:0`), bias: "pull-up" }, () => {}, noFailure);
      await up.close();
      const down = await driver.watch(
        { ...request(`${chip.name}:0`), bias: "pull-down" },
        () => {},
        noFailure,
      );

      expect([up.initiallyActive, down.initiallyActive]).to.deep.equal([true, false]);
    });

    it("loses a line with its chip, says so once, and goes on with the lines of another", async () => {
      const folder = join(GPIO_SIM, "removable");
      mkdirSync(join(folder, "bank0"), { recursive: true });
      writeFileSync(join(folder, "live"), "1");
      const removable = readFileSync(join(folder, "bank0", "chip_name"), "utf8").trim();
      const failures: Error[] = [];
      const { promise: failed, resolve } = Promise.withResolvers<void>();
      const edges = new Edges();
      await driver.watch(
        request(`${removable}:0`),
        () => {},
        (error) => {
          failures.push(error);
          resolve();
        },
      );
      await driver.watch(request(`${chip.name}:0`), edges.onEdge, noFailure);
      writeFileSync(join(folder, "live"), "0");
      await failed;
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
}
