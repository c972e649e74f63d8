import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type { LineDriver } from "../../src/domain/line.ts";
import { systemClock } from "../../src/platform/machine.ts";
import { until } from "../rig/until.ts";
import { KernelChip, lineRequest, realDriver, watchLine } from "./rigs.ts";

const SYSFS_GPIO = "/sys/class/gpio";
const GPIO_SIM = "/sys/kernel/config/gpio-sim";

/** An emulated processor takes so long for 64 lines. */
const MANY_MS = 120_000;

const chip = KernelChip.fromEnvironment();
if (chip !== null) {
  describe("The chardev driver on a real kernel", () => {
    let driver: LineDriver;

    beforeEach(async () => {
      driver = realDriver("chardev");
      await driver.open();
    });

    afterEach(async () => {
      await driver.close();
      chip.chargeIn(0);
      for (const offset of [0, 1, 2, 3]) chip.set(offset, false);
    });

    it("stamps an edge with the kernel's own time", async () => {
      const { edges } = await watchLine(driver, lineRequest(`${chip.name}:0`));
      const fromNs = systemClock.monotonicNs();
      chip.set(0, true);
      await edges.until(1);
      const timeNs = edges.seen[0]?.timeNs ?? 0n;
      expect(timeNs > fromNs && timeNs < systemClock.monotonicNs()).to.equal(true);
    });

    it("sets the pull that a request asks for", async () => {
      const { line: up } = await watchLine(driver, lineRequest(`${chip.name}:0`, { bias: "pull-up" }));
      await up.close();
      const { line: down } = await watchLine(driver, lineRequest(`${chip.name}:0`, { bias: "pull-down" }));

      expect([up.initiallyActive, down.initiallyActive]).to.deep.equal([true, false]);
    });

    for (const activeLow of [true, false])
      for (const us of [0, 50, 200, 1_000, 5_000, 50_000]) {
        const wiring = activeLow ? "active-low lines with pull-up" : "active-high lines with pull-down";
        it(`finds idle ${wiring} off, and counts each switching, where the bias takes ${us} µs`, async () => {
          chip.chargeIn(us);
          const bias = activeLow ? "pull-up" : "pull-down";
          const offsets = [0, 1, 2, 3];
          // Undriven, and at the level that a Pi's lines may have from its power-on until they are requested.
          for (const offset of offsets) chip.set(offset, !activeLow);
          const wanted = { activeLow, bias, debounceMs: 50 } as const;
          const watched = await Promise.all(
            offsets.map((offset) => watchLine(driver, lineRequest(`${chip.name}:${offset}`, wanted))),
          );
          for (const isOn of [true, false, true, false]) {
            for (const offset of offsets) chip.set(offset, isOn !== activeLow);
            await delay(3 * wanted.debounceMs);
          }

          expect(watched.map(({ line }) => line.initiallyActive)).to.deep.equal(offsets.map(() => false));
          for (const { edges } of watched)
            expect(await edges.until(4)).to.deep.equal([true, false, true, false]);
        });
      }

    for (const debounceMs of [0, 50])
      it(`finds a swallowed edge within two seconds, with a debounce of ${debounceMs} ms`, async () => {
        const [lost, other] = [`${chip.name}:0`, `${chip.name}:1`];
        const failures: Error[] = [];
        await watchLine(driver, lineRequest(lost, { debounceMs }), failures);
        const { edges } = await watchLine(driver, lineRequest(other, { debounceMs }));
        const fromNs = systemClock.monotonicNs();
        chip.swallow(0, true);
        chip.set(1, true);
        await until("the line is given up", () => failures.length > 0);
        const tookMs = Number(systemClock.monotonicNs() - fromNs) / 1e6;
        const { line } = await watchLine(driver, lineRequest(lost, { debounceMs }));

        expect(failures.map(({ message }) => message)).to.deep.equal([
          `${lost} is lost: an edge was not reported.`,
        ]);
        expect(tookMs).to.be.lessThan(2_000);
        expect(line.initiallyActive).to.equal(true);
        expect(await edges.until(1)).to.deep.equal([true]);
      });

    it("counts each switching of 64 lines once that bounce together", async function () {
      this.timeout(MANY_MS);
      const folder = join(GPIO_SIM, "many");
      mkdirSync(join(folder, "bank0"), { recursive: true });
      writeFileSync(join(folder, "bank0", "num_lines"), "64");
      writeFileSync(join(folder, "live"), "1");
      const read = (...names: string[]) => readFileSync(join(folder, ...names), "utf8").trim();
      const many = read("bank0", "chip_name");
      const lines = new KernelChip(join("/sys/devices/platform", read("dev_name"), many), many);
      const offsets = Array.from({ length: 64 }, (_, offset) => offset);
      const wanted = { debounceMs: 1_000 };
      const watched = await Promise.all(
        offsets.map((offset) => watchLine(driver, lineRequest(`${many}:${offset}`, wanted))),
      );
      for (const isOn of [true, false]) {
        for (const offset of offsets)
          for (const high of [isOn, !isOn, isOn, !isOn, isOn, !isOn, isOn]) lines.set(offset, high);
        for (const { edges } of watched) await edges.until(isOn ? 1 : 2);
      }
      await driver.close();
      writeFileSync(join(folder, "live"), "0");
      rmdirSync(join(folder, "bank0"));
      rmdirSync(folder);

      for (const { edges } of watched) expect(edges.levels).to.deep.equal([true, false]);
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
      driver = realDriver("sysfs");
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
