import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { VirtualTime } from "../../src/domain/clock.ts";
import type { ChipInfo, LineRequest } from "../../src/domain/line.ts";
import { SyscallError } from "../../src/gpio/kernel.ts";
import { type ExportedLine, numberedChips, SYSFS_LIMITS, SysfsDriver } from "../../src/gpio/sysfs.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { FakeKernel } from "./fake-kernel.ts";
import { lineRequest, watchLine } from "./rigs.ts";

interface SysfsFolderChip {
  /** The device that the chip hangs from, below `devices`: `platform/soc/fe200000.gpio`. */
  readonly device: string;
  /** The character device's name; null for a kernel that has none. */
  readonly charDevice: string | null;
  readonly base: number;
  readonly label: string;
  readonly lineCount: number;
}

/** A folder laid out as the kernel lays out its GPIO part of sysfs. The caller removes it. */
class SysfsFolder extends TemporaryDirectory {
  constructor(chips: readonly SysfsFolderChip[]) {
    super();
    const classFolder = join(this.path, "class", "gpio");
    const busFolder = join(this.path, "bus", "gpio", "devices");
    mkdirSync(classFolder, { recursive: true });
    mkdirSync(busFolder, { recursive: true });
    for (const { device, charDevice, base, label, lineCount } of chips) {
      const parent = join(this.path, "devices", device);
      const numbered = join(parent, "gpio", `gpiochip${base}`);
      mkdirSync(numbered, { recursive: true });
      writeFileSync(join(numbered, "base"), `${base}\n`);
      writeFileSync(join(numbered, "label"), `${label}\n`);
      writeFileSync(join(numbered, "ngpio"), `${lineCount}\n`);
      symlinkSync(parent, join(numbered, "device"));
      symlinkSync(numbered, join(classFolder, `gpiochip${base}`));
      if (charDevice === null) continue;
      mkdirSync(join(parent, charDevice));
      symlinkSync(join(parent, charDevice), join(busFolder, charDevice));
    }
  }
}

const ERRNO_EACCES = 13;
const ERRNO_EBUSY = 16;
const ERRNO_ENODEV = 19;
const DEBOUNCE_MS = 50;

/** An exported line that a test drives. */
class FakeExport implements ExportedLine {
  active = false;
  gone = false;
  released = 0;
  #callback: (active: boolean) => void = () => {};

  read(): boolean {
    if (this.gone) throw new SyscallError("read", ERRNO_ENODEV);
    return this.active;
  }

  listen(callback: (active: boolean) => void): void {
    this.#callback = callback;
  }

  release(): void {
    this.released += 1;
  }

  /** The level changes and the process hears of it. */
  change(active: boolean): void {
    this.active = active;
    this.#callback(active);
  }
}

describe("The sysfs driver on fake lines", () => {
  const time = forEachTest(() => new VirtualTime());
  let folder: SysfsFolder;
  let kernel: FakeKernel;
  let exported: Map<number, FakeExport>;
  let exportError: Error | null;
  let warnings: string[];
  let driver: SysfsDriver;

  beforeEach(async () => {
    folder = new SysfsFolder([
      { device: "platform/fake", charDevice: "gpiochip0", base: 512, label: "fake chip", lineCount: 2 },
      { device: "platform/gpio", charDevice: "gpiochip1", base: 600, label: "other chip", lineCount: 4 },
    ]);
    kernel = new FakeKernel(["GPIO0", "GPIO1"]);
    exported = new Map();
    exportError = null;
    warnings = [];
    driver = createDriver();
    await driver.open();
  });

  afterEach(async () => {
    await driver.close();
    folder.remove();
  });

  function createDriver(): SysfsDriver {
    return new SysfsDriver({
      clock: time,
      timers: time,
      warn: (text) => warnings.push(text),
      loadExporter: async () => (number) => {
        if (exportError !== null) throw exportError;
        const line = new FakeExport();
        exported.set(number, line);
        return line;
      },
      loadKernel: async () => kernel,
      sysfs: folder.path,
    });
  }

  function request(wanted: Partial<LineRequest> = {}): LineRequest {
    return lineRequest("gpiochip1:3", { debounceMs: DEBOUNCE_MS, ...wanted });
  }

  function line(number: number): FakeExport {
    const found = exported.get(number);
    if (found === undefined) throw new Error(`The line ${number} is not exported.`);
    return found;
  }

  it("reads a free line and releases it, and reports a line that is in use", async () => {
    expect(await driver.read("gpiochip1:3")).to.equal(false);
    expect(line(603).released).to.equal(1);
    exportError = new SyscallError("export", ERRNO_EBUSY);
    expect(await rejection(driver.read("gpiochip1:3"))).to.include({ code: "conflict" });
  });

  it("reads no line that is exported already, because the release would take it from its user", async () => {
    mkdirSync(join(folder.path, "class", "gpio", "gpio603"));
    expect(await rejection(driver.read("gpiochip1:3"))).to.include({ code: "conflict" });
    expect(exported.size).to.equal(0);
  });

  it("reports its limits when it opens", () => {
    expect(warnings).to.deep.equal(SYSFS_LIMITS);
  });

  it("adds the offset to the chip's base", async () => {
    await watchLine(driver, request());
    expect([...exported.keys()]).to.deep.equal([603]);
  });

  it("stamps an edge with the change that held, after any bounces", async () => {
    const { edges } = await watchLine(driver, request());
    line(603).change(true);
    time.advance(DEBOUNCE_MS - 1);
    line(603).change(false);
    time.advance(3);
    line(603).change(true);
    const heldFromNs = time.monotonicNs();
    time.advance(DEBOUNCE_MS);
    await edges.until(1);

    expect(edges.seen).to.deep.equal([{ active: true, timeNs: heldFromNs, sequence: 3, missed: 0 }]);
  });

  it("restarts the wait when two changes cancelled out before they were read", async () => {
    const { edges } = await watchLine(driver, request());
    line(603).change(true);
    time.advance(DEBOUNCE_MS - 1);
    line(603).change(true);
    time.advance(DEBOUNCE_MS - 1);
    await (await watchLine(driver, request({ line: "gpiochip1:0" }))).line.close();
    expect(edges.seen).to.deep.equal([]);
    time.advance(1);
    expect(await edges.until(1)).to.deep.equal([true]);
  });

  it("reads the level again after the wait, because a change may not be reported yet", async () => {
    const { edges } = await watchLine(driver, request());
    line(603).change(true);
    line(603).active = false;
    time.advance(2 * DEBOUNCE_MS);
    line(603).change(true);
    time.advance(DEBOUNCE_MS);
    await edges.until(1);

    expect(edges.levels).to.deep.equal([true]);
  });

  it("delivers every change at once without debounce, but no level twice", async () => {
    const { edges } = await watchLine(driver, request({ debounceMs: 0 }));
    for (const active of [false, true, true, false]) line(603).change(active);
    expect(await edges.until(2)).to.deep.equal([true, false]);
    expect(time.pendingTimers).to.equal(0);
  });

  it("refuses a bias that sysfs cannot set, without touching the line", async () => {
    const error = await rejection(watchLine(driver, request({ bias: "pull-up" })));
    expect(error.code).to.equal("invalid");
    expect(error.message).to.equal("sysfs cannot set the bias of gpiochip1:3 to pull-up.");
    expect(exported.size).to.equal(0);
  });

  it("names the holder of a taken line where the character device knows it", async () => {
    exportError = new SyscallError("export", ERRNO_EBUSY);
    kernel.line(1).used = true;
    kernel.line(1).consumer = "door-bell";
    const named = await rejection(watchLine(driver, request({ line: "GPIO1" })));
    expect(named).to.include({ code: "conflict", message: "GPIO1 (gpiochip0:1) is in use by 'door-bell'." });
    const unnamed = await rejection(watchLine(driver, request()));
    expect(unnamed.message).to.equal("gpiochip1:3 is in use by another program.");
  });

  for (const [what, lose] of [
    ["the character device cannot be opened", () => (kernel.openError = "EACCES")],
    ["the kernel is older than 5.10", () => (kernel.hasV2 = false)],
  ] as const) {
    it(`knows lines by chip and offset alone when ${what}`, async () => {
      lose();
      const error = await rejection(watchLine(driver, request({ line: "GPIO1" })));
      expect(error.code).to.equal("not_found");
      await watchLine(driver, request({ line: "gpiochip0:1" }));
      expect([...exported.keys()]).to.deep.equal([513]);
    });
  }

  it("says what group to join when access is denied", async () => {
    exportError = new SyscallError("export", ERRNO_EACCES);
    const error = await rejection(watchLine(driver, request()));
    expect(error.code).to.equal("unavailable");
    expect(error.hint).to.contain("group gpio");
  });

  it("reports once that a line is lost when it can no longer be read, and releases it", async () => {
    const failures: Error[] = [];
    await watchLine(driver, request({ line: "gpiochip0:0" }), failures);
    line(512).gone = true;
    kernel.touchNode();
    kernel.touchNode();

    expect(failures.map((error) => error.message)).to.deep.equal([
      "gpiochip0:0 is lost: it can no longer be read.",
    ]);
    expect(line(512).released).to.equal(1);
  });

  it("points to chardev on a kernel without GPIO sysfs", async () => {
    folder.remove();
    expect((await rejection(createDriver().open())).hint).to.equal("Use FLANCO_GPIO_DRIVER=chardev.");
  });
});

const BANK: SysfsFolderChip = {
  device: "platform/soc/fe200000.gpio",
  charDevice: "gpiochip0",
  base: 512,
  label: "pinctrl-bcm2711",
  lineCount: 3,
};
const EXPANDER: SysfsFolderChip = {
  device: "platform/soc/firmware",
  charDevice: "gpiochip1",
  base: 570,
  label: "raspberrypi-exp-gpio",
  lineCount: 1,
};

function known(name: string, label: string, lineNames: readonly string[]): ChipInfo {
  return {
    name,
    label,
    lines: lineNames.map((lineName, offset) => ({ chip: name, offset, name: lineName, holder: null })),
  };
}

describe("The numbers that sysfs gives to lines", () => {
  let folder: SysfsFolder | null = null;

  function lay(chips: readonly SysfsFolderChip[]): string {
    folder = new SysfsFolder(chips);
    return folder.path;
  }

  afterEach(() => {
    folder?.remove();
    folder = null;
  });

  it("start at the chip's base, with the character device's names", () => {
    const chips = [known("gpiochip0", "pinctrl-bcm2711", ["ID_SDA", "ID_SCL", "GPIO2"])];
    expect(numberedChips(lay([EXPANDER, BANK]), chips)).to.deep.equal([
      { base: 512, chip: chips[0] },
      {
        base: 570,
        chip: {
          name: "gpiochip1",
          label: "raspberrypi-exp-gpio",
          place: "firmware",
          lines: [{ chip: "gpiochip1", offset: 0, name: null, holder: null }],
        },
      },
    ]);
  });

  it("are distinguished by label where one device has two chips", () => {
    const twins = ["left", "right"].map((label, index) => ({
      ...BANK,
      label,
      charDevice: `gpiochip${index}`,
      base: 512 + 3 * (1 - index),
    }));
    const chips = [
      known("gpiochip0", "left", ["L0", "L1", "L2"]),
      known("gpiochip1", "right", ["R0", "R1", "R2"]),
    ];
    const path = lay(twins);
    expect(
      numberedChips(path, chips).map(({ base, chip }) => [base, chip.name, chip.lines[0]?.name]),
    ).to.deep.equal([
      [512, "gpiochip1", "R0"],
      [515, "gpiochip0", "L0"],
    ]);
    expect(numberedChips(path, []).map(({ chip }) => chip.name)).to.deep.equal([
      "gpiochip512",
      "gpiochip515",
    ]);
  });

  it("do not confuse chips of the same label on two devices", () => {
    const path = lay([BANK, { ...EXPANDER, label: BANK.label }]);
    const chips = [known("gpiochip0", BANK.label, ["A", "B", "C"])];
    expect(
      numberedChips(path, chips).map(({ base, chip }) => [base, chip.name, chip.lines[0]?.name]),
    ).to.deep.equal([
      [512, "gpiochip0", "A"],
      [570, "gpiochip1", null],
    ]);
  });

  it("have sysfs's own chip name on a kernel without character devices", () => {
    const [only] = numberedChips(lay([{ ...BANK, charDevice: null }]), []);
    expect(only?.chip.name).to.equal("gpiochip512");
    expect(only?.chip.lines.map((line) => line.chip)).to.deep.equal([
      "gpiochip512",
      "gpiochip512",
      "gpiochip512",
    ]);
  });

  it("do not exist where the kernel has no GPIO sysfs", () => {
    expect(numberedChips("/nonexistent", [])).to.deep.equal([]);
  });
});
