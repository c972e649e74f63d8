import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { LineDriver } from "../../src/domain/line.ts";
import { createDriver } from "../../src/gpio/driver.ts";
import { systemTimers } from "../../src/gpio/timers.ts";
import { Edges, noFailure } from "./edges.ts";
import { KernelChip, systemClock } from "./rigs.ts";

const SYSFS_GPIO = "/sys/class/gpio";

function text(...path: string[]): string {
  return readFileSync(join(SYSFS_GPIO, ...path), "utf8").trim();
}

const chip = KernelChip.fromEnvironment();
if (chip !== null) {
  describe("The sysfs driver on a real kernel", () => {
    let driver: LineDriver;
    let number: number;

    beforeEach(async () => {
      driver = createDriver("sysfs", {
        clock: systemClock,
        timers: systemTimers,
        warn: () => {},
        simulatedLineCount: 0,
      });
      await driver.open();
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
      const edges = new Edges();
      const line = await driver.watch(
        { line: `${chip.name}:0`, activeLow: true, bias: "as-is", debounceMs: 0 },
        edges.onEdge,
        noFailure,
      );
      chip.set(0, true);
      await edges.until(1);
      await line.close();

      expect(line.initiallyActive).to.equal(true);
      expect(edges.levels).to.deep.equal([false]);
      expect(existsSync(join(SYSFS_GPIO, `gpio${number}`))).to.equal(false);
    });

    it("stamps an edge with the process's monotonic time", async () => {
      const edges = new Edges();
      await driver.watch(
        { line: `${chip.name}:0`, activeLow: false, bias: "as-is", debounceMs: 0 },
        edges.onEdge,
        noFailure,
      );
      const fromNs = systemClock.monotonicNs();
      chip.set(0, true);
      await edges.until(1);

      const timeNs = edges.seen[0]?.timeNs ?? 0n;
      expect(timeNs > fromNs && timeNs <= systemClock.monotonicNs()).to.equal(true);
    });
  });
}
